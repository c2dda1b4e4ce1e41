import type { Random } from '../../helpers/random.ts';
import { changeAt, imageAt } from '../../store/scripted-changes.ts';
import { type Boot, metaKey } from './inspect.ts';
import type { Ledger } from './ledger.ts';
import { type Mortality, turn } from './mortality.ts';

interface Session {
  id: string;
  tenantId: string;
  revision: number;
  /** The last thing asked for; what comes next is asked for behind it, whether or not it was acknowledged. */
  asked: Promise<void>;
}

interface WorkOptions {
  random: Random;
  ledger: Ledger;
  mortality: Mortality;
}

/**
 * What a busy service does to its store, until it is killed or (once in a while) stopped: sessions of two tenants are
 * created, grow, get images, shrink and go, all at once; time passes, so that snapshots, purges and checkpoints come.
 */
export async function work(boot: Boot, { random, ledger, mortality }: WorkOptions): Promise<void> {
  const { store, clock, disk } = boot;
  const sessions: Session[] = boot.opened.sessions.map(({ id, tenantId, revision }) => ({
    id,
    tenantId,
    revision,
    asked: Promise.resolve(),
  }));
  const born = disk.trace.length;
  let created = 0;
  let stopping = false;
  let mark = Number((await store.readMeta(metaKey)) ?? 0);

  for (let steps = 20 + random.below(200); steps > 0 && !mortality.dead; steps--) {
    step();
    for (let turns = random.below(6); turns > 0; turns--) await turn();
  }
  // Otherwise it ends in the middle of everything.
  stopping = random.once(2);
  if (stopping) await mortality.orDeath(store.close());

  function step(): void {
    const dice = random.below(100);
    const session = sessions[random.below(sessions.length)];
    if (!session || (dice < 10 && sessions.length < 6)) create();
    else if (dice < 16) remove(session);
    else if (dice < 68) change(session);
    else if (dice < 72) note();
    else if (dice < 75) void store.flush().catch(() => undefined);
    else clock.advance(random.pick([30, 60, 400, 800, 4_000]));
  }

  function create(): void {
    created += 1;
    const session = { id: `ses_${born}_${created}`, tenantId: random.pick(['default', 'acme']), revision: 0 };
    const full: Session = { ...session, asked: Promise.resolve() };
    sessions.push(full);
    change(full);
  }

  function change(session: Session): void {
    session.revision += 1;
    const { id, tenantId, revision } = session;
    const image = imageAt(id, revision);
    session.asked = session.asked.then(async () => {
      if (image !== undefined) await store.putImage(tenantId, id, image);
      commit(session, revision, false);
    });
    session.asked.catch(unlessEnding);
  }

  function remove(session: Session): void {
    sessions.splice(sessions.indexOf(session), 1);
    session.asked = session.asked.then(() => commit(session, session.revision + 1, true));
  }

  function commit({ id, tenantId }: Session, revision: number, deletes: boolean): void {
    if (mortality.dead || stopping) return;
    const note = (kind: 'issued' | 'acknowledged'): void =>
      ledger.note(disk.trace.length, { kind, tenantId, session: id, revision, deletes });
    const change = deletes ? ({ kind: 'deleted' } as const) : changeAt(id, revision, tenantId);
    note('issued');
    store.commit({ tenantId, sessionId: id, revision, change }).then(() => note('acknowledged'), unlessEnding);
  }

  function note(): void {
    mark += 1;
    const value = mark;
    ledger.note(disk.trace.length, { kind: 'meta issued', value });
    const acknowledge = (): void => ledger.note(disk.trace.length, { kind: 'meta acknowledged', value });
    store.writeMeta(metaKey, String(value)).then(acknowledge, unlessEnding);
  }

  /** On a healthy disk nothing else refuses anything. */
  function unlessEnding(error: unknown): void {
    if (!mortality.dead && !stopping) throw error;
  }
}
