import { Parser } from 'htmlparser2';
import { createTextWriter } from './text-writer.ts';

export interface RenderedPage {
  title: string;
  /** Markdown-like: headings, lists, links, tables in plain lines. */
  text: string;
  /** The page was nested too deeply to be read to its end. */
  truncated: boolean;
}

const silent = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'canvas',
  'select',
]);
const blocks = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr html li main nav ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const paragraphs = new Set(['p', 'blockquote', 'pre', 'ul', 'ol', 'table', 'section', 'article', 'dl', 'figure']);

/** The parser's cost of a level grows with the depth, and no page that people read comes near this. */
const deepest = 1_000;
/** Nobody reads more of a title; it stays in the transcript, beside the text. */
const titleChars = 1_000;
/** A main part shorter than this is probably not what the page is about. */
const mainChars = 200;

/**
 * The readable text of a page; links become absolute. Streaming: no tree, no recursion. Only for a worker: a page may
 * take seconds.
 */
export function renderHtml(html: string, baseUrl: string): RenderedPage {
  const writer = createTextWriter();
  const open = { depth: 0, silent: 0, pre: 0, main: 0, title: false, list: [] as number[] };
  const links: { href: string | undefined; from: number }[] = [];
  const mainParts: [from: number, to: number][] = [];
  let title = '';
  let truncated = false;

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open.depth++;
        if (silent.has(name)) open.silent++;
        if (open.silent > 0) return;
        if (name === 'title') open.title = true;
        if (blocks.has(name)) writer.breakLine(paragraphs.has(name) ? 2 : 1);
        const level = /^h([1-6])$/.exec(name)?.[1];
        if (level !== undefined) {
          writer.breakLine(2);
          writer.put(`${'#'.repeat(Number(level))} `);
        } else if (name === 'br') writer.breakLine(1);
        else if (name === 'hr') writer.put('---');
        else if (name === 'pre') open.pre++;
        else if (name === 'ul') open.list.push(-1);
        else if (name === 'ol') open.list.push(1);
        else if (name === 'li') writer.put(bullet(open.list));
        else if (name === 'td' || name === 'th') writer.put(writer.startsLine ? '| ' : ' | ');
        else if (name === 'img' && attributes.alt) writer.text(`[image: ${attributes.alt}]`);
        else if (name === 'a') links.push({ href: absolute(attributes.href, baseUrl), from: writer.length });
        else if ((name === 'main' || name === 'article') && open.main++ === 0)
          mainParts.push([writer.length, Infinity]);
        if (open.depth > deepest) {
          truncated = true;
          parser.pause();
        }
      },
      ontext(text) {
        if (open.silent > 0 || truncated) return;
        if (open.title) title = (title + text).slice(0, titleChars);
        else if (open.pre > 0) writer.put(text);
        else writer.text(text);
      },
      onclosetag(name) {
        open.depth--;
        if (silent.has(name)) {
          open.silent = Math.max(0, open.silent - 1);
          return;
        }
        if (open.silent > 0) return;
        if (name === 'title') open.title = false;
        else if (name === 'pre') open.pre--;
        else if (name === 'ul' || name === 'ol') open.list.pop();
        else if (name === 'a') closeLink(links.pop());
        else if ((name === 'main' || name === 'article') && --open.main === 0) closeMain();
        if (blocks.has(name) || /^h[1-6]$/.test(name))
          writer.breakLine(paragraphs.has(name) || name.startsWith('h') ? 2 : 1);
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );

  function closeLink(link: { href: string | undefined; from: number } | undefined): void {
    const text = link && writer.since(link.from).trim();
    if (link?.href !== undefined && text) writer.put(` <${link.href}>`);
  }

  function closeMain(): void {
    const last = mainParts.at(-1);
    if (last) last[1] = writer.length;
  }

  for (let at = 0; at < html.length && !truncated; at += 65_536) parser.write(html.slice(at, at + 65_536));
  if (!truncated) parser.end();
  const main = mainParts.map(([from, to]) => writer.since(from, to).trim()).join('\n\n');
  const text = main.length >= mainChars ? main : writer.since(0).trim();
  return { title: title.replace(/\s+/g, ' ').trim(), text, truncated };
}

/** Moves the number of the innermost list on. */
function bullet(list: number[]): string {
  const indent = '  '.repeat(Math.min(8, Math.max(0, list.length - 1)));
  const number = list.at(-1) ?? -1;
  if (number > 0) list[list.length - 1] = number + 1;
  return `${indent}${number > 0 ? `${number}.` : '-'} `;
}

function absolute(href: string | undefined, baseUrl: string): string | undefined {
  if (href === undefined || href.startsWith('#') || !URL.canParse(href, baseUrl)) return undefined;
  const url = new URL(href, baseUrl);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}
