import type { SessionStatus } from '../../lib/wire/session.ts';
import { pixel } from '../helpers/pixel.ts';

export interface Surroundings {
  id: string;
  tenantId: 'a' | 'b';
  isThere: boolean;
  isBusy: boolean;
  hasChildren: boolean;
  status: SessionStatus;
}

/** A call that can't succeed, and who refuses it. */
export interface Refusal {
  name: string;
  by: 'contract' | 'state' | 'guard' | 'disk';
  /** Default: always. */
  when?(around: Surroundings): boolean;
  request(around: Surroundings): { method: string; path: string; body?: unknown };
}

type Target = (id: string) => [method: string, path: string, body?: unknown];

const image = { mimeType: 'image/png', data: pixel };
const huge = 'A'.repeat(6 * 1024 * 1024);
const session = '/api/sessions';

const send: Target = (id) => ['POST', `${session}/${id}/messages`, { content: 'hello' }];
const sendImage: Target = (id) => ['POST', `${session}/${id}/messages`, { content: 'see', images: [image] }];
const resume: Target = (id) => ['POST', `${session}/${id}/resume`];
const patch: Target = (id) => ['PATCH', `${session}/${id}`, { title: 'refused', systemPrompt: 'refused' }];
const compact: Target = (id) => ['POST', `${session}/${id}/compact`];
const rewind: Target = (id) => ['POST', `${session}/${id}/rewind`, { messageId: 'msg_none' }];
const restore: Target = (id) => ['POST', `${session}/${id}/checkpoints/chk_none/restore`];
const checkpoint: Target = (id) => ['POST', `${session}/${id}/checkpoints`];
const decide: Target = (id) => ['POST', `${session}/${id}/approvals/apr_none`, { approved: true }];
const cancel: Target = (id) => ['POST', `${session}/${id}/cancel`];
const repair: Target = (id) => ['POST', `${session}/${id}/repair`];
const remove: Target = (id) => ['DELETE', `${session}/${id}`];
const create: Target = () => ['POST', session, { title: 'refused' }];
const everything = {
  send,
  sendImage,
  resume,
  patch,
  compact,
  rewind,
  restore,
  checkpoint,
  decide,
  cancel,
  repair,
  remove,
};

/** Wrong in themselves, whatever the state of the session. */
const malformed: Record<string, Target> = {
  'a title of blanks': (id) => ['PATCH', `${session}/${id}`, { title: '  ', systemPrompt: 'x' }],
  'an unknown model': (id) => ['PATCH', `${session}/${id}`, { title: 'fine', model: 'none' }],
  'a prompt that is no text': (id) => ['PATCH', `${session}/${id}`, { title: 'fine', systemPrompt: 7 }],
  'half a body': (id) => ['PATCH', `${session}/${id}`, '{"title":'],
  'a message without text': (id) => ['POST', `${session}/${id}/messages`, { content: ' ' }],
  'a message that is too long': (id) => ['POST', `${session}/${id}/messages`, { content: 'x'.repeat(200_001) }],
  'an image of no kind': (id) => [
    'POST',
    `${session}/${id}/messages`,
    { content: 'x', images: [{ ...image, mimeType: 'x' }] },
  ],
  'a good and a broken image': (id) => [
    'POST',
    `${session}/${id}/messages`,
    { content: 'x', images: [image, { ...image, data: '!' }] },
  ],
  'an image that is too large': (id) => [
    'POST',
    `${session}/${id}/messages`,
    { content: 'x', images: [image, { ...image, data: huge }] },
  ],
  'a body over the limit': (id) => ['POST', `${session}/${id}/messages`, { content: huge + huge }],
  'a rewind to nothing': (id) => ['POST', `${session}/${id}/rewind`, {}],
  'a decision that is none': (id) => ['POST', `${session}/${id}/approvals/apr_none`, { approved: 'yes' }],
  'a session of an unknown model': () => ['POST', session, { model: 'none' }],
  'a session in no directory': () => ['POST', session, { workspace: '/does/not/exist' }],
  'a session in a relative directory': () => ['POST', session, { workspace: 'here' }],
  'a user by a user': () => ['POST', '/api/users', { name: 'me' }],
  'a tenant by a user': () => ['POST', '/api/tenants', { name: 'mine' }],
  'a wrong method': (id) => ['PUT', `${session}/${id}`, {}],
};

const named = (targets: Record<string, Target>, refusal: Omit<Refusal, 'name' | 'request'>, words: string): Refusal[] =>
  Object.entries(targets).map(([name, target]) => ({
    ...refusal,
    name: `${name} ${words}`,
    request({ id }) {
      const [method, path, body] = target(id);
      return { method, path, body };
    },
  }));

const isIdle = ({ isThere, isBusy }: Surroundings): boolean => isThere && !isBusy;
const isResumable = (around: Surroundings): boolean =>
  isIdle(around) && (around.status === 'interrupted' || around.status === 'error');

const { cancel: _, remove: __, decide: ___, checkpoint: ____, repair: _____, ...busy } = everything;

export const refusals: readonly Refusal[] = [
  ...named(malformed, { by: 'contract' }, 'is malformed'),
  ...named(everything, { by: 'state', when: ({ isThere }) => !isThere }, 'of a session that is gone'),
  ...named(busy, { by: 'state', when: ({ isBusy }) => isBusy }, 'while a run is active'),
  ...named({ rewind, restore, decide, checkpoint }, { by: 'state', when: isIdle }, 'of what does not exist'),
  ...named({ resume }, { by: 'state', when: (around) => !isResumable(around) }, 'of what can not be resumed'),
  ...named({ send, sendImage, compact }, { by: 'guard', when: isIdle }, 'against a guard'),
  ...named({ create }, { by: 'guard' }, 'against a guard'),
  ...named({ resume }, { by: 'guard', when: isResumable }, 'against a guard'),
  ...named({ send, sendImage, patch, remove }, { by: 'disk', when: isIdle }, 'on a full disk'),
  ...named({ resume }, { by: 'disk', when: isResumable }, 'on a full disk'),
  ...named({ create }, { by: 'disk' }, 'on a full disk'),
];
