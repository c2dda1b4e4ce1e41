import { type Check, fail, ok, warn } from './check.ts';

const oldestMajor = 20;
const oldestMinorOfIt = 18;
/** Last day of maintenance of each line that the service runs on. */
const endOfLife: Readonly<Record<number, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' };

/** The Node version: too old, past its end of life, or fine. Pure: `now` in Unix milliseconds. */
export function checkNode(version: string, now: number): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const subject = 'Node';
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinorOfIt))
    return fail(subject, `${version} is too old: ${oldestMajor}.${oldestMinorOfIt} or newer is needed.`);
  const end = endOfLife[major];
  if (end !== undefined && now > Date.parse(`${end}T23:59:59Z`))
    return warn(subject, `${version} works, but has had no security fixes since ${end}: move to Node 24 or 22.`);
  if (major % 2 === 1) return warn(subject, `${version} is a line without long-term support: Node 24 or 22 has it.`);
  return ok(subject, end === undefined ? `${version}.` : `${version}, maintained until ${end}.`);
}
