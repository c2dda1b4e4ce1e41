import { looksSecret } from '../base/secret-names.ts';
import type { Config } from './config.ts';
import { isRecord } from './rules.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the bundled providers read without being told. */
const wellKnownVariables = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'];

/**
 * Every secret that the configuration holds or names, for the redaction of logs, errors and tool output: tokens, plugin
 * options and headers that are called like one, passwords in URLs, and the environment variables that options name
 * (`apiKeyEnv`, `${NAME}`).
 */
export function secretValues(config: Config, env: Environment): string[] {
  const found: string[] = [config.server.token, config.auth.bootstrapToken];
  for (const name of wellKnownVariables) found.push(env[name] ?? '');
  collect(config.plugins.config, { key: '', env, found });
  return found.filter((value) => value !== '' && value !== 'auto');
}

interface Place {
  key: string;
  env: Environment;
  found: string[];
  /** Below `headers` a value with a scheme is a credential, whatever the header is called. */
  inHeaders?: boolean;
}

function collect(value: unknown, { key, env, found, inHeaders = false }: Place): void {
  if (typeof value === 'string') {
    const referenced = [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map((match) => match[1] ?? '');
    if (/Env$/.test(key)) referenced.push(value);
    for (const name of referenced) found.push(env[name] ?? '');
    const [, inline = ''] = /^--?[\w-]*(?:key|token|secret|passw)[\w-]*=(.+)$/i.exec(value) ?? [];
    found.push(inline);
    if (looksSecret(key) && !isVariableName(key, value)) found.push(value, withoutScheme(value));
    if (inHeaders) found.push(withoutScheme(value));
    found.push(...urlSecrets(value));
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries())
      collect(entry, { key: argumentName(value, index) ?? key, env, found, inHeaders });
  } else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      // Below a name like `secrets` or `tokens`, every text is one; an object `signature` only says how something is signed.
      const innerKey = looksSecret(key) && key !== 'signature' && !looksSecret(name) ? key : name;
      collect(inner, { key: innerKey, env, found, inHeaders: inHeaders || name === 'headers' });
    }
  }
}

/** In a command line, the flag in front names the value: `--api-key`, `value`. */
function argumentName(entries: unknown[], index: number): string | undefined {
  const before = entries[index - 1];
  return typeof before === 'string' && /^--?\w/.test(before) && looksSecret(before) ? before : undefined;
}

function isVariableName(key: string, value: string): boolean {
  return /Env$/.test(key) && /^[A-Z][A-Z0-9_]{0,63}$/.test(value);
}

/** The credential of `Bearer <credential>`, which also travels alone. */
function withoutScheme(value: string): string {
  return /^(?:bearer|basic|token) +(\S+)$/i.exec(value)?.[1] ?? '';
}

function urlSecrets(value: string): string[] {
  if (!/^[a-z][a-z+.-]*:\/\//i.test(value) || !URL.canParse(value)) return [];
  const { password, searchParams } = new URL(value);
  const named = [...searchParams].filter(([name]) => looksSecret(name) || name === 'key').map(([, secret]) => secret);
  return [password, safeDecode(password), ...named];
}

function safeDecode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
