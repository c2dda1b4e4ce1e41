import { copyText } from '../service/copy.ts';
import type { Highlighter } from '../service/work.ts';

export interface EnhanceOptions {
  /** Without it code keeps the colour of the text, for example because it still grows. */
  highlighter?: Highlighter;
  /** The address of a workspace file, when a path in code is one. */
  fileLink?: (path: string, line: number | undefined) => string;
}

/** Gives rendered markdown what text alone does not have: code headers, colours, links to files, tables that scroll. */
export function enhance(root: HTMLElement, { highlighter, fileLink }: EnhanceOptions): void {
  for (const pre of root.querySelectorAll<HTMLPreElement>('pre:not(.plain)')) addHeader(pre, highlighter);
  for (const table of root.querySelectorAll('table')) wrap(table, 'table-scroll');
  if (fileLink) for (const code of root.querySelectorAll<HTMLElement>('code')) linkPath(code, fileLink);
}

function addHeader(pre: HTMLPreElement, highlighter: Highlighter | undefined): void {
  const code = pre.querySelector('code');
  if (!code || pre.parentElement?.classList.contains('code-block')) return;
  const language = /language-([\w+#-]+)/.exec(code.className)?.[1] ?? '';
  const box = wrap(pre, 'code-block');
  const bar = document.createElement('div');
  bar.className = 'code-bar';
  const name = document.createElement('span');
  name.textContent = language || 'text';
  bar.append(
    name,
    button('Wrap', (self) => self.setAttribute('aria-pressed', String(box.classList.toggle('wrapped')))),
  );
  const copy = button('Copy', (self) => {
    void copyText(code.textContent ?? '').then((done) => {
      self.textContent = done ? 'Copied' : 'Copying failed';
      setTimeout(() => {
        self.textContent = 'Copy';
      }, 1_500);
    });
  });
  bar.append(copy);
  box.prepend(bar);
  if (language !== '' && highlighter) void paint(code, language, highlighter);
}

async function paint(code: Element, language: string, highlighter: Highlighter): Promise<void> {
  const text = code.textContent ?? '';
  const tokens = await highlighter.highlight(text, language.toLowerCase());
  if (!tokens || code.textContent !== text) return;
  code.replaceChildren(
    ...tokens.map(([part, kind]) => {
      if (kind === '') return part;
      const span = document.createElement('span');
      span.className = `tok-${kind}`;
      span.textContent = part;
      return span;
    }),
  );
}

function linkPath(code: HTMLElement, fileLink: (path: string, line: number | undefined) => string): void {
  if (code.closest('pre, a')) return;
  const match = /^((?:[\w@.-]+\/)*[\w@.-]*\.\w{1,10})(?::(\d+))?$/.exec(code.textContent ?? '');
  if (!match?.[1] || /^\.+$/.test(match[1])) return;
  const link = document.createElement('a');
  link.href = fileLink(match[1], match[2] ? Number(match[2]) : undefined);
  link.className = 'file-link';
  code.replaceWith(link);
  link.append(code);
}

function wrap(node: HTMLElement, className: string): HTMLElement {
  const box = document.createElement('div');
  box.className = className;
  if (className === 'table-scroll') {
    box.tabIndex = 0;
    box.setAttribute('role', 'region');
    box.setAttribute('aria-label', 'Table');
  }
  node.replaceWith(box);
  box.append(node);
  return box;
}

function button(label: string, act: (self: HTMLButtonElement) => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'small';
  made.textContent = label;
  made.addEventListener('click', () => act(made));
  return made;
}
