import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSession } from '../../lib/service/create-session.ts';
import type { Approval } from '../../lib/wire/approval.ts';
import type { Checkpoint } from '../../lib/wire/checkpoint.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { pixel } from '../helpers/pixel.ts';
import { type Tenant, tenants } from '../torture/machine/life.ts';
import type { Seams } from '../torture/machine/seams.ts';
import { World } from '../torture/machine/world.ts';
import type { WorldOptions } from '../torture/machine/world-options.ts';
import type { Step } from './step.ts';

const texts = ['plan the garden', 'Zürich, 東京', 'x'.repeat(500), 'one\ntwo\n', ' padded ', '{"a":1}', 'alpha beta'];
const dayMs = 24 * 3_600_000;

/** A service, what was done with it, and the sessions that it made, deleted ones included. */
export class History {
  readonly sessions: { id: string; tenantId: Tenant }[] = [];

  private constructor(readonly world: World) {}

  /** One session for each tenant is there from the beginning. */
  static async begin(options: Partial<WorldOptions> = {}, seams: Seams = {}): Promise<History> {
    const plain = { driver: 'file', checkpoints: false, quota: {}, contextWindow: undefined, failingPrompt: false };
    const history = new History(await World.start({ ...plain, ...options } as WorldOptions, seams));
    for (const tenantId of tenants) await history.create(tenantId, {});
    return history;
  }

  /** Carries the steps out, one after the other; after each one everything comes to rest. Resolves with the answers in short. */
  async play(steps: readonly Step[], afterEach?: (step: Step) => Promise<void>): Promise<string[]> {
    const answers: string[] = [];
    for (const step of steps) {
      const { status, code = '' } = (await this.carryOut(step)) ?? {};
      answers.push(`${step.verb} ${status ?? '-'} ${code}`);
      await this.world.settle();
      await afterEach?.(step);
    }
    return answers;
  }

  /** Ends what waits, so that every session is at rest by its own. */
  async cancelAll(): Promise<void> {
    for (const { id, tenantId } of this.sessions) await this.world.ask(tenantId, 'POST', `/api/sessions/${id}/cancel`);
    await this.world.settle();
  }

  async create(tenantId: Tenant, body: object) {
    const answer = await this.world.ask(tenantId, 'POST', '/api/sessions', { body });
    const { session } = answer.body as { session?: { id: string } };
    if (session) this.sessions.push({ id: session.id, tenantId });
    return answer;
  }

  private async carryOut(step: Step) {
    const { world } = this;
    const { verb, tenantId, number, flag, kinds } = step;
    const own = this.sessions.filter((session) => session.tenantId === tenantId);
    const id = own[step.session % Math.max(1, own.length)]?.id ?? 'ses_none';
    const path = `/api/sessions/${id}`;
    const isBusy = world.life.app.sessions.findAny(id)?.activeRunId !== undefined;
    const [first = 'text'] = kinds;
    const text = texts[number % texts.length] ?? '';
    if ((verb === 'post' || verb === 'resume') && !isBusy) world.provider.plan(id, kinds);
    switch (verb) {
      case 'create':
        return this.create(tenantId, flag ? { title: text.trim().slice(0, 40), systemPrompt: 'Be brief.' } : {});
      case 'child':
        return this.createChild(tenantId, id);
      case 'post': {
        const images = flag && number < 3 ? [{ mimeType: 'image/png', data: pixel, name: 'dot' }] : [];
        return world.ask(tenantId, 'POST', `${path}/messages`, { body: { content: text, images } });
      }
      case 'decide': {
        const { body } = await world.ask(tenantId, 'GET', '/api/approvals');
        const { approvals } = body as { approvals: Approval[] };
        const approval = approvals[number % Math.max(1, approvals.length)];
        const decided = `/api/sessions/${approval?.sessionId ?? id}/approvals/${approval?.id ?? 'apr_none'}`;
        return world.ask(tenantId, 'POST', decided, { body: { approved: flag, ...(flag ? { note: 'go on' } : {}) } });
      }
      case 'release':
        return void world.provider.release(id, first === 'hold' || first === 'drip' ? 'text' : first);
      case 'endTool':
        return void world.tools.release(id);
      case 'patch':
        return world.ask(tenantId, 'PATCH', path, {
          body: flag ? { title: `renamed ${number}` } : number < 8 ? { systemPrompt: text } : {},
        });
      case 'rewind': {
        const { body } = await world.ask(tenantId, 'GET', `${path}/messages`);
        const { messages = [] } = body as { messages?: StoredMessage[] };
        const targets = messages.filter(({ role }) => role === 'user' || number === 9);
        const messageId = targets[number % Math.max(1, targets.length)]?.id ?? 'msg_none';
        return world.ask(tenantId, 'POST', `${path}/rewind`, { body: { messageId, restoreFiles: flag } });
      }
      case 'checkpoint':
        return world.ask(tenantId, 'POST', `${path}/checkpoints`, { body: flag ? { label: text.trim() } : {} });
      case 'restore': {
        const { body } = await world.ask(tenantId, 'GET', `${path}/checkpoints`);
        const { checkpoints = [] } = body as { checkpoints?: Checkpoint[] };
        const chosen = checkpoints[number % Math.max(1, checkpoints.length)]?.id ?? 'chk_none';
        return world.ask(tenantId, 'POST', `${path}/checkpoints/${chosen}/restore`);
      }
      case 'delete':
        return world.ask(tenantId, 'DELETE', path);
      case 'tick':
        return void world.clock.advance([1, 7, 500, 11_000, 61_000][number % 5] ?? 1);
      case 'clock':
        return void world.clock.step((flag ? 1 : -1) * ([1, 1_000, 3_600_000, dayMs][number % 4] ?? 1));
      case 'write':
        return this.write(tenantId, number, flag);
      default:
        return world.ask(tenantId, 'POST', `${path}/${verb}`);
    }
  }

  /** A sub-agent session, as the delegation tools make it. */
  private async createChild(tenantId: Tenant, parentId: string): Promise<undefined> {
    const { app } = this.world.life;
    const parent = app.sessions.find(tenantId, parentId);
    if (!parent) return;
    const { rootId, depth = 0, workspace } = parent.record;
    const lineage = { parentId, rootId, depth: depth + 1, role: 'researcher' };
    const creator = { tenantId, confined: false };
    const child = await createSession(app, creator, { title: 'sub-agent', workspace, parent: lineage }).catch(
      () => null,
    );
    if (child) this.sessions.push({ id: child.id, tenantId });
  }

  private async write(tenantId: Tenant, number: number, flag: boolean): Promise<void> {
    const { workspaces } = this.world.life.app;
    const path = join(await workspaces.defaultDirectory(tenantId), `file-${number % 3}.txt`);
    if (flag) await rm(path, { force: true });
    else await writeFile(path, `content ${number}\n`);
  }
}
