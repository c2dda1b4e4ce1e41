import type { Random } from '../../helpers/random.ts';
import type { RunningService } from '../../helpers/running-service.ts';
import { eventually, within } from '../../helpers/within.ts';
import type { Asked, Reading } from '../invariants/history.ts';
import type { SessionFacts } from './session-facts.ts';

export interface Visit {
  service: RunningService;
  facts: SessionFacts;
  random: Random;
  /** In the command lines of tools, to find what is left of them. */
  word: string;
  /** Everything up to this number has been seen. */
  seen(seq: number): Promise<void>;
  /** No new session is begun. */
  isOver(): boolean;
}

export interface Tally {
  acknowledged: number;
  runs: number;
  deleted: string[];
}

/** The process is gone, or going: no answer came. */
class Gone extends Error {
  override readonly name = 'Gone';
}

/** Creates sessions, talks, approves, cancels, rewinds and deletes, until told to stop or the service is gone. Resolves with what was broken. */
export async function visit(around: Visit, tally: Tally): Promise<string[]> {
  const broken: string[] = [];
  while (!around.isOver()) {
    const session = new Visitor(around, tally);
    try {
      await session.run();
    } catch (error) {
      if (error instanceof Error && error.name === 'Gone') return broken;
      const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      broken.push(`${session.id}: ${why}`);
      return broken;
    }
    broken.push(...around.facts.close(session.id));
  }
  return broken;
}

class Visitor {
  id = '';
  private texts = 0;

  constructor(
    private readonly around: Visit,
    private readonly tally: Tally,
  ) {}

  async run(): Promise<void> {
    const { random } = this.around;
    const { session } = await this.ask<{ session: { id: string } }>('POST', '/api/sessions', { verb: 'create' }, {});
    this.id = session.id;
    this.around.facts.open(session.id);
    for (let turns = 1 + random.below(4); turns > 0; turns--) {
      await this.turn();
      const detail = await this.look();
      if (random.once(4)) await this.ask('PATCH', this.path(), { verb: 'patch' }, { title: `title ${turns}` });
      const target = detail.messages.findLast(({ role }) => role === 'user');
      if (random.once(4) && target) {
        const messageId = target.id;
        await this.ask('POST', this.path('rewind'), { verb: 'rewind', messageId }, { messageId });
        await this.look();
      }
    }
    await this.ask('DELETE', this.path(), { verb: 'delete' });
    this.tally.deleted.push(this.id);
  }

  /** One message and what becomes of it: its own end, a cancellation, a decision. */
  private async turn(): Promise<void> {
    const { random, word } = this.around;
    const content = `${random.pick([
      'say hello to everybody',
      'list files',
      'think about it then say done',
      'wait 30',
      `run sleep 30.${word}`,
      `run echo ${word}`,
      'fail with purpose',
      'call no_such_tool',
    ])}`;
    this.texts += 1;
    const text = `please ${content}\nmessage ${this.texts} of ${this.id}`;
    const post = { verb: 'post', content: text } as const;
    const { runId } = await this.ask<{ runId: string }>('POST', this.path('messages'), post, { content: text });
    this.tally.runs += 1;
    const endless = content.startsWith('wait') || content.includes('sleep');
    if (content.startsWith('run')) await this.decide(random.once(2));
    if (endless || random.once(5)) {
      await new Promise((resolve) => setTimeout(resolve, random.below(60)));
      await this.ask('POST', this.path('cancel'), { verb: 'cancel' }, {});
    }
    await this.rest(runId);
  }

  /** Waits for the approval of this run and decides it, or leaves it to the cancellation. */
  private async decide(approved: boolean): Promise<void> {
    let approvalId: string | undefined;
    const appears = async (): Promise<boolean> => {
      const { status, pendingApprovals } = await this.read();
      approvalId = pendingApprovals[0]?.id;
      return approvalId !== undefined || status !== 'running';
    };
    await this.orGone(() => eventually(10_000, appears, 'the approval'));
    if (approvalId === undefined || this.around.random.once(3)) return;
    await this.ask(
      'POST',
      this.path(`approvals/${approvalId}`),
      { verb: 'decide', approvalId, approved },
      { approved },
    );
  }

  /** Waits for the end of the run; one that waits for a person is cancelled. */
  private async rest(runId: string): Promise<void> {
    const { pendingApprovals } = await this.read();
    if (pendingApprovals.length > 0) await this.ask('POST', this.path('cancel'), { verb: 'cancel' }, {});
    const ends = (): boolean => this.around.facts.hasEnded(this.id, runId);
    await this.orGone(() => eventually(20_000, ends, 'the end of a run'));
  }

  /** What the session shows at rest, as a fact, once everything that led to it was seen. */
  private async look(): Promise<Reading> {
    const detail = await this.read();
    await this.orGone(() => this.around.seen(detail.lastSeq ?? 0));
    this.around.facts.read(detail);
    return detail;
  }

  private async read(): Promise<Reading & { pendingApprovals: { id: string }[] }> {
    const { session } = await this.ask<{ session: Reading & { pendingApprovals: { id: string }[] } }>(
      'GET',
      this.path(),
    );
    return session;
  }

  private path(tail = ''): string {
    return `/api/sessions/${this.id}${tail && `/${tail}`}`;
  }

  /** One request; anything but success is a broken promise, since nobody else works on this session. */
  private async ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    asked?: Asked,
    body?: object,
  ): Promise<T> {
    const { service, facts } = this.around;
    const note = (status: number, answer?: Record<string, unknown>): void => {
      if (!asked || this.id === '') return;
      const fact = { kind: 'answer', tenantId: 'default', sessionId: this.id, asked, status, sent: 0 } as const;
      facts.add(this.id, { ...fact, ...(answer ? { body: answer } : {}) });
    };
    const init = { method, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await within(
      20_000,
      service.fetch(path, init).then(async (response) => ({ response, text: await response.text() })),
    ).catch((error: unknown) => {
      note(0);
      throw new Gone(String(error));
    });
    const parsed = answer.text === '' ? {} : JSON.parse(answer.text);
    note(answer.response.status, parsed);
    if (!answer.response.ok) throw new Error(`${method} ${path} answered ${answer.response.status}: ${answer.text}`);
    if (asked) this.tally.acknowledged += 1;
    return parsed;
  }

  /** What waits for the service fails with it. */
  private async orGone<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.around.isOver()) throw new Gone(String(error));
      throw error;
    }
  }
}
