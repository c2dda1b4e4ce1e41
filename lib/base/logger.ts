import type { Clock } from './clock.ts';
import type { LogFields, Logger, LogLevel } from './log.ts';

export interface LoggerOptions {
  level: LogLevel;
  format: 'text' | 'json';
  /** Receives one line with its newline. */
  write: (line: string) => void;
  clock: Pick<Clock, 'now'>;
  /** Applied to every finished line; see `SecretRegistry.redact`. */
  redact?: (text: string) => string;
}

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };
const longestValueChars = 4_000;
/** What could forge a line or steer a terminal: control characters, line separators, bidirectional marks. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * One line per entry, written at once. Errors among the fields appear as their message, with the stack only at level
 * debug. A field that cannot be serialised never throws.
 */
export function createLogger(options: LoggerOptions, inherited: LogFields = {}): Logger {
  const { level, format, write, clock, redact = (text) => text } = options;
  const enabled = severity[level];
  const render = format === 'json' ? jsonLine : textLine;

  function log(at: LogLevel, message: string, fields?: LogFields): void {
    if (severity[at] < enabled) return;
    const time = new Date(clock.now()).toISOString();
    const line = render({ time, level: at, message }, plainFields({ ...inherited, ...fields }, level === 'debug'));
    write(`${redact(line.replace(unprintable, escapeCharacter))}\n`);
  }
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    child: (fields) => createLogger(options, { ...inherited, ...fields }),
  };
}

interface Head {
  time: string;
  level: LogLevel;
  message: string;
}

function jsonLine(head: Head, fields: LogFields): string {
  return JSON.stringify({ ...fields, ...head });
}

function textLine({ time, level, message }: Head, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${textValue(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join('')}`;
}

function textValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function plainFields(fields: LogFields, withStack: boolean): LogFields {
  const plain: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (value instanceof Error) {
      plain[name] = value.message;
      if (withStack && value.stack !== undefined) plain[`${name}Stack`] = value.stack;
    } else plain[name] = plainValue(value);
  }
  return plain;
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return clip(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  try {
    const json = JSON.stringify(value, (_key, inner) => (inner instanceof Error ? inner.message : inner));
    if (json === undefined) return String(value);
    return json.length > longestValueChars ? clip(json) : JSON.parse(json);
  } catch {
    return '[unserialisable]';
  }
}

function clip(text: string): string {
  return text.length > longestValueChars ? `${text.slice(0, longestValueChars)}…` : text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
