import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Tenants } from './tenants.tsx';
import { UsageAndQuotas } from './usage.tsx';
import { Users } from './users.tsx';

const pages = [
  ['users', 'Users'],
  ['tenants', 'Tenants'],
  ['usage', 'Usage and quotas'],
] as const;

/** For administrators only; the service refuses everybody else anyway. */
export function AdminPage({ page }: { page: string }) {
  const { store } = useConsole();
  if (store.me.value?.mode !== 'accounts' || store.me.value.user?.role !== 'admin')
    return <p class="empty">This is for administrators of a service with accounts.</p>;
  return (
    <div class="page">
      <div class="column">
        <h1>Administration</h1>
        <nav class="page-tabs" aria-label="Administration">
          {pages.map(([name, title]) => (
            <a key={name} href={links.admin(name)} aria-current={page === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {page === 'users' && <Users />}
        {page === 'tenants' && <Tenants />}
        {page === 'usage' && <UsageAndQuotas />}
      </div>
    </div>
  );
}
