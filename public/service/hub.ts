import type { HubPort, ToHub } from './hub-protocol.ts';
import { createHubStream, type HubStream } from './hub-stream.ts';

/** Brings tabs and streams together: one stream per token, however many tabs there are. */
export function createHub(): { connect(port: MessagePort): void } {
  const streams = new Map<string, HubStream>();

  return {
    connect(port) {
      const target: HubPort = port;
      let joined: { key: string; stream: HubStream } | undefined;
      const leave = (): void => {
        if (joined?.stream.remove(target)) streams.delete(joined.key);
        joined = undefined;
      };
      port.onmessage = ({ data }: MessageEvent<ToHub>) => {
        if (data.t === 'hello') {
          leave();
          const key = `${data.base}\n${data.token ?? ''}`;
          const stream = streams.get(key) ?? createHubStream(data.base, data.token);
          streams.set(key, stream);
          joined = { key, stream };
          stream.add(target);
        } else if (data.t === 'show') joined?.stream.show(target, data.sessionIds);
        else if (data.t === 'wake') joined?.stream.wake();
        else if (data.t === 'follow-bundles') joined?.stream.followBundles(target);
        else leave();
      };
      port.addEventListener('close', leave);
      port.start();
    },
  };
}
