import { useState } from 'preact/hooks';
import { estimateTokens } from '../../state/estimate.ts';
import { compact } from '../../state/format.ts';
import { links, type SessionTab } from '../../state/route.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';

export function SessionHeader({ session, tab }: { session: OpenSession; tab: SessionTab }) {
  const { store, workbench } = useConsole();
  const summary = store.directory.value.sessions.get(session.id);
  const parent = summary?.parentId ? store.directory.value.sessions.get(summary.parentId) : undefined;
  return (
    <header class="session-head">
      <div class="session-name">
        {parent && (
          <a class="parent" href={links.session(parent.id)}>
            {parent.title} ›
          </a>
        )}
        <Title sessionId={session.id} title={summary?.title ?? ''} />
      </div>
      <ContextMeter session={session} />
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
        <Button icon="trash" label="Delete session" tone="quiet" onClick={() => workbench.remove(session.id)} />
      </nav>
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

function Title({ sessionId, title }: { sessionId: string; title: string }) {
  const { workbench } = useConsole();
  const [text, setText] = useState<string>();
  if (text === undefined)
    return (
      <h1>
        <span class="title-text">{title}</span>
        <Button icon="pencil" label="Rename" tone="quiet" onClick={() => setText(title)} />
      </h1>
    );
  const save = async () => {
    const next = text.trim();
    if (next === '' || next === title || (await workbench.update(sessionId, { title: next }))) setText(undefined);
  };
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        aria-label="Title"
        value={text}
        maxLength={200}
        ref={(input) => {
          if (input && document.activeElement !== input) input.focus();
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          setText(undefined);
        }}
      />
      <Button type="submit">Save</Button>
    </form>
  );
}

/** How full the model's window is: an estimate, and says so. */
function ContextMeter({ session }: { session: OpenSession }) {
  const { store } = useConsole();
  const summary = store.directory.value.sessions.get(session.id);
  const { compaction } = store.config.value?.agent ?? {};
  const model = store.boot.value?.models.find(({ id }) => id === summary?.model);
  const size = model?.contextWindow ?? compaction?.fallbackContextWindow;
  if (!summary || !size) return null;
  const used = estimateTokens(session.conversation.value.messages);
  const percent = Math.min(100, Math.round((used / size) * 100));
  const threshold = Math.round((compaction?.threshold ?? 0.8) * 100);
  const text = `About ${percent}% of the context is used (${compact(used)} of ${compact(size)} tokens, estimated); summarised at ${threshold}%`;
  return (
    <span class="meters" title={text}>
      <span class="muted">{compact(summary.usage.totalTokens)} tokens</span>
      <span class="muted">ctx ~{percent}%</span>
      <meter min={0} max={100} high={threshold} value={percent} aria-label={text} />
    </span>
  );
}
