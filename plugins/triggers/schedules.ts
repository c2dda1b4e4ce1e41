import {
  type Clock,
  type Logger,
  messageOf,
  ServiceError,
  type Services,
  type Undo,
} from '../../lib/plugin-api/index.ts';
import { type CronTimes, parseCron } from './cron.ts';
import { type Job, jobOf, type Launch, type Launched } from './job.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { ScheduleOptions } from './options.ts';

export interface Schedule {
  readonly job: Job;
  readonly cron: string;
  readonly times: CronTimes;
  readonly ledger: Ledger;
  /** From the decision to start until the run is over. */
  active: boolean;
}

/** Throws an Error that names the schedule and what is wrong with it. */
export async function readSchedules(
  configured: readonly ScheduleOptions[],
  { state, log }: { state: Services['state']; log: Logger },
): Promise<Schedule[]> {
  const schedules: Schedule[] = [];
  for (const options of configured) {
    const { id, cron } = options;
    if (schedules.some(({ job }) => job.id === id)) throw new Error(`There are two schedules with the id "${id}".`);
    const ledger = await openLedger(id, state, log);
    schedules.push({ job: jobOf(id, options), cron, times: timesOf(id, cron), ledger, active: false });
  }
  return schedules;
}

export interface SchedulerOptions {
  tickMs: number;
  clock: Clock;
  log: Logger;
  launch: Launch;
}

const minuteMs = 60_000;

/**
 * Starts what is due (contract: Triggers): once a minute at most, nothing that was missed, nothing while the previous run
 * is active. Looks every `tickMs`, and at the turn of each minute. The result ends it.
 */
export function runSchedules(schedules: readonly Schedule[], options: SchedulerOptions): Undo {
  const { tickMs, clock, log } = options;
  let disarm: Undo = () => undefined;
  const arm = (): void => {
    disarm = clock.after(Math.min(tickMs, minuteMs - (clock.now() % minuteMs)), tick);
  };
  const tick = (): void => {
    const now = clock.now();
    const minute = Math.floor(now / minuteMs);
    for (const schedule of schedules) {
      if (!schedule.times.matches(now) || schedule.ledger.has(minute)) continue;
      fire(schedule, minute, options).catch((error: unknown) => {
        const why = messageOf(error);
        log.warn(`The schedule "${schedule.job.id}" did not start: ${why}`);
      });
    }
    arm();
  };
  if (schedules.length > 0) arm();
  return () => disarm();
}

/** Starts a schedule now, whatever the time. Throws `conflict` while its previous run is active. */
export async function startSchedule(schedule: Schedule, launch: Launch): Promise<Launched> {
  const { job, ledger } = schedule;
  if (schedule.active)
    throw new ServiceError('conflict', `The previous run of the schedule "${job.id}" is still active.`);
  schedule.active = true;
  try {
    const launched = await launch(job, '{}');
    void launched.outcome.then(() => {
      schedule.active = false;
    });
    await ledger.ran({ sessionId: launched.sessionId, at: launched.at });
    return launched;
  } catch (error) {
    schedule.active = false;
    throw error;
  }
}

/** The minute is durably handled before anything starts: a crash in between skips it rather than doing it twice. */
async function fire(schedule: Schedule, minute: number, { log, launch }: SchedulerOptions): Promise<void> {
  const handled = schedule.ledger.handle(minute);
  if (schedule.active) {
    log.warn(`The schedule "${schedule.job.id}" is skipped: its previous run is still active.`);
    return handled;
  }
  await handled;
  await startSchedule(schedule, launch);
}

function timesOf(id: string, cron: string): CronTimes {
  try {
    return parseCron(cron);
  } catch (error) {
    // Some of the parser's sentences end with a full stop, ours do not.
    throw new Error(`The schedule "${id}" has an unusable cron: ${messageOf(error).replace(/\.$/, '')}.`);
  }
}
