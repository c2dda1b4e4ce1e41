/**
 * Module state that could change, as sentences. The sources are formatted, so a top-level statement begins in column 0.
 * Lookup tables are fine when their type forbids change (`ReadonlyMap`, `ReadonlySet`) or when nothing here changes them.
 */
export function findModuleState(path: string, text: string): string[] {
  const faults: string[] = [];
  for (const [line, name, type, value] of topLevelConstants(text)) {
    const made = /^new\s+([\w.]+)/.exec(value)?.[1];
    if (made && !harmless.test(made) && !/^Readonly(Map|Set)\b/.test(type))
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
