import type { PluginInfo } from '../../lib/wire/plugin.ts';
import type { WorkspaceFile } from '../../lib/wire/workspace.ts';
import { type Bundle, createBundle, documentUrl, initOf, nothing, type PluginReport } from './bundle.ts';
import { discover } from './discover.ts';
import { createExaminer } from './examiner.ts';
import { guardFocus } from './focus-guard.ts';
import { keepAlive } from './keep-alive.ts';
import { createMounted, type Mounted } from './mounted.ts';
import type { Extension, Slot } from './protocol.ts';
import { createRestart } from './restart.ts';
import { byOrder, contextFields, type SlotMessage, submittedText } from './slot-rules.ts';
import { readTheme, watchTheme } from './theme.ts';
import { startWatchdog } from './watchdog.ts';

/** An extension of a plugin that was discovered. `key` changes with the bundle's revision. */
export interface Found extends Extension {
  key: string;
  pluginId: string;
  title: string;
  /** The revision that was saved last does not work; said in its place. */
  problem?: string;
}

export interface SandboxOptions {
  /** The address of the service, with a trailing slash. */
  base: string;
  token(): string | undefined;
  /** Plugins that this browser does not run. */
  stopped: ReadonlySet<string>;
  /** Where discovery frames may stand. */
  into: Element;
  /** What extensions there are, or a report, changed. */
  changed(): void;
  /** Told once per plugin and cause. */
  report(message: string): void;
  /** A bundle wants to send; `asked` when a person has just clicked in it, otherwise ask them first. */
  submit(request: { sessionId: string; text: string; plugin: string; asked: boolean }): void;
}

/** Everything the console needs of plugin bundles (contract: Plugin browser bundles). */
export interface Sandbox {
  /** Takes what the service lists: new and changed bundles are discovered one after the other, others stay. */
  load(plugins: readonly PluginInfo[]): void;
  extensions(slot: Slot): readonly Found[];
  /** Puts an extension into an element; the returned function takes it away. */
  mount(
    into: HTMLElement,
    found: Found,
    given: { sessionId?: string; message?: SlotMessage; file?: WorkspaceFile; onFail?(): void },
  ): () => void;
  reportOf(pluginId: string): PluginReport | undefined;
  /** Stops a bundle in this browser, or lets it run again. */
  allow(pluginId: string, allowed: boolean): void;
  close(): void;
}

const submitEveryMs = 2_000;
const inputMs = 5_000;
const maxProblems = 50;

