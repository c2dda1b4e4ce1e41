/**
 * Module state that could change, as sentences. The sources are formatted, so a top-level statement begins in column 0.
 * Lookup tables are fine when their type forbids change (`ReadonlyMap`, `ReadonlySet`) or when nothing here changes them.
 */
export function findModuleState(path: string, text: string): string[] {
  const faults: string[] = [];
  for (const [line, name, type, value] of topLevelConstants(text)) {
    const made = /^new\s+([\w.]+)/.exec(value)?.[1];
    const fixed = /^Readonly(Map|Set)\b/.test(type) || isFixedTable(value, { name, text });
    if (made && !harmless.test(made) && !fixed)
      faults.push(`${path}:${line} keeps a ${made} at module level (${name})`);
    if (/^[[{]/.test(value) && isChanged(name, text)) faults.push(`${path}:${line} changes the module-level ${name}`);
  }
  for (const match of text.matchAll(/^(?:export )?(?:let|var) (\w+)/gm))
    faults.push(`${path}:${lineOf(text, match.index)} declares a top-level variable (${match[1]})`);
  return faults;
}

/** Classes whose instances carry no state that a caller could see. */
const harmless = /^(RegExp|TextEncoder|TextDecoder|URL|Error|Intl\.\w+)$/;

function* topLevelConstants(text: string): Generator<[line: number, name: string, type: string, value: string]> {
  for (const match of text.matchAll(/^(?:export )?const (\w+)(?:: ([^=\n]+?))? =\s+(\S[^\n]*)/gm))
    yield [lineOf(text, match.index), match[1] ?? '', match[2] ?? '', match[3] ?? ''];
}

/** A set or map that is written down whole, kept to its file, and never changed there. */
function isFixedTable(value: string, { name, text }: { name: string; text: string }): boolean {
  const whole = /^new (Set|Map)(<.*>)?\((?!\))/.test(value);
  const exported = new RegExp(`^export const ${name}\\b`, 'm').test(text);
  return whole && !exported && !new RegExp(`\\b${name}\\.(add|set|delete|clear)\\(`).test(text);
}

function isChanged(name: string, text: string): boolean {
  const changes = [
    `\\b${name}\\.(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)\\(`,
    `(?<![.\\w]|const |let )${name}(\\.\\w+|\\[[^\\]]*\\])+\\s*([-+*/|&?]{0,2}=(?![=>])|\\+\\+|--)`,
    `\\bdelete ${name}[.[]`,
    `Object\\.(assign|defineProperty)\\(${name}\\b`,
  ];
  return changes.some((change) => new RegExp(change).test(text));
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
