import {
  defaulted,
  defineTool,
  field,
  integer,
  max,
  min,
  nonempty,
  string,
  type Tool,
  type ToolOutput,
  type WorkspaceFile,
} from '../../../lib/plugin-api/index.ts';
import { clip, clipLine } from '../clip.ts';
import type { CoreToolsOptions } from '../options.ts';
import { type Place, placeOf } from './place.ts';

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const imageBytes = 4 * 1024 * 1024;
/** Enough for every page of a source file; a larger one is read to here when a page behind it is asked for. */
const farBytes = 16 * 1024 * 1024;
const lineChars = 2_000;

/** The tool `read_file`: lines of a text with their numbers, or an image. */
export function createReadFile(options: CoreToolsOptions): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a file. Text comes with line numbers, at most `limit` lines from line `offset`; the numbers are not part of the file. Images are shown.',
    category: 'files',
    parameters: {
      path: field(nonempty(string()), 'Path of the file, relative to the workspace.'),
      offset: field(defaulted(min(integer(), 1), 1), 'First line to read; the first line of a file is 1.'),
      limit: field(defaulted(max(min(integer(), 1), 20_000), 2_000), 'How many lines to read at most.'),
    },
    async execute({ path, offset, limit }, context) {
      const place = placeOf(path, context, options);
      let file = await place.workspace.read(place.path);
      context.signal.throwIfAborted();
      if (imageTypes.includes(file.mimeType)) return showImage(file, place);
      if (file.binary) return refuse(`${path} is not text (${file.mimeType}, ${file.size} bytes).`);
      if (file.truncated && (file.lines ?? 0) < offset + limit)
        file = await place.workspace.read(place.path, { limit: farBytes });
      return showText(file, { path, offset, limit, most: options.maxOutputChars });
    },
  });
}

function showText(
  file: WorkspaceFile,
  { path, offset, limit, most }: { path: string; offset: number; limit: number; most: number },
): ToolOutput {
  const { lines = 0 } = file;
  const data = { path: file.path, size: file.size, lines, truncated: file.truncated };
  if (lines === 0) return { content: `${path} is empty.`, data };
  if (offset > lines) return refuse(`${path} has only ${lines} lines; there is no line ${offset}.`);
  const shown: string[] = [];
  // Room for the last line, which says how to go on. One line is always shown, or nobody would get any further.
  let room = most - Math.min(200, Math.ceil(most / 2));
  const longest = Math.min(lineChars, Math.max(1, room - 50));
  for (const [at, line] of linesOf(file.content, { offset, limit }).entries()) {
    const numbered = `${String(offset + at).padStart(6)}\t${clipLine(line.replace(/\r$/, ''), longest)}`;
    room -= numbered.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  const next = offset + shown.length;
  if (next <= lines) shown.push(`[Line ${next - 1} of ${lines}; go on with offset ${next}.]`);
  else if (file.truncated) shown.push(`[The file goes on: it has ${file.size} bytes, and only the first were read.]`);
  return { content: clip(shown.join('\n'), most), data: { ...data, from: offset, to: next - 1 } };
}

/** At most `limit` lines from the `offset`th. Others are walked over: a file may have millions. */
function linesOf(text: string, { offset, limit }: { offset: number; limit: number }): string[] {
  let from = 0;
  for (let line = 1; line < offset; line++) from = text.indexOf('\n', from) + 1;
  const lines: string[] = [];
  while (lines.length < limit && from < text.length) {
    const end = text.indexOf('\n', from);
    lines.push(end === -1 ? text.slice(from) : text.slice(from, end));
    from = end === -1 ? text.length : end + 1;
  }
  return lines;
}

async function showImage(file: WorkspaceFile, place: Place): Promise<ToolOutput> {
  if (file.size > imageBytes) return refuse(`The image has ${file.size} bytes; at most ${imageBytes} can be shown.`);
  const data = file.truncated
    ? (await place.workspace.readBytes(place.path, { limit: imageBytes })).toString('base64')
    : file.content;
  return {
    content: `The image ${file.path} (${file.mimeType}, ${file.size} bytes) is shown.`,
    data: { path: file.path, size: file.size, mimeType: file.mimeType },
    images: [{ mimeType: file.mimeType, data, name: file.name.slice(0, 120) }],
  };
}

function refuse(content: string): ToolOutput {
  return { content, isError: true };
}
