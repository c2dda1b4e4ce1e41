import { type Frame, openFrame } from './frame.ts';
import type { Extension, Init } from './protocol.ts';

export type Discovery = { ok: true; extensions: Extension[] } | { ok: false; message: string };

const timeoutMs = 5_000;

/** Runs a bundle's activation in a hidden frame to learn what it registers. Never rejects; 5 s from its start at most. */
export function discover(options: { url: string; title: string; init: Init; into: Element }): Promise<Discovery> {
  return new Promise((resolve) => {
    const place = document.createElement('div');
    place.className = 'plugin-discovery';
    options.into.append(place);
    let frame: Frame | undefined;
    const end = (result: Discovery): void => {
      clearTimeout(timer);
      frame?.remove();
      place.remove();
      resolve(result);
    };
    const timer = setTimeout(
      () => end({ ok: false, message: 'It did not say within 5 seconds what it adds.' }),
      timeoutMs,
    );
    frame = openFrame({
      ...options,
      into: place,
      onBreach: (reason) => end({ ok: false, message: `It was stopped: ${reason}.` }),
      onMessage(message) {
        if (message.t === 'fail') end({ ok: false, message: message.message });
        else if (message.t === 'discovered' && message.extensions.length === 0)
          end({ ok: false, message: 'It registers nothing that the console knows.' });
        else if (message.t === 'discovered') end({ ok: true, extensions: message.extensions });
      },
    });
  });
}
