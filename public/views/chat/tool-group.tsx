import { useEffect, useState } from 'preact/hooks';
import { duration, plural } from '../../state/format.ts';
import { argumentLine, type CallView, summaryOf } from '../../state/items.ts';
import { useConsole } from '../context.tsx';
import { useNow } from '../parts/hooks.ts';
import { Icon } from '../parts/icon.tsx';
import { lazyView } from '../parts/lazy-view.tsx';

const loadBody = () => import('./tool-body.tsx').then((module) => module.ToolBody);
const ToolBody = lazyView(loadBody);

/** Neighbouring tool calls as one line that opens. What failed is always visible. */
export function ToolGroup({
  calls,
  running,
  sessionId,
}: {
  calls: readonly CallView[];
  running: boolean;
  sessionId: string;
}) {
  const { store } = useConsole();
  const few = calls.length <= (store.density.value === 'compact' ? 0 : 2);
  const [open, setOpen] = useState(false);
  // Before the first card is opened, which then opens at once.
  useEffect(() => void loadBody(), []);
  const { count, failed, durationMs } = summaryOf(calls);
  const shown = open || few ? calls : calls.filter(({ state }) => state === 'failed' || state === 'running');
  return (
    <section class="tools" aria-label={plural(count, 'tool call')}>
      {!few && (
        <button type="button" class="tools-head" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} />
          <span>{plural(count, 'tool call')}</span>
          {failed > 0 && <span class="failed">{failed} failed</span>}
          {running ? <span class="muted">running</span> : <span class="muted">{duration(durationMs)}</span>}
        </button>
      )}
      {shown.map((view) => (
        <ToolCard key={view.call.id} view={view} sessionId={sessionId} />
      ))}
    </section>
  );
}

function ToolCard({ view, sessionId }: { view: CallView; sessionId: string }) {
  const { call, state } = view;
  const { store } = useConsole();
  const asks = state === 'running' && store.directory.value.approvals.some((approval) => approval.call.id === call.id);
  // Until somebody chooses, what failed is open: also when it failed after the card was drawn.
  const [chosen, setChosen] = useState<boolean>();
  const expanded = chosen ?? state === 'failed';
  return (
    <div class={`tool ${state}`} data-call={call.id}>
      <button type="button" class="tool-head" aria-expanded={expanded} onClick={() => setChosen(!expanded)}>
        <StateMark state={state} asks={asks} />
        <span class="tool-name">{call.name}</span>
        <span class="tool-argument">{argumentLine(call)}</span>
        <Changes data={view.data} />
        <span class="tool-time">{state === 'running' ? <Elapsed since={view.startedAt} /> : timeOf(view)}</span>
        <Icon name={expanded ? 'down' : 'right'} />
      </button>
      {view.answer?.images && !expanded && <p class="note">{plural(view.answer.images.length, 'image')} inside</p>}
      {expanded && <ToolBody view={view} sessionId={sessionId} />}
    </div>
  );
}

function StateMark({ state, asks }: { state: CallView['state']; asks: boolean }) {
  const words = { running: 'running', done: 'done', failed: 'failed', unfinished: 'not finished' };
  return (
    <span class={`mark ${state}`}>
      {state === 'running' ? (
        <span class="pulse" aria-hidden="true" />
      ) : (
        <Icon name={state === 'done' ? 'check' : state === 'failed' ? 'cross' : 'warn'} />
      )}
      <span class={state === 'done' ? 'visually-hidden' : ''}>{asks ? 'waits for you' : words[state]}</span>
    </span>
  );
}

function Changes({ data }: { data: unknown }) {
  const { additions, deletions, exitCode } = Object(data) as Record<string, unknown>;
  if (typeof exitCode === 'number' && exitCode !== 0) return <span class="exit-code">exit {exitCode}</span>;
  if (typeof additions !== 'number' || typeof deletions !== 'number') return null;
  return (
    <span class="changes">
      <span class="added">+{additions}</span> <span class="deleted">-{deletions}</span>
    </span>
  );
}

function Elapsed({ since }: { since: string | undefined }) {
  const now = useNow(true);
  return <>{since ? duration(now - Date.parse(since)) : ''}</>;
}

function timeOf({ durationMs }: CallView): string {
  return durationMs === undefined ? '' : duration(durationMs);
}
