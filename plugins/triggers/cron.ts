import { type Cron, parseCronExpression } from 'cron-schedule';

/** The minutes of UTC that an expression names. */
export interface CronTimes {
  matches(ms: number): boolean;
  /** The first matching minute after the one of `ms`, as milliseconds; undefined when there is none within eight years. */
  next(ms: number): number | undefined;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The longest time between two days that match: from one February 29 to the next over a year like 2100. */
const mostDays = 8 * 366;

const fields = [
  { name: 'minute', most: 60 },
  { name: 'hour', most: 24 },
  { name: 'day of month', most: 31 },
  { name: 'month', most: 12 },
  { name: 'day of week', most: 7 },
] as const;

/**
 * Five fields in UTC (contract: Triggers). The library's parser reads them; what it would silently misread ("5/10",
 * "1.5", six fields, a step beyond the range) is refused before. Throws an Error that says what is wrong.
 */
export function parseCron(expression: string): CronTimes {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length)
    throw new Error(`it has ${parts.length} fields instead of five: minute hour day-of-month month day-of-week`);
  for (const [index, field] of fields.entries()) {
    const text = parts[index] ?? '';
    if (!text.split(',').every((item) => isItem(item, field.most)))
      throw new Error(`"${text}" is no ${field.name}: use *, numbers, lists, ranges and steps like */15 or 0-30/10`);
  }
  const times = timesOf(parseCronExpression(parts.join(' ')));
  if (times.next(0) === undefined) throw new Error('no date ever matches it');
  return times;
}

function isItem(item: string, most: number): boolean {
  const match = /^(?:(?:\*|[a-z\d]+-[a-z\d]+)(?:\/(\d{1,2}))?|[a-z\d]+)$/i.exec(item);
  if (match === null) return false;
  const values = item.replace(/\/.*$/, '').split('-');
  const step = match[1] === undefined ? 1 : Number(match[1]);
  return values.every((value) => /^(?:\*|\d{1,2}|[a-z]{3})$/i.test(value)) && step >= 1 && step <= most;
}

function timesOf({ minutes, hours, days, months, weekdays }: Cron): CronTimes {
  const eitherDay = days.length < 31 && weekdays.length < 7;
  const isDay = (date: Date): boolean => {
    if (!months.includes(date.getUTCMonth())) return false;
    const ofMonth = days.includes(date.getUTCDate());
    const ofWeek = weekdays.includes(date.getUTCDay());
    return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
  };
  return {
    matches(ms) {
      const date = new Date(ms);
      return minutes.includes(date.getUTCMinutes()) && hours.includes(date.getUTCHours()) && isDay(date);
    },
    next(ms) {
      const midnight = Math.floor(ms / dayMs) * dayMs;
      for (let day = 0; day <= mostDays; day++) {
        const start = midnight + day * dayMs;
        if (!isDay(new Date(start))) continue;
        for (const hour of hours) {
          for (const minute of minutes) {
            const at = start + (hour * 60 + minute) * minuteMs;
            if (at > ms) return at;
          }
        }
      }
      return undefined;
    },
  };
}
