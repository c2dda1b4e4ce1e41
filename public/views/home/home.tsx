import { useState } from 'preact/hooks';
import { emptyDraft } from '../../state/drafts.ts';
import { Composer } from '../composer/composer.tsx';
import { ModelPicker } from '../composer/model-picker.tsx';
import { useConsole } from '../context.tsx';
import { lazyView } from '../parts/lazy-view.tsx';
import { Setup } from './setup.tsx';

const NoModel = lazyView(() => import('./no-model.tsx').then((module) => module.NoModel));
const TryByHand = lazyView(() => import('./try-by-hand.tsx').then((module) => module.TryByHand));

const ideas = ['List files', 'Search for import', 'Explain this workspace'];

/** Where work begins: one question, and what this service has. */
export function Home() {
  const { store, workbench, drafts } = useConsole();
  const [model, setModel] = useState<string>();
  const [workspace, setWorkspace] = useState('');
  const boot = store.boot.value;
  const chosen = model ?? store.config.value?.model.default ?? boot?.models[0]?.id;
  const open = store.me.value?.mode === 'none' && !['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  const put = (text: string) => {
    drafts.set('new', { ...drafts.get('new'), text });
    dispatchEvent(new CustomEvent('service:draft', { detail: 'new' }));
  };
  return (
    <div class="home">
      <div class="column">
        {open && (
          <p class="banner danger" role="alert">
            Anyone who reaches this address can run agents here: no authentication is configured. Set server.token.
          </p>
        )}
        <h1>What should the agent do?</h1>
        {boot?.models.length === 0 ? (
          <NoModel />
        ) : (
          <>
            <Composer
              draftKey="new"
              placeholder="Describe a task. Images can be pasted or dropped here."
              focus
              onSend={(draft) =>
                workbench.begin(
                  draft,
                  {
                    ...(model === undefined ? {} : { model }),
                    ...(workspace.trim() === '' ? {} : { workspace: workspace.trim() }),
                  },
                  (id) => {
                    // What was typed meanwhile was meant for the session.
                    drafts.set(id, drafts.get('new'));
                    drafts.set('new', emptyDraft);
                  },
                )
              }
            >
              <ModelPicker value={chosen} onChange={setModel} />
              <label class="picker workspace">
                <span class="visually-hidden">Workspace</span>
                <input
                  value={workspace}
                  placeholder={store.config.value?.agent.workspace ?? 'default workspace'}
                  title="Workspace: an absolute path on the server"
                  onInput={(event) => setWorkspace(event.currentTarget.value)}
                />
              </label>
            </Composer>
            <p class="ideas">
              <span class="muted">Try</span>
              {ideas.map((idea) => (
                <button type="button" class="chip" key={idea} onClick={() => put(idea)}>
                  {idea}
                </button>
              ))}
            </p>
          </>
        )}
        <p class="hint muted">
          <kbd>Enter</kbd> sends <kbd>Shift Enter</kbd> makes a line <kbd>Ctrl K</kbd> finds everything
        </p>
        <Setup />
        <TryByHand />
      </div>
    </div>
  );
}
