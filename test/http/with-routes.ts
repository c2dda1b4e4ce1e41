import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import type { PluginRoute } from '../../lib/plugin-api/services.ts';
import { type FakeAppOptions, fakeApp } from '../helpers/fake-app.ts';
import { invoke } from '../helpers/invoke.ts';

const signal = new AbortController().signal;
const handlers = [endpoint('GET /api/health', { access: 'public', handle: () => json({}) })];

/** A router with the routes of a plugin `acme`, called without a socket. */
export function withRoutes(routes: PluginRoute[], options: FakeAppOptions = {}) {
  const { app, logged } = fakeApp(options);
  const undo = routes.map((route) => app.routes.register(route, 'acme'));
  const router = createRouter(handlers, app);
  const call = (path: string, init?: RequestInit) => invoke(router, { signal }, path, init);
  return { app, call, undo, logged };
}
