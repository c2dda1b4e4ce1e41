import { abortable } from '../../../lib/base/abortable.ts';
import type { Tool } from '../../../lib/tools/tool.ts';
import type { Seams } from './seams.ts';

export interface ToolWorld {
  tools: readonly Tool[];
  /** Lets the slow tool of a session end; false when none waits. */
  release(sessionId: string): boolean;
  waits(sessionId: string): boolean;
}

/** Tools that tell when their bodies begin. `leak` and `throws` say a secret of the service, `slow` waits to be released. */
export function toolWorld(
  secret: string,
  began: (call: { sessionId: string; callId: string; asks: boolean }) => void,
  gate?: Seams['gate'],
): ToolWorld {
  const waiting = new Map<string, () => void>();
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const tool = (name: string, execute: Tool['execute'], permission: 'auto' | 'ask' = 'auto'): Tool => ({
    name,
    description: `The tool ${name}.`,
    parameters,
    permission,
    async execute(args, context) {
      const { session, callId, signal } = context;
      began({ sessionId: session.id, callId, asks: permission === 'ask' });
      if (gate) await abortable(gate(`tool ${name}`, session.id), signal);
      return name === 'slow' && gate ? 'at last' : execute(args, context);
    },
  });
  return {
    tools: [
      tool('note', () => 'noted'),
      tool('risky', (_, { approved }) => (approved ? 'done' : { content: 'not approved', isError: true }), 'ask'),
      tool('leak', () => ({ content: `the key is ${secret}.`, data: { key: secret } })),
      tool('throws', () => {
        throw new Error(`could not sign in with ${secret}`);
      }),
      tool(
        'slow',
        (_, { session, signal }) =>
          new Promise<string>((resolve, reject) => {
            const end = (): void => {
              waiting.delete(session.id);
              signal.removeEventListener('abort', stop);
            };
            const stop = (): void => {
              end();
              reject(signal.reason);
            };
            signal.addEventListener('abort', stop, { once: true });
            waiting.set(session.id, () => {
              end();
              resolve('at last');
            });
          }),
      ),
    ],
    release(sessionId) {
      const go = waiting.get(sessionId);
      go?.();
      return go !== undefined;
    },
    waits: (sessionId) => waiting.has(sessionId),
  };
}
