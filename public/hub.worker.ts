import { createHub } from './service/hub.ts';

/** The shared worker: every tab of the browser connects here. */
const hub = createHub();
self.addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0];
  if (port) hub.connect(port);
});
