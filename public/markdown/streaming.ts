import type { MarkdownRenderer } from './render.ts';

/** Markdown that grows. Blocks that are complete are drawn once; only the last one is drawn again. */
export interface StreamingMarkdown {
  update(text: string): void;
}

/** `finish` gives a drawn block what text alone does not have; `settled` is false while the block still grows. */
export function createStreamingMarkdown(
  target: HTMLElement,
  renderer: MarkdownRenderer,
  finish: (block: HTMLElement, settled: boolean) => void = () => undefined,
): StreamingMarkdown {
  let settledChars = 0;
  let tail: ChildNode[] = [];
  let openCode: { node: Text; shown: string } | undefined;

  const dropTail = (): void => {
    for (const node of tail) node.remove();
    tail = [];
    openCode = undefined;
  };
  const draw = (block: Parameters<MarkdownRenderer['renderBlock']>[0], settled: boolean): ChildNode[] => {
    const box = document.createElement('div');
    box.append(renderer.renderBlock(block));
    finish(box, settled);
    const nodes = [...box.childNodes];
    target.append(...nodes);
    return nodes;
  };

  return {
    update(text) {
      const pending = text.slice(settledChars);
      const blocks = renderer.blocks(pending);
      const last = blocks.pop();
      if (!last) return;
      if (blocks.length > 0) {
        dropTail();
        for (const block of blocks) {
          draw(block, true);
          settledChars += block.raw.length;
        }
      }
      if (last.type === 'space') return dropTail();
      const code = last.type === 'code' && 'text' in last ? String(last.text) : undefined;
      // Code that is being streamed grows at the end of one text node: nothing is parsed or drawn again.
      if (code !== undefined && openCode && code.startsWith(openCode.shown)) {
        openCode.node.appendData(code.slice(openCode.shown.length));
        openCode.shown = code;
        return;
      }
      dropTail();
      const held = code === undefined ? { ...last, ...withoutHalfFence(last.raw) } : last;
      tail = draw('retry' in held && held.retry ? (renderer.blocks(held.raw)[0] ?? last) : last, false);
      const node = code === undefined ? undefined : codeIn(tail)?.firstChild;
      openCode = node instanceof Text && code !== undefined ? { node, shown: node.data } : undefined;
    },
  };
}

function codeIn(nodes: readonly ChildNode[]): Element | null | undefined {
  return nodes.find((node) => node instanceof Element)?.querySelector('code');
}

/** Holds back back-ticks at the end of what has come: half of a fence would flash as text. */
function withoutHalfFence(raw: string): { raw: string; retry?: true } {
  let end = raw.length;
  while (raw.charAt(end - 1) === '`') end--;
  if (end === raw.length) return { raw };
  const held = raw.slice(0, end).replace(/\n$/, '');
  return held === '' ? { raw } : { raw: held, retry: true };
}
