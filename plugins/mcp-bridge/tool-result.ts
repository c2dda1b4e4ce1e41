import { isRecord, type JsonRecord, listOf, recordOf, type ToolOutput, textOf } from '../../lib/plugin-api/index.ts';

type Output = Exclude<ToolOutput, string>;

const mostBlocks = 1_000;
/** What a client is sent as `data`. */
const mostDataChars = 262_144;

/**
 * A result of a server as the runtime wants it: text, images as images (its rules decide about them), structured content
 * as `data`. Content that is neither is named, so that the model knows of it.
 */
export function readResult(result: JsonRecord): Output {
  const texts: string[] = [];
  const images: NonNullable<Output['images']> = [];
  const blocks = listOf(result.content);
  for (const block of blocks.slice(0, mostBlocks)) {
    const { type, text, data, mimeType, resource, uri, name, description } = recordOf(block);
    if (type === 'text') texts.push(textOf(text));
    else if (type === 'image') images.push({ mimeType: textOf(mimeType), data: plainBase64(textOf(data)) });
    else if (type === 'audio') texts.push(`[audio (${textOf(mimeType)}) can't be shown]`);
    else if (type === 'resource_link') texts.push(link(textOf(name), textOf(uri), textOf(description)));
    else if (type === 'resource') addResource(recordOf(resource), { texts, images });
    else texts.push(`[content of type "${textOf(type).slice(0, 60)}" can't be shown]`);
  }
  if (blocks.length > mostBlocks) texts.push(`[${blocks.length - mostBlocks} more parts left out]`);
  const structured = boundedData(result.structuredContent);
  // A server that fills `structuredContent` should repeat it as text; one that does not must not leave the model with nothing.
  if (texts.length === 0 && images.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured));
  const content = texts.filter((text) => text !== '').join('\n');
  return {
    content: content === '' && images.length === 0 ? '(no output)' : content,
    ...(result.isError === true ? { isError: true } : {}),
    ...(structured === undefined ? {} : { data: structured }),
    ...(images.length === 0 ? {} : { images }),
  };
}

function addResource(resource: JsonRecord, to: { texts: string[]; images: NonNullable<Output['images']> }): void {
  const { uri, text, blob } = resource;
  const mimeType = textOf(resource.mimeType);
  if (typeof text === 'string') to.texts.push(`[${textOf(uri)}]\n${text}`);
  else if (mimeType.startsWith('image/') && typeof blob === 'string')
    to.images.push({ mimeType, data: plainBase64(blob) });
  else to.texts.push(`[resource ${textOf(uri)} (${mimeType || 'unknown type'}) can't be shown as text]`);
}

function link(name: string, uri: string, description: string): string {
  return `[resource ${name === '' ? uri : `${name}: ${uri}`}${description === '' ? '' : ` - ${description}`}]`;
}

/** Some servers send data URLs, or break lines. */
function plainBase64(data: string): string {
  return data.replace(/^data:[^,]{0,200},/, '').replace(/\s+/g, '');
}

/** Undefined when it is no object, too large, or nested so deeply that it could not be written as JSON. */
function boundedData(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  try {
    return JSON.stringify(value).length <= mostDataChars ? value : undefined;
  } catch {
    return undefined;
  }
}
