import { isRecord, type Logger, listOf, parseJson, type Services } from '../../lib/plugin-api/index.ts';
import type { Last } from './job.ts';

/** What a schedule has done, kept across restarts. */
export interface Ledger {
  /** True when the minute was handled before. A minute is the number of minutes since the epoch. */
  has(minute: number): boolean;
  /** Notes a minute as handled: in memory at once, durable when it resolves. */
  handle(minute: number): Promise<void>;
  readonly last: Last | undefined;
  /** Notes the latest session, for those who look. Never rejects. */
  ran(last: Last): Promise<void>;
}

/** As many as matter when the clock jumps to and fro. */
const keptMinutes = 16;
/** A clock that is set back by up to a day does not fire what it has fired. */
const dayMinutes = 24 * 60;

/**
 * Reads what a schedule has done. A minute counts as handled when it, or one up to a day later, was: so a clock set back
 * repeats nothing, and a mark far in the future, left by a clock that was wrong, blocks nothing.
 */
export async function openLedger(id: string, state: Services['state'], log: Logger): Promise<Ledger> {
  const key = `triggers-${id}`;
  const stored = readStored(await state.read(key));
  if (stored.damaged) log.warn(`What the schedule "${id}" has done is unreadable; it starts anew.`);
  let { minutes, last } = stored;
  const write = () => state.write(key, JSON.stringify({ minutes, last }));
  return {
    has: (minute) => minutes.some((handled) => handled >= minute && handled <= minute + dayMinutes),
    handle(minute) {
      minutes = [...minutes, minute].slice(-keptMinutes);
      return write();
    },
    get last() {
      return last;
    },
    async ran(latest) {
      last = latest;
      await write().catch((error: unknown) =>
        log.warn(`The latest session of the schedule "${id}" could not be noted.`, { error }),
      );
    },
  };
}

function readStored(text: string | undefined): { minutes: number[]; last: Last | undefined; damaged: boolean } {
  const value = text === undefined ? {} : parseJson(text);
  if (!isRecord(value)) return { minutes: [], last: undefined, damaged: true };
  const minutes = listOf(value.minutes).filter((minute): minute is number => Number.isInteger(minute));
  return { minutes, last: lastOf(value.last), damaged: false };
}

function lastOf(value: unknown): Last | undefined {
  if (!isRecord(value) || typeof value.sessionId !== 'string' || typeof value.at !== 'string') return undefined;
  return { sessionId: value.sessionId, at: value.at };
}
