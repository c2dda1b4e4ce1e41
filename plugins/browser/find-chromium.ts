import { findProgram } from '../../lib/plugin-api/index.ts';

const commands = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * The Chromium to start. Throws an error that says what to install; looked for at every start, so that an installation
 * helps at once.
 */
export async function findChromium(executable: string | undefined, path?: string): Promise<string> {
  for (const command of executable === undefined ? [...commands, ...applications] : [executable]) {
    const found = await findProgram(command, { path });
    if (found !== undefined) return found;
  }
  throw new Error(
    executable === undefined
      ? 'No Chromium is installed here. The operator can install one (Debian: apt-get install chromium; macOS: brew install --cask chromium) or name another in "executable" of the plugin browser. Until then, web_fetch reads pages without a browser.'
      : 'The browser that "executable" of the plugin browser names was not found, or can\'t be executed. The operator can correct it, or leave it out to use an installed Chromium.',
  );
}
