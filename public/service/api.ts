import { type ClientOptions, createSend } from '../../lib/client/connection.ts';
import { readEvents } from '../../lib/client/events.ts';
import type { Client } from '../../lib/client/index.ts';
import { createRoutes } from '../../lib/client/routes.ts';

/** The client without what only programs need: the bytes count on every first load. */
export type Api = Omit<Client, 'pluginEvents' | 'sendAndWait'>;

export function createApi(options: ClientOptions): Api {
  const send = createSend(options);
  return { ...createRoutes(send), events: (select) => readEvents(send, select) };
}
