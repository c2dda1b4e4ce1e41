/** Knows the secret values of this process and takes them out of any text. */
export interface SecretRegistry {
  /** Remembers a secret, also as it looks inside JSON and URLs. Under 6 characters it is ignored: it would hit innocent text. */
  add(value: string): void;
  /**
   * The text with every remembered secret replaced by `[redacted]`; the same string when there is none. For what
   * clients and models read.
   */
  hide(text: string): string;
  /** As `hide`, and without the value of any `token` query parameter, known or not. For logs. */
  redact(text: string): string;
}

const leastSecretChars = 6;
const replacement = '[redacted]';
const queryToken = /([?&]token=)[^&\s"'#]+/gi;

/** One pass per text however many secrets there are; the pattern is built again only after an `add`. */
export function createSecretRegistry(): SecretRegistry {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  function hide(text: string): string {
    if (secrets.size === 0) return text;
    pattern ??= anyOf(secrets);
    return text.replace(pattern, replacement);
  }
  return {
    add(value) {
      if (value.length < leastSecretChars) return;
      for (const form of [value, JSON.stringify(value).slice(1, -1), urlForm(value)]) secrets.add(form);
      pattern = undefined;
    },
    hide,
    redact: (text) => hide(text.includes('token=') ? text.replace(queryToken, `$1${replacement}`) : text),
  };
}

/** The same for a JSON value: itself when it holds no secret, otherwise a copy. */
export function hideInValue(value: unknown, hide: SecretRegistry['hide']): unknown {
  const text = JSON.stringify(value) ?? '';
  const clean = hide(text);
  if (clean === text) return value;
  try {
    return JSON.parse(clean);
  } catch {
    // A secret that looks like JSON itself: nothing of the value is told.
    return replacement;
  }
}

/** The longest first, so that a secret that contains another one disappears whole. */
function anyOf(values: ReadonlySet<string>): RegExp {
  const escaped = [...values]
    .sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'g');
}

/** Lone surrogates have no URL form. */
function urlForm(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
