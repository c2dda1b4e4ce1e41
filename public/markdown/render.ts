import createDOMPurify, { type Config } from 'dompurify';
import { Lexer, Marked, type Token } from 'marked';

/** Markdown as safe DOM. Raw HTML is shown as text; links lead to other places, never to a page or a token of this one; images become chips, because loading them would tell their host. */
export interface MarkdownRenderer {
  render(text: string): DocumentFragment;
  /** The blocks of a text, for streaming. */
  blocks(text: string): Token[];
  renderBlock(block: Token): DocumentFragment;
}

const mostChars = 400_000;
/** The library takes the square of a word's length: ten seconds for one of 100,000 characters. */
const endlessWord = /\S{2000}/;
/** It looks from each mark to the end of the text: so many steps take a tenth of a second. */
const mostSteps = 4_000_000;
/** Short rows are filled up to the columns of the head: 36 KB could become ten million cells. */
const mostCells = 20_000;

const allowed: Config = {
  ALLOWED_TAGS:
    `a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i input li ol p pre span strong sub sup table tbody td
    th thead tr ul`.split(/\s+/),
  ALLOWED_ATTR: ['href', 'title', 'class', 'align', 'start', 'type', 'checked', 'disabled'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
};

/** Make one per page: the sanitizer registers a policy under its name. */
export function createMarkdownRenderer(): MarkdownRenderer {
  const purify = createDOMPurify(window);
  const marked = new Marked({ gfm: true, async: false });
  const lex = (text: string) => new PatientLexer(marked.defaults).lex(text);
  marked.use({
    hooks: { provideLexer: () => lex },
    tokenizer: {
      table(source) {
        const [, head = '', , rows = ''] = this.rules.block.table.exec(source) ?? [];
        return head.split('|').length * rows.split('\n').length > mostCells ? undefined : false;
      },
    },
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ href, text }) =>
        `<span class="image-chip">${escapeHtml(`${text || 'image'} (${hostOf(href)})`)}</span>`,
    },
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.nodeName === 'A') {
      node.setAttribute('rel', 'noopener noreferrer');
      node.setAttribute('target', '_blank');
    }
    if (node.nodeName === 'INPUT') {
      node.setAttribute('disabled', '');
      node.setAttribute('type', 'checkbox');
      node.setAttribute('aria-label', node.hasAttribute('checked') ? 'done' : 'to do');
    }
    if (node.nodeName === 'PRE') node.setAttribute('tabindex', '0');
  });
  const clean = (html: string): DocumentFragment => purify.sanitize(html, allowed) as unknown as DocumentFragment;

  return {
    render(text) {
      try {
        if (text.length > mostChars) return plain(text);
        return clean(marked.parse(text) as string);
      } catch {
        return plain(text);
      }
    },
    blocks(text) {
      try {
        return lex(text);
      } catch {
        return [{ type: 'plain', raw: text }];
      }
    },
    renderBlock(block) {
      try {
        return block.type === 'plain' ? plain(block.raw) : clean(marked.parser([block]));
      } catch {
        return plain(block.raw);
      }
    },
  };
}

/** Looks for nothing inside a text where that would take too long: it stays as it is. */
class PatientLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (!takesLong(text)) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text });
    return tokens;
  }
}

function takesLong(text: string): boolean {
  const marks = text.match(/[*_~`[]/g)?.length ?? 0;
  return marks * text.length > mostSteps || endlessWord.test(text);
}

/** Text that is too deep or too long to be parsed. */
function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pre = document.createElement('pre');
  pre.className = 'plain';
  pre.tabIndex = 0;
  pre.textContent = text;
  fragment.append(pre);
  return fragment;
}

function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).host || 'inline' : 'local';
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
