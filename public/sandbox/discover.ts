import { type Frame, openFrame } from './frame.ts';
import type { Extension, Init } from './protocol.ts';

export type Discovery =
  | { ok: true; extensions: Extension[] }
  | {
      ok: false;
      message: string;
      /** It did not even answer a ping: it loops, or another frame does, because the browser may run all of them in one process. */
      hung: boolean;
      /** Its activation began, as far as is known. */
      begun: boolean;
    };

const timeoutMs = 5_000;
const pingAtMs = 3_500;
const loadMs = 15_000;
const elsewhere =
  'The service does not know its address, so that frames of bundles may not open. A proxy in front of it must pass `Host` on and name a path that it takes away in `X-Forwarded-Prefix`.';

/**
 * Runs a bundle's activation in a hidden frame to learn what it registers. Never rejects. Activation has 5 s, the
 * document before it 15 s, so that a slow connection is not the bundle's fault.
 */
export function discover(options: { url: string; title: string; init: Init; into: Element }): Promise<Discovery> {
  return new Promise((resolve) => {
    const place = document.createElement('div');
    place.className = 'plugin-discovery';
    options.into.append(place);
    let frame: Frame | undefined;
    let answered = false;
    let begun = false;
    const end = (result: Discovery): void => {
      removeEventListener('securitypolicyviolation', onViolation);
      for (const timer of timers) clearTimeout(timer);
      frame?.remove();
      place.remove();
      resolve(result);
    };
    const fail = (message: string, hung = false): void => end({ ok: false, message, hung, begun });
    const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
      // Of another frame's navigation no more than the origin is told.
      if (effectiveDirective === 'frame-src' && blockedURI.split('?')[0] === options.url.split('?')[0]) fail(elsewhere);
    };
    addEventListener('securitypolicyviolation', onViolation);
    const timers = [setTimeout(() => fail('Its document did not load within 15 seconds.', true), loadMs)];
    frame = openFrame({
      ...options,
      into: place,
      onGreet() {
        begun = true;
        clearTimeout(timers.pop());
        timers.push(setTimeout(() => frame?.post({ t: 'ping', n: 0 }), pingAtMs));
        timers.push(setTimeout(() => fail('It did not say within 5 seconds what it adds.', !answered), timeoutMs));
      },
      onBreach: (reason) => fail(`It was stopped: ${reason}.`),
      onMessage(message) {
        if (message.t === 'pong') answered = true;
        else if (message.t === 'fail') fail(message.message);
        else if (message.t === 'focus') fail('It took the keyboard while it was looked at.');
        else if (message.t === 'discovered' && message.extensions.length === 0)
          fail('It registers nothing that the console knows.');
        else if (message.t === 'discovered') end({ ok: true, extensions: message.extensions });
      },
    });
    // No key leads here, and no pointer.
    frame.element.tabIndex = -1;
  });
}
