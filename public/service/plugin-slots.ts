import { effect, type Signal, signal } from '@preact/signals';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Console } from './console.ts';
import { keep, readKept } from './kept.ts';

const stoppedKey = 'service.plugins.stopped';

/** The sandbox, once it is known that some plugin needs it; views are drawn again when `revision` changes. */
export interface PluginSlots {
  sandbox: Signal<Sandbox | undefined>;
  revision: Signal<number>;
  isStopped(pluginId: string): boolean;
  /** Stops a bundle in this browser, or lets it run again; remembered. */
  allow(pluginId: string, allowed: boolean): void;
}

/** Loads the code of the sandbox only when a plugin has a browser part, and follows saves while hot reload is on. */
export function createPluginSlots(console: Console): PluginSlots {
  const { store } = console;
  const stopped = new Set(readStopped());
  const sandbox = signal<Sandbox | undefined>(undefined);
  const revision = signal(0);

  let asked = 0;
  const load = async (): Promise<void> => {
    const mine = ++asked;
    const { plugins } = await console.api().plugins();
    // Asked again, or signed out, meanwhile.
    if (mine !== asked) return;
    if (!plugins.some(({ state, web }) => state === 'active' && web)) return sandbox.value?.load([]);
    const { createSandbox } = await import('../sandbox/sandbox.ts');
    sandbox.value ??= createSandbox({
      base: new URL('.', document.baseURI).href,
      token: () => console.credentials.token,
      stopped,
      into: document.body,
      changed() {
        // Told inside of the effect below, too, which must not follow it.
        revision.value = revision.peek() + 1;
      },
      report: (message) => console.say(message, 'danger'),
      submit: ({ sessionId, text, plugin, asked }) => submit(console, { sessionId, text, plugin, asked }),
    });
    sandbox.value.load(plugins);
    if (plugins.some(({ web }) => web?.revision)) console.followBundles(() => void load().catch(() => undefined));
  };
  effect(() => {
    if (store.access.value.state === 'in') load().catch(() => undefined);
    else {
      asked++;
      sandbox.peek()?.load([]);
    }
  });

  return {
    sandbox,
    revision,
    isStopped: (id) => stopped.has(id),
    allow(id, allowed) {
      if (allowed) stopped.delete(id);
      else stopped.add(id);
      keep(stoppedKey, JSON.stringify([...stopped]));
      sandbox.value?.allow(id, allowed);
    },
  };
}

/** A bundle sends at once when a person has just clicked in it; otherwise they are asked. */
function submit(
  { store, workbench, say }: Console,
  { sessionId, text, plugin, asked }: { sessionId: string; text: string; plugin: string; asked: boolean },
): void {
  const send = async (): Promise<void> => {
    if (store.directory.value.sessions.get(sessionId)?.status === 'running')
      return void say(`${plugin} could not send: a run is active.`, 'danger');
    if (await workbench.send(sessionId, { text, images: [] })) say(`${plugin} sent a message.`);
  };
  if (asked) void send();
  else say(`${plugin} wants to send: ${text.slice(0, 200)}`, 'info', { label: 'Send', run: () => void send() });
}

function readStopped(): string[] {
  try {
    const kept: unknown = JSON.parse(readKept(stoppedKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
