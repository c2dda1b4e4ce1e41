import { isRecord } from '../../lib/plugin-api/index.ts';
import { ServerOptions } from './options.ts';

interface Common {
  name: string;
  approval: 'ask' | 'auto';
  timeoutMs: number;
  /** Texts that must not show up in an error or a log line. */
  secrets: readonly string[];
}

export type ServerDefinition = Common &
  (
    | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string }
    | { kind: 'http'; url: URL; headers: Record<string, string> }
  );

const rules: Readonly<Record<string, string>> = {
  command: 'text that is not empty',
  args: 'a list of texts',
  env: 'an object of texts',
  cwd: 'text that is not empty',
  url: 'text that is not empty',
  headers: 'an object of texts',
  approval: '"ask" or "auto"',
  timeoutMs: 'a whole number of milliseconds, at least 1',
};
const keys = Object.keys(rules);

const reference = /\$\{([^}]*)\}/g;

/** Reads one entry of `servers`. Throws an error that tells the operator what is wrong with it; it never quotes a value. */
export function readDefinition(name: string, value: unknown, environment: NodeJS.ProcessEnv): ServerDefinition {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(name))
    throw new Error('The name of a server has 1 to 32 letters, digits, _ or -: it becomes a part of tool names.');
  if (!isRecord(value)) throw new Error('The definition of a server is an object with "command" or "url".');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no setting of a server. There are: ${keys.join(', ')}.`);
  const { command, args, env, cwd, url, headers, approval, timeoutMs } = parse(value);
  if ((command === undefined) === (url === undefined))
    throw new Error('A server has exactly one of "command" (a local process) and "url" (streamable HTTP).');
  if (command !== undefined) {
    if ('headers' in value) throw new Error('"headers" belongs to a server with "url".');
    const variables = expandAll(env, (key) => `"${key}" of "env"`, environment);
    const filledIn = Object.values(env).flatMap((text) =>
      variablesOf(text).map((variable) => environment[variable] ?? ''),
    );
    return {
      ...{ name, approval, timeoutMs, secrets: [...Object.values(variables), ...filledIn].filter(isSecret) },
      ...{ kind: 'stdio', command, args, env: variables, cwd: cwd ?? process.cwd() },
    };
  }
  for (const key of ['args', 'env', 'cwd'])
    if (key in value) throw new Error(`"${key}" belongs to a server with "command".`);
  const expanded = expandAll(headers, (header) => `The header "${header}"`, environment);
  return {
    ...{
      name,
      approval,
      timeoutMs,
      secrets: Object.values(expanded)
        .flatMap((text) => [text, text.replace(/^\w+ /, '')])
        .filter(isSecret),
    },
    ...{ kind: 'http', url: readUrl(url ?? ''), headers: checkHeaders(expanded) },
  };
}

/** As everywhere in the service: what is shorter than six characters is no secret, and hiding it would hit innocent words. */
function isSecret(text: string): boolean {
  return text.length >= 6;
}

function parse(value: object): ServerOptions {
  try {
    return ServerOptions.create(value);
  } catch (error) {
    const { path = [] } = Object(error) as { path?: unknown[] };
    const [key = ''] = path.map(String);
    throw new Error(`"${key}" must be ${rules[key] ?? 'something else'}.`);
  }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error('"url" is an absolute URL with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new Error('"url" carries a user name or password. Put credentials into "headers".');
  return url;
}

/** Replaces each `${NAME}` in the texts by the environment variable of that name. */
function expandAll(
  texts: Record<string, string>,
  nameOf: (key: string) => string,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const expand = (key: string, text: string): string =>
    text.replace(reference, (_, variable: string) => {
      const value = environment[variable];
      if (value === undefined || value === '')
        throw new Error(`${nameOf(key)} needs the environment variable "${variable}", which is not set.`);
      return value;
    });
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(key, text)]));
}

function variablesOf(text: string): string[] {
  return [...text.matchAll(reference)].map(([, variable = '']) => variable);
}

function checkHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new Error(
        `The header "${name}" can't be sent: its name or value contains characters that headers can't have.`,
      );
    }
  }
  return headers;
}
