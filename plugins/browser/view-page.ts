import type { ElementHandle, Frame, Page } from 'playwright-core';
import { visible } from '../../lib/plugin-api/index.ts';
import { checkCollected } from './check-collected.ts';
import { type CollectedElement, type CollectOptions, collectPage } from './collect-page.ts';

export interface PageView {
  text: string;
  /** What a client is shown beside the text. */
  data: { url: string; title: string; characters: number; truncated: boolean; elements: number };
  handles: Map<string, ElementHandle>;
}

export interface ViewOptions {
  from: number;
  maxTextChars: number;
  maxElements: number;
  /** The number of the first reference. */
  firstReference: number;
}

const mostFrames = 12;
const frameMs = 3_000;
/** A page may give itself an address of megabytes. */
export const longestUrl = 2_000;

/**
 * The page as text for a model: title, address, visible text of all frames, and numbered elements. A frame that does not
 * answer within three seconds is named and left out. Rejects when that is the page itself.
 */
export async function viewPage(page: Page, options: ViewOptions): Promise<PageView> {
  const handles = new Map<string, ElementHandle>();
  const sections: string[] = [];
  const lines: string[] = [];
  let room = options.maxTextChars;
  let next = options.firstReference;
  let characters = 0;
  let more = 0;
  let title = '';
  for (const frame of page.frames().slice(0, mostFrames)) {
    const isMain = frame === page.mainFrame();
    const from = isMain ? options.from : 0;
    const maxElements = Math.max(0, options.maxElements - lines.length);
    const found = await collect(frame, { from, maxChars: Math.max(0, room), maxElements }).catch((error: unknown) => {
      if (isMain) throw error;
      return undefined;
    });
    if (found === undefined) {
      sections.push(`[A frame does not answer: ${shorten(frame.url())}]`);
      continue;
    }
    if (isMain) title = found.title;
    const text = visible(found.text.trim());
    room -= found.text.length;
    characters += found.length;
    if (text !== '') sections.push(isMain ? text : `[Frame ${shorten(frame.url())}]\n${text}`);
    const left = found.length - from - found.text.length;
    if (left > 0) sections.push(rest(left, isMain ? from + found.text.length : undefined));
    for (const [at, element] of found.described.entries()) {
      const handle = found.handles[at];
      if (handle === undefined) continue;
      const reference = `e${next++}`;
      handles.set(reference, handle);
      lines.push(describeElement(reference, element));
    }
    more += found.count - found.described.length;
  }
  if (page.frames().length > mostFrames) sections.push(`[${page.frames().length - mostFrames} more frames]`);
  const truncated = characters - options.from > options.maxTextChars;
  const parts = [
    `Title: ${visible(title)}\nURL: ${shorten(page.url())}`,
    sections.join('\n\n'),
    lines.length === 0 ? '' : `Elements:\n${lines.join('\n')}${more > 0 ? `\n[${more} more elements]` : ''}`,
  ];
  return {
    text: parts.filter((part) => part !== '').join('\n\n'),
    data: { url: page.url().slice(0, longestUrl), title, characters, truncated, elements: lines.length },
    handles,
  };
}

async function collect(frame: Frame, options: CollectOptions) {
  return withinTime(async () => {
    const result = await frame.evaluateHandle(collectPage, options);
    const { elements, ...rest } = await result.evaluate(({ elements: list, ...others }) => ({
      ...others,
      elements: list.length,
    }));
    const found = checkCollected(rest, options);
    const handles: (ElementHandle | undefined)[] = [];
    if (elements > 0 && elements <= options.maxElements) {
      const list = await result.getProperty('elements');
      for (const property of (await list.getProperties()).values()) handles.push(property.asElement() ?? undefined);
      await list.dispose();
    }
    await result.dispose();
    return { ...found, handles };
  });
}

function describeElement(reference: string, { role, name, detail }: CollectedElement): string {
  const words = [`[${reference}] ${role}`, name === '' ? '' : JSON.stringify(name), detail];
  return visible(words.filter((word) => word !== '').join(' '));
}

function rest(left: number, from: number | undefined): string {
  return from === undefined
    ? `[${left} more characters]`
    : `[${left} more characters: browser_read with from ${from} goes on]`;
}

function shorten(url: string): string {
  return visible(url.length > 300 ? `${url.slice(0, 300)}...` : url);
}

async function withinTime<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The page does not answer.')), frameMs);
  });
  const working = work();
  working.catch(() => undefined);
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}
