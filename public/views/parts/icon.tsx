/** Line icons, 16 by 16, drawn in the colour of the text. */
const paths = {
  menu: 'M2 4h12M2 8h12M2 12h12',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm3 7 3.5 3.5',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3l1-1Zm3 2.5h2',
  contrast: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 2.5v11M8 5.3h4.6M8 8h5.4M8 10.7h4.6',
  send: 'M8 13V3M4 7l4-4 4 4',
  stop: 'M4.5 4.5h7v7h-7z',
  image: 'M2.5 3.5h11v9h-11zM2.5 10.5l3-3 3 3 2-2 3 3M10 6.2h.5',
  close: 'M4 4l8 8M12 4l-8 8',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  check: 'M3 8.5 6.5 12 13 4.5',
  warn: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.2v.3',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  pencil: 'M3 13l.8-3L10.5 3.3l2.2 2.2L6 12.2 3 13Z',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  link: 'M6.5 9.5l3-3M7 5l1.3-1.3a2.5 2.5 0 0 1 3.6 3.6L10.6 8.6M9 11l-1.3 1.3a2.5 2.5 0 0 1-3.6-3.6L5.4 7.4',
  undo: 'M5.5 3 3 5.5 5.5 8M3 5.5h6a4 4 0 0 1 0 8H6',
  file: 'M4 2.5h5L12 5.5v8H4zM9 2.5v3h3',
  folder: 'M2.5 4h4l1.2 1.5h5.8v7.5h-11z',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2 1.3',
  chat: 'M3 3.5h10v7H8L5 13v-2.5H3z',
  info: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 7.3v3.4M8 5.2v.3',
  sliders: 'M2.5 5h5.5M12 5h1.5M10 3.2v3.6M2.5 11h1.5M8 11h5.5M6 9.2v3.6',
  people:
    'M6 3.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4ZM2.5 13c0-2.5 1.5-4 3.5-4s3.5 1.5 3.5 4M10.5 4a1.8 1.8 0 0 1 0 3.5M11 9.2c1.6.3 2.5 1.7 2.5 3.8',
  download: 'M8 3v7M5 7.5 8 10.5l3-3M3 13h10',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
