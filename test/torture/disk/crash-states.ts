import type { Random } from '../../helpers/random.ts';
import { type Arrival, applyData, applyName, copyImage, type DiskImage, sectorBytes } from './disk-image.ts';
import { isData } from './disk-operation.ts';
import type { PendingOperation, Platter } from './platter.ts';

/** One disk that a power cut may leave. */
export interface CrashState {
  image: DiskImage;
  /** What became of each operation that no sync had covered. */
  fates: string;
}

/** What may become of one operation: its name, and for bytes how they arrived; undefined is never. */
interface Fate {
  name: string;
  arrival: Arrival | undefined;
}

const kept: Fate = { name: 'kept', arrival: 'whole' };
const lost: Fate = { name: 'lost', arrival: undefined };

/**
 * The states that a cut at this moment may leave. Every operation that no sync covers meets its fate on its own: kept,
 * lost (in any order: a later one may survive an earlier one), and bytes torn at sectors, with holes, or with nothing but
 * their length; the last write also at any byte. All combinations when there are at most `most`, a sample of that many otherwise.
 */
export function* crashStates(
  { durable, pending }: Pick<Platter, 'durable' | 'pending'>,
  { most, random }: { most: number; random: Random },
): Generator<CrashState> {
  const lastWrite = pending.findLast(({ operation }) => operation.kind === 'write');
  const fates = pending.map((each) => fatesOf(each, { isLast: each === lastWrite, random }));
  const combinations = fates.reduce((product, list) => product * list.length, 1);
  const choices = combinations <= most ? allChoices(fates) : sampledChoices(fates, { most, random });
  for (const choice of choices) yield { image: imageOf(durable, pending, choice), fates: describe(pending, choice) };
}

function fatesOf({ operation }: PendingOperation, { isLast, random }: { isLast: boolean; random: Random }): Fate[] {
  if (operation.kind !== 'write') return [kept, lost];
  const { at, bytes } = operation;
  const first = Math.floor(at / sectorBytes);
  const last = Math.floor((at + bytes.length - 1) / sectorBytes);
  const torn: Fate[] = [{ name: 'zeros', arrival: 'zeros' }];
  if (last > first) {
    for (const sector of new Set([first, last - 1, first + random.below(last - first)]))
      torn.push({ name: `up to sector ${sector}`, arrival: { sectors: (each) => each <= sector } });
    torn.push({ name: `without sector ${first}`, arrival: { sectors: (each) => each > first } });
    torn.push({ name: `sector ${last} alone`, arrival: { sectors: (each) => each === last } });
  }
  if (isLast)
    for (const toByte of new Set([1, bytes.length - 1, random.below(bytes.length)]))
      torn.push({ name: `${toByte} bytes`, arrival: { sectors: () => true, toByte } });
  return [kept, lost, ...torn];
}

function* allChoices(fates: Fate[][]): Generator<Fate[]> {
  const [first, ...rest] = fates;
  if (!first) {
    yield [];
    return;
  }
  for (const tail of allChoices(rest)) for (const fate of first) yield [fate, ...tail];
}

/** What breaks stores in practice first: a prefix, one that is missing, one that is alone, one that is torn; then chance. */
function* sampledChoices(fates: Fate[][], { most, random }: { most: number; random: Random }): Generator<Fate[]> {
  const uniform = (fate: Fate): Fate[] => fates.map(() => fate);
  yield uniform(kept);
  yield uniform(lost);
  for (let count = 2; count < most; count++) {
    const at = random.below(fates.length);
    const fate = anyOf(fates[at] ?? [], random);
    const style = random.below(4);
    if (style === 0) yield fates.map((_, index) => (index < at ? kept : index > at ? lost : fate));
    else if (style === 1) yield uniform(kept).with(at, fate);
    else if (style === 2) yield uniform(lost).with(at, fate);
    else yield fates.map((list) => anyOf(list, random));
  }
}

function anyOf(fates: Fate[], random: Random): Fate {
  return fates[random.below(fates.length)] ?? kept;
}

function imageOf(durable: DiskImage, pending: PendingOperation[], choice: Fate[]): DiskImage {
  const image = copyImage(durable);
  pending.forEach(({ operation }, at) => {
    const arrival = choice[at]?.arrival;
    if (arrival === undefined) return;
    if (isData(operation)) applyData(image, operation, arrival);
    else applyName(image, operation);
  });
  return image;
}

/** Lists what differs from the more frequent of all kept and all lost. */
function describe(pending: PendingOperation[], choice: Fate[]): string {
  const count = (fate: Fate): number => choice.filter((each) => each === fate).length;
  const usual = count(kept) >= count(lost) ? kept : lost;
  const others = pending.flatMap(({ index, operation }, at) => {
    const what = isData(operation) ? `node ${operation.node}` : operation.slot.name;
    return choice[at] === usual ? [] : [`${index} ${operation.kind} ${what}: ${choice[at]?.name}`];
  });
  return [`${count(usual)} of ${pending.length} unsynced operations ${usual.name}`, ...others].join('; ');
}
