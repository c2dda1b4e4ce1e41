import { count, duration } from '../../state/format.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/hooks.ts';

/** What the run is doing, or how it ended and what can be done about it. */
export function RunBanner({ session }: { session: OpenSession }) {
  const { store, workbench } = useConsole();
  const summary = store.directory.value.sessions.get(session.id);
  const { run, over, live } = session.conversation.value;
  if (!summary) return null;
  const resume = () => workbench.resume(session.id);
  if (summary.status === 'running') {
    if (live) return null;
    return <Working summary={summary} since={run?.since} stopping={session.stopping.value} />;
  }
  if (summary.status === 'interrupted')
    return (
      <Banner tone="warn" text="The server stopped during this run. What had happened is kept; nothing was done twice.">
        <Button tone="primary" onClick={resume}>
          Resume
        </Button>
      </Banner>
    );
  if (summary.status === 'error')
    return (
      <Banner tone="danger" text={over?.status === 'failed' ? `The run failed: ${over.error}` : 'The last run failed.'}>
        <Button tone="primary" onClick={resume}>
          Resume
        </Button>
      </Banner>
    );
  if (over?.status === 'max_steps')
    return (
      <Banner tone="warn" text="The run reached its step limit.">
        <Button tone="primary" onClick={() => workbench.send(session.id, { text: 'Continue.', images: [] })}>
          Continue
        </Button>
      </Banner>
    );
  if (summary.status === 'cancelled') return <p class="run-note">Stopped.</p>;
  if (over?.status === 'completed' && over.usage)
    return <p class="run-note">{count(over.usage.totalTokens)} tokens in this run</p>;
  return null;
}

const words = {
  starting: 'Starting',
  waiting: 'Waiting for the model',
  thinking: 'Thinking',
  answering: 'Answering',
  tool: 'Running',
  approval: 'Waiting for your approval of',
  compacting: 'Summarising older messages',
};

function Working({
  summary,
  since,
  stopping,
}: {
  summary: { activity?: { phase: keyof typeof words; tool?: string } };
  since: string | undefined;
  stopping: boolean;
}) {
  const now = useNow(true);
  const { phase = 'waiting', tool = '' } = summary.activity ?? {};
  const text = stopping
    ? 'Stopping…'
    : `${words[phase]} ${phase === 'tool' || phase === 'approval' ? tool : ''}`.trim();
  return (
    <p class="run-note working">
      <span class="pulse" aria-hidden="true" /> {text}
      {since && <span class="muted">{duration(now - Date.parse(since))}</span>}
    </p>
  );
}

function Banner({
  tone,
  text,
  children,
}: {
  tone: 'warn' | 'danger';
  text: string;
  children?: preact.ComponentChildren;
}) {
  return (
    <div class={`banner ${tone}`}>
      <span class="banner-text">{text}</span>
      {children}
    </div>
  );
}
