import {
  boolean,
  defaulted,
  defineTool,
  field,
  integer,
  isServiceError,
  max,
  min,
  optional,
  size,
  string,
  type Tool,
  type ToolContext,
  type Workspace,
} from '../../../lib/plugin-api/index.ts';
import { clip } from '../clip.ts';
import { type Place, placeOf } from '../files/place.ts';
import type { CoreToolsOptions } from '../options.ts';
import { type Matcher, type Matching, startMatcher, type TextMatch } from './matcher.ts';

/** Larger files are data, not something that people read. */
const fileBytes = 4 * 1024 * 1024;
/** What one call searches at most. */
const totalChars = 256 * 1024 * 1024;
const batchFiles = 32;

interface Hit extends Omit<TextMatch, 'text'> {
  path: string;
}

interface Search {
  hits: Hit[];
  files: number;
  /** Why the search ended before everything was seen. */
  ended?: string;
}

/** `directory` is where the plugin was loaded from. */
export function createSearchFiles(options: CoreToolsOptions, directory: string): Tool {
  return defineTool({
    name: 'search_files',
    description:
      'Searches the text of files for a regular expression, or for plain text with `literal`. Shows path, line number and line. Leaves out what .gitignore names, dependencies and build output.',
    category: 'files',
    parameters: {
      pattern: field(size(string(), 1, 2_000), 'Regular expression (JavaScript syntax), matched against single lines.'),
      path: field(defaulted(string(), '.'), 'Directory or file to search, relative to the workspace.'),
      glob: field(
        optional(size(string(), 1, 1_000)),
        'Only files whose path from the workspace root matches, for example "*.ts" or "src/**/*.ts".',
      ),
      literal: field(defaulted(boolean(), false), 'The pattern is plain text.'),
      ignore_case: field(defaulted(boolean(), false), 'Letter case does not matter.'),
      context: field(defaulted(max(min(integer(), 0), 10), 0), 'Lines to show before and after each match.'),
      max_results: field(defaulted(max(min(integer(), 1), 1_000), 200), 'How many matching lines to show at most.'),
      include_ignored: field(defaulted(boolean(), false), 'Also look into ignored files and directories.'),
    },
    async execute(args, context) {
      const place = placeOf(args.path, context, options);
      const { pattern, glob, literal, context: around } = args;
      const matching: Matching = { pattern, literal, ignoreCase: args.ignore_case, context: around };
      if (glob !== undefined) matching.glob = glob;
      const matcher = await startMatcher(directory, matching, context.signal);
      try {
        const ignore = !args.include_ignored;
        const search = await run(matcher, place, { ignore, most: args.max_results, context });
        const data = { matches: search.hits.length, files: search.files, truncated: search.ended !== undefined };
        return { content: clip(render(search, around), options.maxOutputChars), data };
      } finally {
        await matcher.close();
      }
    },
  });
}

async function run(
  matcher: Matcher,
  { workspace, path }: Place,
  { ignore, most, context }: { ignore: boolean; most: number; context: ToolContext },
): Promise<Search> {
  const search: Search = { hits: [], files: 0 };
  let bytes = 0;
  for await (const batch of inBatches(filesAt(workspace, path, { signal: context.signal, ignore }))) {
    const paths = await matcher.filterPaths(batch.map((file) => file.path));
    const texts = await Promise.all(paths.map((file) => readText(workspace, file)));
    const matches = await matcher.searchTexts(
      texts.map((text) => text ?? ''),
      most - search.hits.length + 1,
    );
    search.files += texts.filter((text) => text !== undefined).length;
    search.hits.push(...matches.map(({ text, ...match }) => ({ ...match, path: paths[text] ?? '' })));
    if (search.hits.length > most)
      return { ...search, hits: search.hits.slice(0, most), ended: `There are more than ${most} matches.` };
    bytes += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (bytes > totalChars) return { ...search, ended: `${bytes} characters were searched; name a smaller directory.` };
  }
  return search;
}

/** The files of a directory, or the one file that the path names. */
async function* filesAt(
  workspace: Workspace,
  path: string,
  options: { signal: AbortSignal; ignore: boolean },
): AsyncGenerator<{ path: string; size: number }> {
  try {
    yield* workspace.walk(path, options);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'invalid_path') throw error;
    const file = await workspace.read(path, { limit: 0 });
    yield { path: file.path, size: file.size };
  }
}

/** Files that are worth reading, a few at a time: waiting for one after the other would take longer than searching. */
async function* inBatches<File extends { size: number }>(files: AsyncIterable<File>): AsyncGenerator<File[]> {
  let batch: File[] = [];
  let bytes = 0;
  for await (const file of files) {
    if (file.size === 0 || file.size > fileBytes) continue;
    batch.push(file);
    bytes += file.size;
    if (batch.length < batchFiles && bytes < fileBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Undefined for what is no text, or gone by now. */
async function readText(workspace: Place['workspace'], path: string): Promise<string | undefined> {
  const bytes = await workspace.readBytes(path, { limit: fileBytes }).catch(() => undefined);
  if (bytes === undefined || bytes.subarray(0, 8_000).includes(0)) return undefined;
  return bytes.toString('utf8');
}

function render({ hits, files, ended }: Search, around: number): string {
  const lines = hits.flatMap((hit, at) => [...(around > 0 && at > 0 ? ['--'] : []), ...show(hit)]);
  if (hits.length === 0) lines.push(`No match in ${files} files.`);
  if (ended !== undefined) lines.push(`[${ended}]`);
  return lines.join('\n');
}

function show({ path, line, excerpt, before, after }: Hit): string[] {
  return [
    ...before.map((other, at) => `${path}-${line - before.length + at}- ${other}`),
    `${path}:${line}: ${excerpt}`,
    ...after.map((other, at) => `${path}-${line + 1 + at}- ${other}`),
  ];
}
