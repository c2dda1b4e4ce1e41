import { homedir } from 'node:os';
import type { Browser } from 'playwright-core';
import { messageOf } from '../../lib/plugin-api/index.ts';
import type { BrowserOptions } from './options.ts';

/** What the browser gets of the service's environment. */
const passed =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR)$/;

/** UDP would pass the proxy by. */
const contained = ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--disable-quic'];

/**
 * Starts the browser, controlled through a pipe: it ends with the service, also when that is killed. Rejects with an
 * error for people.
 */
export async function launchBrowser(executable: string, options: BrowserOptions): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const isRoot = process.getuid?.() === 0;
  const environment = Object.entries(process.env).filter(([name]) => passed.test(name));
  try {
    return await chromium.launch({
      executablePath: executable,
      args: [...contained, ...options.args],
      headless: options.headless,
      chromiumSandbox: !(options.noSandbox ?? isRoot),
      timeout: options.timeoutMs,
      env: { HOME: homedir(), ...Object.fromEntries(environment) },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const text = messageOf(error);
    const cause = /no usable sandbox|namespace/i.test(text)
      ? 'its sandbox is not available here; "noSandbox": true of the plugin browser starts it without'
      : (text.split('\n').find((line) => line.trim() !== '') ?? 'for no known reason').slice(0, 300);
    throw new Error(`The browser ${executable} could not be started: ${cause}.`);
  }
}
