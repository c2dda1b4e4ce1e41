/** An image that is ready to be sent. */
export interface DraftImage {
  id: string;
  name: string;
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** Base64. */
  data: string;
}

/** Its address in the page. No object URL, which would have to be given back wherever a draft may end. */
export function addressOf({ mimeType, data }: Pick<DraftImage, 'mimeType' | 'data'>): string {
  return `data:${mimeType};base64,${data}`;
}

export interface Draft {
  text: string;
  images: readonly DraftImage[];
}

export const emptyDraft: Draft = { text: '', images: [] };

/** One behind the other, as one message. */
export function joinDrafts(first: Draft, second: Draft): Draft {
  return {
    text: [first.text, second.text].filter(Boolean).join('\n'),
    images: [...first.images, ...second.images],
  };
}

/** What was typed and not sent, per session (`new` for the next one). Text survives a reload, images do not. */
export interface Drafts {
  get(key: string): Draft;
  set(key: string, draft: Draft): void;
}

export function createDrafts(kept: {
  read(name: string): string | null;
  /** Without a text nothing is kept any more. */
  write(name: string, text: string | undefined): void;
}): Drafts {
  const images = new Map<string, readonly DraftImage[]>();
  const texts = new Map<string, string>();
  const name = (key: string): string => `service.draft.${key}`;
  return {
    get: (key) => ({
      text: texts.get(key) ?? kept.read(name(key)) ?? '',
      images: images.get(key) ?? [],
    }),
    set(key, draft) {
      texts.set(key, draft.text);
      images.set(key, draft.images);
      kept.write(name(key), draft.text || undefined);
    },
  };
}
