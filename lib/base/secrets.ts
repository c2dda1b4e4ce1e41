/** Knows the secret values of this process and takes them out of any text. */
export interface SecretRegistry {
  /** Remembers a secret, also as it looks inside JSON and URLs. Under 6 characters it is ignored: it would hit innocent text. */
  add(value: string): void;
  /** The text with every remembered secret, and the value of any `token` query parameter, replaced by `[redacted]`. */
  redact(text: string): string;
}

const leastSecretChars = 6;
const replacement = '[redacted]';
const queryToken = /([?&]token=)[^&\s"'#]+/gi;

/** One pass per text however many secrets there are; the pattern is built again only after an `add`. */
export function createSecretRegistry(): SecretRegistry {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  return {
    add(value) {
      if (value.length < leastSecretChars) return;
      for (const form of [value, JSON.stringify(value).slice(1, -1), urlForm(value)]) secrets.add(form);
      pattern = undefined;
    },
    redact(text) {
      const clean = text.includes('token=') ? text.replace(queryToken, `$1${replacement}`) : text;
      if (secrets.size === 0) return clean;
      pattern ??= anyOf(secrets);
      return clean.replace(pattern, replacement);
    },
  };
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
