/** A run of terminal text with the classes of its colours. */
export interface AnsiRun {
  text: string;
  classes: string;
}

/** Terminal output without its control sequences; colours and weight become classes. Linear. */
export function parseAnsi(output: string): AnsiRun[] {
  const runs: AnsiRun[] = [];
  const state = { colour: '', background: '', bold: false, dim: false, italic: false, underline: false };
  const push = (text: string): void => {
    if (text === '') return;
    const classes = [
      state.colour && `ansi-${state.colour}`,
      state.background && `ansi-on-${state.background}`,
      ...(['bold', 'dim', 'italic', 'underline'] as const).map((name) => state[name] && `ansi-${name}`),
    ];
    runs.push({ text, classes: classes.filter(Boolean).join(' ') });
  };
  let at = 0;
  for (const match of output.matchAll(
    /\u001b(?:\[([0-9;:]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g,
  )) {
    push(visible(output.slice(at, match.index)));
    at = match.index + match[0].length;
    if (match[2] === 'm') style(state, (match[1] ?? '').split(/[;:]/).map(Number));
  }
  push(visible(output.slice(at)));
  return runs;
}

/** Later text on a line overwrites earlier after a carriage return, as progress bars do. */
function visible(text: string): string {
  return text.includes('\r') ? text.split('\n').map(lastWritten).join('\n') : text;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

interface AnsiState {
  colour: string;
  background: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

function style(state: AnsiState, codes: readonly number[]): void {
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0)
      Object.assign(state, { colour: '', background: '', bold: false, dim: false, italic: false, underline: false });
    else if (code === 1) state.bold = true;
    else if (code === 2) state.dim = true;
    else if (code === 3) state.italic = true;
    else if (code === 4) state.underline = true;
    else if (code === 22) Object.assign(state, { bold: false, dim: false });
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
    else if (code === 39) state.colour = '';
    else if (code === 49) state.background = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) state.colour = names[code % 10] ?? '';
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) state.background = names[code % 10] ?? '';
  }
}
