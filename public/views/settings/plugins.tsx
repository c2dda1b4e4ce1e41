import type { PluginInfo } from '../../../lib/wire/plugin.ts';
import { messageOf } from '../../service/console.ts';
import { useConsole } from '../context.tsx';
import { useLoaded } from '../parts/hooks.ts';

/** Every plugin with its state, and what its browser part may do, in words. */
export function Plugins() {
  const { api } = useConsole();
  const [list] = useLoaded(() => api().plugins(), []);
  if (list.state === 'loading') return <p class="empty">Loading…</p>;
  if (list.state === 'failed') return <p class="problem">{messageOf(list.error)}</p>;
  return (
    <>
      {list.value.plugins.map((plugin) => (
        <Plugin key={plugin.id} plugin={plugin} />
      ))}
    </>
  );
}

function Plugin({ plugin }: { plugin: PluginInfo }) {
  const { id, name, version, state, description, dependencies, error, web } = plugin;
  const tone = state === 'active' ? 'ok' : state === 'failed' ? 'danger' : '';
  return (
    <section class="card" data-plugin={id}>
      <h2>
        {name} <span class="muted">{version}</span> <span class={`pill ${tone}`}>{state}</span>
      </h2>
      {description && <p>{description}</p>}
      {error && <p class="problem">{error}</p>}
      {dependencies.length > 0 && <p class="note">Needs: {dependencies.join(', ')}</p>}
      {web && <Grants web={web} />}
    </section>
  );
}

function Grants({ web }: { web: NonNullable<PluginInfo['web']> }) {
  const grants = web.api?.map((grant) => grant.trim()).filter(Boolean);
  const writes = grants?.filter((grant) => !/^(GET|HEAD) /i.test(grant)) ?? [];
  const reads = grants?.filter((grant) => /^(GET|HEAD) /i.test(grant)) ?? [];
  return (
    <dl class="facts">
      <div>
        <dt>May read</dt>
        <dd>
          {grants === undefined
            ? 'every API answer this login can read (no grant was named)'
            : reads.join(', ') || 'nothing'}
        </dd>
      </div>
      <div>
        <dt>May write</dt>
        <dd class={writes.length > 0 ? 'problem' : ''}>{writes.join(', ') || 'nothing'}</dd>
      </div>
      {web.capabilities.length > 0 && (
        <div>
          <dt>Capabilities</dt>
          <dd>
            {web.capabilities
              .map((name) => (name === 'composer.submit' ? 'send text from the composer' : name))
              .join(', ')}
          </dd>
        </div>
      )}
      {web.revision && (
        <div>
          <dt>Revision</dt>
          <dd>{web.revision}</dd>
        </div>
      )}
    </dl>
  );
}
