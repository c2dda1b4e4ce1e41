import type { Scale } from './metric.ts';

export interface Options {
  scale: Scale;
  rounds: number;
  /** Parts of the names of what to measure; all when there is none. */
  only: string[];
  /** Measure the relay with what no server of the contract may leave out, too. */
  floor: boolean;
  /** Driver files of further servers. */
  drivers: string[];
  json?: string;
  /** Where profiles of our own processes go. */
  profiles?: string;
}

const flags = ['quick', 'rounds', 'only', 'floor', 'driver', 'json', 'cpu-prof'];

/** Throws when a word is not known: a mistyped flag must not start twelve minutes of measuring something else. */
export function readOptions(words: string[]): Options {
  const given = words.map((word) => /^--([a-z-]+)(?:=(.*))?$/.exec(word) ?? [word, '']);
  const unknown = given.find(([, name = '']) => !flags.includes(name));
  if (unknown) throw new Error(`${unknown[0]} is not known; there are ${flags.map((flag) => `--${flag}`).join(', ')}`);
  const all = (wanted: string) => given.filter(([, name]) => name === wanted).map(([, , value]) => value ?? '');
  const quick = all('quick').length > 0;
  const scale: Scale = { quick, pick: (full, small) => (quick ? small : full) };
  const rounds = Number(all('rounds')[0] ?? scale.pick(2, 1));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1');
  const [json] = all('json');
  const [profiles] = all('cpu-prof');
  return {
    scale,
    rounds,
    only: all('only'),
    floor: all('floor').length > 0,
    drivers: all('driver'),
    ...(json !== undefined && { json }),
    ...(profiles !== undefined && { profiles }),
  };
}
