/** What `collectPage` is told. */
export interface CollectOptions {
  /** Characters of text to skip, and to return at most. */
  from: number;
  maxChars: number;
  maxElements: number;
}

export interface CollectedElement {
  /** `link`, `button`, `textbox`, ... */
  role: string;
  name: string;
  /** Where a link leads, what a field contains. */
  detail: string;
}

// The little of the DOM that is used; the service itself is not compiled with its types.
export interface PageElement {
  readonly tagName: string;
  readonly innerText?: string;
  readonly value?: unknown;
  readonly type?: unknown;
  readonly href?: unknown;
  readonly checked?: unknown;
  readonly disabled?: unknown;
  readonly labels?: ArrayLike<PageElement> | null;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { width: number; height: number };
  checkVisibility?(): boolean;
  querySelector(selector: string): PageElement | null;
}

export interface CollectedPage {
  title: string;
  text: string;
  /** Characters of the whole text. */
  length: number;
  elements: PageElement[];
  described: CollectedElement[];
  /** Elements that could be operated, also those beyond the maximum. */
  count: number;
}

/** Runs inside a page (and so is complete in itself): its visible text and the elements that can be operated. */
export function collectPage({ from, maxChars, maxElements }: CollectOptions): CollectedPage {
  const { document } = globalThis as unknown as {
    document: {
      title: string;
      body: PageElement | null;
      querySelectorAll(selector: string): ArrayLike<PageElement>;
    };
  };
  const selector =
    'a[href],button,input:not([type=hidden]),textarea,select,summary,[contenteditable=""],[contenteditable=true],[onclick],' +
    ['button', 'link', 'tab', 'menuitem', 'checkbox', 'radio', 'option', 'switch', 'textbox', 'combobox']
      .map((role) => `[role=${role}]`)
      .join(',');
  const line = (value: unknown, most: number): string => {
    const text =
      typeof value === 'string'
        ? value
            .slice(0, most * 10)
            .replace(/\s+/g, ' ')
            .trim()
        : '';
    return text.length > most ? `${text.slice(0, most)}...` : text;
  };
  const isVisible = (element: PageElement): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility?.() !== false;
  };
  const roleOf = (element: PageElement): string => {
    const given = element.getAttribute('role');
    if (given) return line(given, 20);
    const tag = element.tagName.toLowerCase();
    if (tag === 'a') return 'link';
    if (tag === 'select') return 'select';
    if (tag === 'textarea') return 'textbox';
    if (tag !== 'input') return tag === 'button' || tag === 'summary' ? 'button' : 'element';
    const type = String(element.type);
    if (type === 'checkbox' || type === 'radio' || type === 'file') return type;
    return ['submit', 'button', 'reset', 'image'].includes(type) ? 'button' : 'textbox';
  };
  const nameOf = (element: PageElement, role: string): string => {
    const isField = role === 'textbox' || role === 'select' || role === 'checkbox' || role === 'radio';
    const candidates = [
      element.getAttribute('aria-label'),
      // A label around its field contains the words of the field, too.
      element.labels?.[0]?.innerText?.replace(element.innerText ?? '', ''),
      isField ? undefined : element.innerText,
      element.getAttribute('placeholder'),
      role === 'button' ? element.value : undefined,
      element.querySelector('img[alt]')?.getAttribute('alt'),
      element.getAttribute('title'),
      element.getAttribute('name'),
    ];
    return candidates.map((value) => line(value, 80)).find((value) => value !== '') ?? '';
  };
  const detailOf = (element: PageElement, role: string): string => {
    const states = [
      role === 'link' ? line(element.href, 200) : '',
      role === 'checkbox' || role === 'radio' ? (element.checked === true ? 'checked' : 'not checked') : '',
      role === 'textbox' || role === 'select'
        ? element.type === 'password'
          ? ''
          : line(element.value, 80) && `contains ${JSON.stringify(line(element.value, 80))}`
        : '',
      element.disabled === true ? 'disabled' : '',
    ];
    return states.filter((state) => state !== '').join(', ');
  };

  const whole = document.body?.innerText ?? '';
  const elements: PageElement[] = [];
  const found = document.querySelectorAll(selector);
  let count = 0;
  // Looking costs layout, so a page of a million links is looked at up to a point.
  for (let at = 0; at < Math.min(found.length, 20_000); at++) {
    const element = found[at];
    if (element === undefined || !isVisible(element)) continue;
    count += 1;
    if (elements.length < maxElements) elements.push(element);
  }
  const described = elements.map((element) => {
    const role = roleOf(element);
    return { role, name: nameOf(element, role), detail: detailOf(element, role) };
  });
  const text = whole.slice(from, from + maxChars);
  return { title: line(document.title, 300), text, length: whole.length, elements, described, count };
}
