/** A value for a tool, under the first of these parameter names that the tool knows. */
export interface Value {
  names: readonly string[];
  value: unknown;
  /** Left out when the tool knows none of the names. */
  optional?: true;
}

/** One thing that an instruction asks for. */
export type Step =
  | { kind: 'call'; tool: string; values: Value[] }
  | { kind: 'say'; text: string }
  | { kind: 'think'; topic: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'fail'; message: string };

type Rule = readonly [pattern: RegExp, step: (...groups: string[]) => Step];

const path = (value: string): Value => ({ names: ['path', 'file', 'directory'], value: unquote(value) });
const text = (names: readonly string[], value: string): Value => ({ names, value: unquote(value) });
const plainText: Value = { names: ['literal'], value: true, optional: true };
const call = (tool: string, ...values: Value[]): Step => ({ kind: 'call', tool, values });

/** Takes the rest of the message, whatever is in it. */
const writing: Rule = [
  /^write (?:to )?(\S+?):[ \n]([\s\S]*)$/i,
  (file, content) => call('write_file', path(file), { names: ['content', 'text'], value: content }),
];

/** What the demo model understands; the first match wins. The help text in `reply.ts` shows it by example. */
const rules: readonly Rule[] = [
  writing,
  [
    /^(?:list|show)(?: all| the| my)* files(?: (?:in|of|under) (.+))?$/i,
    (folder) => call('list_files', ...some(folder, path)),
  ],
  [
    /^find (?:the )?(?:files? )?(?:named |like )?(.+)$/i,
    (name) => call('find_files', text(['pattern', 'glob', 'query'], name)),
  ],
  [
    /^(?:search|grep)(?: for)? (.+?)(?: in (\S+))?$/i,
    (words, folder) =>
      call('search_files', text(['pattern', 'query', 'text'], words), plainText, ...some(folder, path)),
  ],
  [
    /^(?:run|execute|\$) (.+)$/i,
    (command) => call('shell', { names: ['command'], value: command.replace(/^`(.*)`$/, '$1') }),
  ],
  [
    /^(?:change|edit) (\S+?): (.+?) (?:=>|->) (.*)$/i,
    (file, before, after) =>
      call(
        'edit_file',
        path(file),
        text(['oldText', 'old', 'old_string', 'old_text'], before),
        text(['newText', 'new', 'new_string', 'new_text'], after),
      ),
  ],
  [/^(?:fetch|get|download) (https?:\/\/\S+)$/i, (url) => call('web_fetch', text(['url'], url))],
  [/^(?:browse|visit|open) (https?:\/\/\S+)$/i, (url) => call('browser_open', text(['url'], url))],
  [/^remember (?:that )?(.+)$/i, (fact) => call('memory_save', text(['content', 'text'], fact))],
  [/^recall (.+)$/i, (words) => call('memory_search', text(['query', 'text'], words))],
  [/^use (?:the )?skill (.+)$/i, (name) => call('use_skill', text(['name', 'skill'], name))],
  [
    /^delegate(?: to (?:the |an? )?(\w+):)? (.+)$/i,
    (role, task) => call('delegate', text(['task', 'prompt'], task), ...some(role, (name) => text(['role'], name))),
  ],
  [/^call (?:the tool )?([\w-]{1,64})(?: with)?(?: (\{.*\}))?$/i, (tool, json) => call(tool, ...valuesOf(json))],
  [
    /^think(?: (?:about|of|over))?(?: (.+))?$/i,
    (topic) => ({ kind: 'think', topic: topic ?? 'nothing in particular' }),
  ],
  [/^wait(?: for)? (\d{1,4})(?: ?s| seconds?)?$/i, (seconds) => ({ kind: 'wait', seconds: Number(seconds) })],
  [/^(?:say|repeat|echo) (.+)$/i, (words) => ({ kind: 'say', text: unquote(words) })],
  [/^fail(?: with (.+))?$/i, (message) => ({ kind: 'fail', message: message ?? 'The demo model was told to fail.' })],
  [/^(?:read|open|show|cat)(?: me)?(?: the)?(?: file)? (\S+)$/i, (file) => call('read_file', path(file))],
];

const mostSteps = 20;

/** One blank on either side of the word: an expression that takes all of them needs minutes for a message of blanks. */
const separator = /\n|\s(?:and )?then\s/i;

/** The steps of a message, in order; empty when nothing in it is an instruction. "a, then b" and lines are separate steps. */
export function planOf(message: string): Step[] {
  const steps: Step[] = [];
  let rest = message.trim();
  while (rest !== '' && steps.length < mostSteps) {
    const last = stepOf(rest, [writing]);
    if (last !== undefined) return [...steps, last];
    const end = separator.exec(rest);
    const line = rest.slice(0, end?.index).trimEnd();
    const step = stepOf(withoutEnd(end?.[0].length === 1 ? line : line.replace(/[,;]$/, '')), rules);
    if (step !== undefined) steps.push(step);
    rest = end === null ? '' : rest.slice(end.index + end[0].length).trimStart();
  }
  return steps;
}

/** Without the marks that end a sentence; those behind a blank are a path. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && '.!?'.includes(line.charAt(end - 1))) end -= 1;
  return line.charAt(end - 1).trim() === '' ? line : line.slice(0, end);
}

function stepOf(line: string, among: readonly Rule[]): Step | undefined {
  const plain = line.replace(/^(?:[-*] |\d+[.)] )?(?:(?:please|now|first|okay|ok|and|can you|could you)[, ]+)*/i, '');
  for (const [pattern, step] of among) {
    const match = pattern.exec(plain);
    if (match !== null) return step(...match.slice(1));
  }
  return undefined;
}

function some(value: string | undefined, make: (value: string) => Value): Value[] {
  return value === undefined ? [] : [make(value)];
}

function valuesOf(json: string | undefined): Value[] {
  try {
    return Object.entries(JSON.parse(json ?? '{}')).map(([name, value]) => ({ names: [name], value }));
  } catch {
    return [];
  }
}

function unquote(value: string): string {
  return value.replace(/^(["'`])(.*)\1$/, '$2');
}
