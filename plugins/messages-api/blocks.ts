import type { ImageAttachment, ModelMessage } from '../../lib/plugin-api/index.ts';

type CacheMark = { cache_control?: { type: 'ephemeral' } };

export type TextBlock = { type: 'text'; text: string };
export type ImageBlock = { type: 'image'; source: { type: 'base64'; media_type: string; data: string } };
export type ToolResultBlock = {
  type: 'tool_result';
  tool_use_id: string;
  content: string | (TextBlock | ImageBlock)[];
  is_error?: true;
};

/** Signed by the provider and sent back as they came. */
export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

export type Block = CacheMark &
  (
    | TextBlock
    | ImageBlock
    | ToolResultBlock
    | ThinkingBlock
    | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  );

/** A text block, or none: the API refuses blocks without visible text. */
export function textBlocks(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

export function imageBlock({ mimeType, data }: ImageAttachment): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** `toolUseId` is what the request calls the call: it may differ from the id in the transcript. */
export function toolResultBlock(message: ModelMessage & { role: 'tool' }, toolUseId: string): ToolResultBlock {
  const images = (message.images ?? []).map(imageBlock);
  const text = message.content.trim() === '' && images.length === 0 ? '(no output)' : message.content;
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: images.length === 0 ? text : [...textBlocks(text), ...images],
    ...(message.isError ? { is_error: true } : {}),
  };
}