/** Guards the keyboard and follows the theme from now on, until `close`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const bundles = new Map<string, Bundle>();
  const stopped = new Set(options.stopped);
  const mounts = new Set<Mounted>();
  const heights = new Map<string, number>();
  const lastSubmit = new Map<string, number>();
  const near = keepAlive(mounts);

  /** Every problem is kept once; of each kind the first is announced. */
  const say = (id: string, problem: string, kind: string): void => {
    const bundle = bundles.get(id);
    if (!bundle || bundle.problems.has(problem) || bundle.problems.size >= maxProblems) return;
    bundle.problems.add(problem);
    if (!bundle.announced.has(kind)) options.report(`${bundle.info.name}: ${problem}`);
    bundle.announced.add(kind);
    options.changed();
  };
  const quarantine = (id: string, reason: string): void => {
    const bundle = bundles.get(id);
    if (!bundle || bundle.state === 'quarantined') return;
    bundle.state = 'quarantined';
    bundle.shown = nothing;
    for (const mounted of mounts)
      if (mounted.pluginId === id) mounted.fail(`${bundle.info.name} was stopped: ${reason}.`);
    say(id, `stopped: ${reason}.`, 'stopped');
    options.changed();
  };
  const restart = createRestart(mounts, {
    mayRun: (id) => bundles.get(id)?.state === 'ready',
    quarantine,
  });
  const examiner = createExaminer({
    restart,
    isCurrent: (bundle) => bundles.get(bundle.info.id) === bundle && bundle.state === 'checking',
    run: (bundle) =>
      discover({
        url: documentUrl(bundle, options.base),
        title: bundle.info.name,
        init: initOf(bundle, undefined, { base: options.base }),
        into: options.into,
      }),
    done(bundle, found) {
      bundle.state = found.ok ? 'ready' : 'failed';
      const { key, shown } = bundle;
      if (found.ok) bundle.shown = { key, extensions: found.extensions };
      else bundle.shown = { ...shown, key: `${key}/failed`, problem: found.message };
      if (found.ok) options.changed();
      else say(bundle.info.id, found.message, 'discovery');
      options.changed();
    },
  });
  const submit = (
    bundle: Bundle,
    raw: string,
    { sessionId, inputAt }: { sessionId?: string; inputAt: number },
  ): void => {
    const text = submittedText(raw);
    const { id, name } = bundle.info;
    if (text === undefined || sessionId === undefined || !bundle.web.capabilities.includes('composer.submit')) return;
    const now = performance.now();
    if (now - (lastSubmit.get(id) ?? Number.NEGATIVE_INFINITY) < submitEveryMs) return;
    lastSubmit.set(id, now);
    const asked = navigator.userActivation.isActive && now - inputAt < inputMs;
    options.submit({ sessionId, text, plugin: name, asked });
  };
  const post = (message: Parameters<Mounted['post']>[0]): void => {
    for (const mounted of mounts) mounted.post(message);
  };
  const guard = guardFocus(
    () => [...mounts].filter((mounted) => mounted.alive),
    ({ pluginId }) => {
      const bundle = bundles.get(pluginId);
      if (bundle && ++bundle.thefts >= 3) quarantine(pluginId, 'it took the keyboard three times');
    },
  );
  const stops = [
    watchTheme(() => post({ t: 'theme', theme: readTheme() })),
    guard.stop,
    restart.stop,
    startWatchdog(
      () => [...mounts].filter((mounted) => mounted.alive),
      () => examiner.busy || restart.busy,
      restart.hang,
    ),
    near.stop,
  ];

  return {
    load(plugins) {
      const wanted = plugins.filter(({ state, web }) => state === 'active' && web);
      for (const id of bundles.keys()) if (!wanted.some((info) => info.id === id)) bundles.delete(id);
      for (const info of wanted) {
        const { id, version, web } = info;
        const key = JSON.stringify([id, version, web?.revision]);
        if (!web || bundles.get(id)?.key === key) continue;
        const bundle = createBundle(info, { ...options, web, key, shown: bundles.get(id)?.shown });
        bundles.set(id, bundle);
        if (!stopped.has(id)) examiner.examine(bundle);
      }
      options.changed();
    },
    extensions(slot) {
      return [...bundles.values()]
        .flatMap(({ info, shown: { key, extensions, problem } }) =>
          extensions.map((extension) => ({
            ...extension,
            ...(problem === undefined ? {} : { problem }),
            key: `${key}/${extension.id}`,
            pluginId: info.id,
            title: info.name,
          })),
        )
        .filter((found) => found.slot === slot)
        .sort(byOrder);
    },
    mount(into, found, given) {
      const bundle = bundles.get(found.pluginId);
      if (!bundle) return () => undefined;
      const place = JSON.stringify([found.pluginId, found.id, given.sessionId, given.message?.id]);
      const fields = contextFields(found.slot, given);
      const mounted = createMounted({
        pluginId: found.pluginId,
        title: `${found.title}: ${found.id}`,
        slot: found.slot,
        into,
        url: documentUrl(bundle, options.base),
        init: () => initOf(bundle, found, { base: options.base, fields }),
        height: heights.get(place),
        mayOpen: () => restart.mayOpen(found.pluginId),
        onHeight: (height) => heights.set(place, height),
        onFocus: (turn) => guard.answer(mounted, turn),
        onRequest: (request, answer) => void bundle.proxy(request).then(answer),
        onSubmit(text) {
          if (found.slot === 'composer.actions') submit(bundle, text, { ...given, inputAt: mounted.inputAt });
        },
        onFail(message, stage) {
          say(found.pluginId, message, stage);
          given.onFail?.();
        },
        onBreach(reason) {
          quarantine(found.pluginId, reason);
          given.onFail?.();
        },
      });
      if (found.problem !== undefined) {
        mounted.fail(`${found.title} could not be shown: ${found.problem}`);
        return () => mounted.close();
      }
      mounts.add(mounted);
      const unwatch = found.slot === 'message.after' ? near.watch(into, mounted) : mounted.open();
      return () => {
        unwatch?.();
        mounts.delete(mounted);
        mounted.close();
      };
    },
    reportOf(id) {
      const bundle = bundles.get(id);
      return bundle && { state: bundle.state, problems: [...bundle.problems], refused: [...bundle.refused] };
    },
    allow(id, allowed) {
      const bundle = bundles.get(id);
      if (allowed) stopped.delete(id);
      else stopped.add(id);
      if (!bundle) return;
      bundle.problems.clear();
      bundle.announced.clear();
      bundle.thefts = 0;
      bundle.shown = nothing;
      if (allowed) examiner.examine(bundle);
      else bundle.state = 'stopped';
      options.changed();
    },
    close() {
      bundles.clear();
      for (const stop of stops) stop();
      for (const mounted of mounts) mounted.close();
      mounts.clear();
    },
  };
}
