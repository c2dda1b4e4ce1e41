import type { PluginInfo } from '../../../lib/wire/plugin.ts';
import { grantWords } from '../../sandbox/grant-words.ts';
import { plural } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';

/** Every plugin with its state, and what its browser part may do, in words. */
export function Plugins() {
  const { api } = useConsole();
  const [list] = useLoaded(() => api().plugins(), []);
  if (list.state !== 'ready') return <Pending of={list} />;
  return (
    <>
      {list.value.plugins.some(({ web }) => web) && (
        <p class="note">
          What a plugin shows in the browser runs in a frame of its own: it sees no token and reaches no other server.
          It can read what is listed here and what its place shows, and in some browsers a hostile one could leak a
          little of that through name look-ups. The rest of a plugin runs in the service with all its rights. Install
          only what you trust.
        </p>
      )}
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
      {web && state === 'active' && <Bundle id={id} />}
    </section>
  );
}

const states = {
  checking: 'Being looked at.',
  ready: 'Runs in this browser.',
  failed: 'Did not start in this browser.',
  stopped: 'Stopped in this browser.',
  quarantined: 'Was stopped in this browser because it misbehaved.',
};

/** How the browser part fares here, and the switch. */
function Bundle({ id }: { id: string }) {
  const { slots } = useConsole();
  slots.revision.value;
  const report = slots.sandbox.value?.reportOf(id);
  if (!report) return null;
  const on = report.state === 'ready' || report.state === 'checking';
  return (
    <div class="bundle-state">
      <p data-bundle-state={report.state}>{states[report.state]}</p>
      {report.problems.map((problem) => (
        <p class="problem" key={problem}>
          {problem}
        </p>
      ))}
      {report.refused.length > 0 && (
        <details>
          <summary>{plural(report.refused.length, 'call')} refused</summary>
          <ul class="note">
            {report.refused.map((call) => (
              <li key={call}>{call}</li>
            ))}
          </ul>
        </details>
      )}
      <Button onClick={() => slots.allow(id, !on)}>{on ? 'Stop in this browser' : 'Run in this browser'}</Button>
    </div>
  );
}

/** What the browser part may read, change and do, in plain words. */
function Grants({ web }: { web: NonNullable<PluginInfo['web']> }) {
  const { readsAll, reads, writes, dangers, dropped } = grantWords(web.api);
  const sends = web.capabilities.includes('composer.submit');
  return (
    <div class="grants">
      <h3>In the browser it may</h3>
      <Facts
        of={{
          read: (
            <>
              {readsAll ? 'everything in the API that your login may read' : <Words words={reads} />}
              {web.api === undefined && <span class="muted"> (its manifest names no grants)</span>}
            </>
          ),
          change: <Words words={writes} dangers={dangers} />,
          send: sends ? 'what it likes as your message; without your click in it you are asked first' : 'nothing',
          'ignored, because it is no grant': dropped.length > 0 ? dropped.join(', ') : undefined,
          revision: web.revision,
        }}
      />
    </div>
  );
}

function Words({ words, dangers = [] }: { words: readonly string[]; dangers?: readonly string[] }) {
  if (words.length === 0) return <>nothing</>;
  return (
    <ul class="grant-words">
      {words.map((one) => (
        <li key={one} class={dangers.includes(one) ? 'problem' : ''}>
          {one}
        </li>
      ))}
    </ul>
  );
}
