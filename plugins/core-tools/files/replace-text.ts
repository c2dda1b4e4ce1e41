import { editableBytes } from './text-of.ts';

export type Replacement = { text: string; count: number; lines: number[] } | { problem: string };

export interface Edit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

/**
 * Replaces the one place where `oldString` stands, or all of them. Where it is not found and the file ends its lines with
 * CRLF, both strings are taken to mean that too: models write plain line feeds.
 */
export function replaceText(text: string, edit: Edit): Replacement {
  const { oldString, newString, replaceAll } = edit;
  if (oldString === '') return { problem: 'old_string is empty. Give the text to replace, or use write_file.' };
  if (oldString === newString) return { problem: 'old_string and new_string are the same: nothing would change.' };
  const places = placesOf(text, oldString);
  if (places.length === 0 && text.includes('\r\n') && !oldString.includes('\r') && oldString.includes('\n'))
    return replaceText(text, { oldString: toCrlf(oldString), newString: toCrlf(newString), replaceAll });
  const lines = lineNumbers(text, places);
  if (places.length === 0) return { problem: notFound(text, oldString) };
  if (places.length > 1 && !replaceAll)
    return {
      problem: `old_string occurs ${places.length === mostPlaces ? `${mostPlaces} or more` : places.length} times (lines ${some(lines)}). Add surrounding lines until it is unique, or set replace_all.`,
    };
  const parts = text.split(oldString);
  const length = text.length + (parts.length - 1) * (newString.length - oldString.length);
  // Before it is made: a letter that becomes a page, everywhere, would take gigabytes.
  if (length > text.length && length > editableBytes)
    return { problem: `The file would have ${length} characters, and over ${editableBytes} bytes none can be edited.` };
  return { text: parts.join(newString), count: parts.length - 1, lines };
}

/** As many as are looked at; a file may have millions. */
const mostPlaces = 1_000;

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    if (places.push(at) === mostPlaces) break;
  return places;
}

/** `places` are ascending. */
function lineNumbers(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', from)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}

/** Says what is closest: usually it is the indentation, a line number that was copied along, or an outdated text. */
function notFound(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  const line = first === undefined ? undefined : lineThatIs(first, text);
  const hint =
    line === undefined
      ? 'Read the file again and copy the text exactly, without line numbers.'
      : `Line ${line} looks alike, but something around it differs: compare indentation, blanks and the lines that follow.`;
  return `old_string was not found. ${hint}`;
}

/** The number of the first line that is this but for blanks around it. */
function lineThatIs(wanted: string, text: string): number | undefined {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at)) {
    const from = text.lastIndexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    at = end === -1 ? text.length : end;
    if (text.slice(from, at).trim() === wanted) return lineNumbers(text, [from])[0];
  }
  return undefined;
}

function some(lines: readonly number[]): string {
  return lines.length <= 10 ? lines.join(', ') : `${lines.slice(0, 10).join(', ')}, ...`;
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
