import type { PluginInfo } from '../../../lib/wire/plugin.ts';
import { messageOf } from '../../service/console.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
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
    <>
      <p data-bundle-state={report.state}>{states[report.state]}</p>
      {report.problems.map((problem) => (
        <p class="problem" key={problem}>
          {problem}
        </p>
      ))}
      {report.refused.map((call) => (
        <p class="note" key={call}>
          {call}
        </p>
      ))}
      <p class="note">
        A bundle sees no token and reaches no other server, but it can read what it may read and what its place shows,
        and a hostile one could leak a little of that through name look-ups. Install only what you trust.
      </p>
      <Button onClick={() => slots.allow(id, !on)}>{on ? 'Stop in this browser' : 'Run in this browser'}</Button>
    </>
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
