import { useEffect, useMemo } from 'preact/hooks';
import { read } from '../../state/directory.ts';
import type { Route } from '../../state/route.ts';
import { ApprovalDock } from '../approvals/dock.tsx';
import { Transcript } from '../chat/transcript.tsx';
import { Composer } from '../composer/composer.tsx';
import { ModelPicker } from '../composer/model-picker.tsx';
import { Queue } from '../composer/queue.tsx';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { lazyView } from '../parts/lazy-view.tsx';
import { PluginSlot } from '../plugins/plugin-slot.tsx';
import { SessionHeader } from './session-header.tsx';

const Files = lazyView(() => import('../files/files-page.tsx').then((module) => module.FilesPage));
const Checkpoints = lazyView(() =>
  import('../checkpoints/checkpoints-page.tsx').then((module) => module.CheckpointsPage),
);
const Info = lazyView(() => import('./session-info.tsx').then((module) => module.SessionInfo));

type SessionRoute = Extract<Route, { name: 'session' }>;

/** One session: its conversation, files, checkpoints and facts. */
export function SessionPage({ route }: { route: SessionRoute }) {
  const { store, sessions } = useConsole();
  const session = useMemo(() => sessions.open(route.id), [route.id]);
  const directory = store.directory.value;
  useEffect(() => {
    store.directory.value = read(store.directory.value, route.id);
  }, [route.id, directory.unread.has(route.id)]);
  const phase = session.phase.value;
  if (phase === 'missing')
    return (
      <div class="empty">
        <h2>This session is not there</h2>
        <p>It was deleted, or it belongs to somebody else.</p>
        <a class="button" href="#/">
          Start a new session
        </a>
      </div>
    );
  return (
    <div class="session" data-session={route.id}>
      <SessionHeader session={session} tab={route.tab} />
      <PluginSlot slot="session.header" sessionId={route.id} />
      {phase === 'failed' && (
        <div class="column">
          <p class="banner danger" role="alert">
            <span class="banner-text">The conversation could not be loaded: {session.problem.value}</span>
            <Button onClick={() => void sessions.reload(route.id)}>Try again</Button>
          </p>
        </div>
      )}
      {route.tab === 'chat' && (
        <>
          {phase === 'loading' ? (
            <div class="transcript-frame">
              <p class="empty" role="status">
                Loading the conversation…
              </p>
            </div>
          ) : (
            <Transcript session={session} messageId={route.messageId} />
          )}
          <Foot sessionId={route.id} />
        </>
      )}
      {route.tab === 'files' && <Files sessionId={route.id} path={route.path ?? ''} line={route.line} />}
      {route.tab === 'checkpoints' && <Checkpoints sessionId={route.id} />}
      {route.tab === 'info' && <Info sessionId={route.id} />}
    </div>
  );
}

/** Everything below the transcript: what waits, what is queued, the composer. */
function Foot({ sessionId }: { sessionId: string }) {
  const { store, workbench } = useConsole();
  const summary = store.directory.value.sessions.get(sessionId);
  const running = summary?.status === 'running';
  const stopping = store.open.get(sessionId)?.stopping.value ?? false;
  return (
    <div class="foot">
      <div class="column">
        <ApprovalDock sessionId={sessionId} />
        <Queue sessionId={sessionId} running={running} />
        <PluginSlot slot="composer.actions" sessionId={sessionId} />
        <Composer
          draftKey={sessionId}
          placeholder={running ? 'Write on: it is sent when the run is over' : 'Write a message'}
          focus
          queues={running}
          stopping={stopping}
          onStop={running ? () => void workbench.stop(sessionId) : undefined}
          onSend={(draft) => workbench.send(sessionId, draft)}
        >
          <ModelPicker
            value={summary?.model}
            disabled={running}
            onChange={(model) => void workbench.update(sessionId, { model })}
          />
        </Composer>
      </div>
    </div>
  );
}
