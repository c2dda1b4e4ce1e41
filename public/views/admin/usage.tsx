import { isApiError } from '../../../lib/client/index.ts';
import type { QuotaUsage } from '../../../lib/wire/usage.ts';
import { compact, count } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Gauge } from '../parts/gauge.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';
import { ListTable } from './list-table.tsx';

/** Per tenant: what is used, of what is allowed. Without the quota plugin: what is used. */
export function UsageAndQuotas() {
  const { api } = useConsole();
  const [rows] = useLoaded(async () => {
    try {
      return (await api().quotas()).tenants;
    } catch (error) {
      if (!isApiError(error) || error.status !== 404) throw error;
      const { tenants } = await api().listTenants();
      const usages = await Promise.all(tenants.map(({ id }) => api().usage({ tenant: id })));
      return usages.map(({ tenantId, sessions, usage }) => ({
        tenantId,
        sessions,
        tokens: usage.totalTokens,
        running: 0,
        limits: {},
      }));
    }
  }, []);
  if (rows.state !== 'ready') return <Pending of={rows} />;
  return (
    <ListTable label="Usage" columns={['Tenant', 'Sessions', 'Running', 'Tokens']}>
      {rows.value.map((row: QuotaUsage) => (
        <tr key={row.tenantId}>
          <td>{row.tenantId}</td>
          <td>
            <Measure used={row.sessions} most={row.limits.maxSessions} name="Sessions" />
          </td>
          <td>
            <Measure used={row.running} most={row.limits.maxConcurrentRuns} name="Running" />
          </td>
          <td>
            <Measure used={row.tokens} most={row.limits.maxTokens} name="Tokens" />
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function Measure({ used, most, name }: { used: number; most: number | undefined; name: string }) {
  if (most === undefined) return <span title="No limit">{count(used)}</span>;
  return (
    <span class={used >= most ? 'failed' : ''}>
      {compact(used)} / {compact(most)}
      {used >= most ? ' (full)' : ''}
      <Gauge value={used} most={most} high={most * 0.8} label={name} />
    </span>
  );
}
