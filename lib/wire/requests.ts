import {
  array,
  boolean,
  coerce,
  enums,
  type Infer,
  optional,
  refine,
  type Struct,
  size,
  string,
  type,
  unknown,
} from 'superstruct';
import type { ErrorCode } from './errors.ts';
import { decodedBytes, isBase64, stripDataPrefix } from './images.ts';
import { limits } from './limits.ts';
import { imageMimeTypes } from './message.ts';

// The bodies that clients send (contract: Request shapes). `type()` keeps and ignores unknown fields.

const Title = trimmedText(1, limits.titleChars);
const SystemPrompt = size(string(), 0, limits.systemPromptChars);

/** POST /api/sessions. That the model is registered and the workspace resolves is for the service to check. */
export const CreateSessionRequest = type({
  title: optional(Title),
  model: optional(string()),
  systemPrompt: optional(SystemPrompt),
  workspace: optional(string()),
});
export type CreateSessionRequest = Infer<typeof CreateSessionRequest>;

/** PATCH /api/sessions/:id */
export const UpdateSessionRequest = type({
  title: optional(Title),
  model: optional(string()),
  systemPrompt: optional(SystemPrompt),
});
export type UpdateSessionRequest = Infer<typeof UpdateSessionRequest>;

const Base64 = coerce(refine(string(), 'base64', isBase64), string(), stripDataPrefix);

const Image = type({
  mimeType: enums(imageMimeTypes),
  data: Base64,
  name: optional(size(string(), 0, limits.imageNameChars)),
});

/** Of too many, one too many is looked at: that is enough to refuse them. */
const FewImages = coerce(array(Image), unknown(), (value) =>
  Array.isArray(value) ? value.slice(0, limits.imagesPerMessage + 1) : value,
);

const Images = refine(size(FewImages, 0, limits.imagesPerMessage), 'bytes', (images) => {
  const bytes = images.map((image) => decodedBytes(image.data));
  return (
    bytes.every((count) => count <= limits.imageBytes) &&
    bytes.reduce((sum, count) => sum + count, 0) <= limits.imageBytesTotal
  );
});

const Content = refine(string(), 'length', (content) => content.length <= limits.messageChars);

/** POST /api/sessions/:id/messages. White space alone is no text. */
export const SendMessageRequest = refine(
  type({ content: Content, images: optional(Images) }),
  'empty',
  ({ content, images }) => content.trim() !== '' || (images?.length ?? 0) > 0,
);
export type SendMessageRequest = Infer<typeof SendMessageRequest>;

/** POST /api/sessions/:id/rewind */
export const RewindRequest = type({ messageId: string(), restoreFiles: optional(boolean()) });
export type RewindRequest = Infer<typeof RewindRequest>;

/** POST /api/sessions/:id/checkpoints */
export const CreateCheckpointRequest = type({ label: optional(trimmedText(0, limits.titleChars)) });
export type CreateCheckpointRequest = Infer<typeof CreateCheckpointRequest>;

/** POST /api/sessions/:id/approvals/:approvalId */
export const DecisionRequest = type({
  approved: boolean(),
  note: optional(size(string(), 0, limits.approvalNoteChars)),
});
export type DecisionRequest = Infer<typeof DecisionRequest>;

/** POST /api/users */
export const CreateUserRequest = type({
  name: string(),
  tenantId: optional(string()),
  role: optional(enums(['admin', 'user'])),
});

/** POST /api/tenants */
export const CreateTenantRequest = type({ id: optional(string()), name: string() });

/**
 * What is wrong with a field, and its code (DECISIONS.md, Which error it is). Keys are a field, or `field:refinement`
 * for one rule of it.
 */
export const fieldRules: Readonly<Record<string, { code: ErrorCode; rule: string }>> = {
  title: { code: 'invalid_title', rule: 'must be a string of 1 to 200 characters, not only white space' },
  model: { code: 'invalid_model', rule: 'must be the id of a registered model' },
  systemPrompt: { code: 'invalid_prompt', rule: 'must be a string of at most 100,000 characters' },
  content: { code: 'invalid_message', rule: 'must be a string' },
  'content:length': { code: 'message_too_large', rule: 'must not be longer than 200,000 characters' },
  ':empty': { code: 'invalid_message', rule: 'A message must carry text, images or both.' },
  images: {
    code: 'invalid_images',
    rule: 'must be at most 6 images, each with a mimeType of image/png, image/jpeg, image/webp or image/gif, base64 data and an optional name of at most 120 characters',
  },
  'images:bytes': { code: 'payload_too_large', rule: 'must not be larger than 4 MB each and 12 MB in all' },
  label: { code: 'invalid_body', rule: 'must be a string of at most 200 characters' },
  name: { code: 'invalid_body', rule: 'must be a string of 1 to 120 characters' },
  tenantId: { code: 'invalid_body', rule: 'must be the id of a tenant' },
  id: { code: 'invalid_body', rule: 'must be a string of 1 to 64 characters of a-z, 0-9 and "-"' },
  role: { code: 'invalid_body', rule: 'must be "admin" or "user"' },
  approved: { code: 'invalid_decision', rule: 'must be a boolean' },
  note: { code: 'invalid_decision', rule: 'must be a string of at most 2,000 characters' },
};

/** Text without white space around it. The library's own `trimmed` makes an error with a stack for every field that is absent. */
function trimmedText(least: number, most: number): Struct<string, null> {
  return coerce(size(string(), least, most), unknown(), (value) => (typeof value === 'string' ? value.trim() : value));
}
