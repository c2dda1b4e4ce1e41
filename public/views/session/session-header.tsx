import { contextUse } from '../../state/estimate.ts';
import { compact } from '../../state/format.ts';
import { links, type SessionTab } from '../../state/route.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Gauge } from '../parts/gauge.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';

/** The views of a session, and how full its context is. On a phone the views are a bar at the bottom. */
export function SessionHeader({ session, tab }: { session: OpenSession; tab: SessionTab }) {
  const { workbench } = useConsole();
  return (
    <header class="session-head">
      <nav class="tabs" aria-label="Views of this session">
        <Tab href={links.session(session.id)} icon="chat" on={tab === 'chat'}>
          Chat
        </Tab>
        <Tab href={links.files(session.id)} icon="folder" on={tab === 'files'}>
          Files
        </Tab>
        <Tab href={links.checkpoints(session.id)} icon="clock" on={tab === 'checkpoints'}>
          Checkpoints
        </Tab>
        <Tab href={links.info(session.id)} icon="info" on={tab === 'info'}>
          Info
        </Tab>
      </nav>
      <span class="spring" />
      <ContextMeter session={session} />
      <Button
        icon="trash"
        label="Delete session"
        tone="quiet"
        class="delete-session"
        onClick={() => workbench.remove(session.id)}
      />
    </header>
  );
}

function Tab({ href, icon, on, children }: { href: string; icon: IconName; on: boolean; children: string }) {
  return (
    <a class={on ? 'tab on' : 'tab'} href={href} aria-current={on ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{children}</span>
    </a>
  );
}

/** How full the model's window is: an estimate, and says so. */
function ContextMeter({ session }: { session: OpenSession }) {
  const { store } = useConsole();
  const summary = store.directory.value.sessions.get(session.id);
  const use = contextUse(store, session);
  if (!summary || !use) return null;
  const { used, size, percent, threshold } = use;
  const text = `About ${percent}% of the context is used (${compact(used)} of ${compact(size)} tokens, estimated); summarised at ${threshold}%`;
  return (
    <span class="meters" title={text}>
      <span>{compact(summary.usage.totalTokens)} tokens</span>
      <span>context ~{percent}%</span>
      <Gauge value={percent} most={100} high={threshold} label={text} />
    </span>
  );
}
