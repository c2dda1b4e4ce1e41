import { useEffect, useState } from 'preact/hooks';
import type { WorkspaceFile } from '../../../lib/wire/workspace.ts';
import { matchesFile } from '../../sandbox/slot-rules.ts';
import { messageOf } from '../../service/message-of.ts';
import { bytes, moment, plural } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { Markdown } from '../chat/markdown.tsx';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { PluginFrame, useFound } from '../plugins/plugin-slot.tsx';
import { Source } from './source.tsx';

/** One file: text with line numbers, an image, or what can be said of the rest. */
export function FileViewer({ sessionId, path, line }: { sessionId: string; path: string; line: number | undefined }) {
  const { api } = useConsole();
  const [file] = useLoaded(() => api().readFile(sessionId, path), [sessionId, path]);
  const [preview, setPreview] = useState(true);
  const [broken, setBroken] = useState<string>();
  const viewers = useFound('file.viewer');
  if (file.state === 'loading') return <p class="empty">Loading…</p>;
  if (file.state === 'failed')
    return (
      <div class="file-view">
        <header class="file-head">
          <Back sessionId={sessionId} />
          <h2>{path}</h2>
        </header>
        <p class="file-body problem">{messageOf(file.error)}</p>
      </div>
    );
  const { value } = file;
  const markdown = value.encoding === 'utf8' && /\.(md|markdown)$/i.test(value.name);
  const viewer = viewers.find(({ match, key }) => key !== broken && matchesFile(match, value.name));
  const shown = preview && line === undefined;
  const rendered = (markdown || viewer !== undefined) && shown;
  return (
    <section class="file-view" aria-label={value.path}>
      <header class="file-head">
        <Back sessionId={sessionId} />
        <h2>{value.path}</h2>
        <span class="muted">
          {bytes(value.size)}
          {value.lines === undefined ? '' : `, ${plural(value.lines, 'line')}`}, changed {moment(value.modifiedAt)}
        </span>
        <span class="spring" />
        {(markdown || viewer) && (
          <>
            <Button tone="quiet" pressed={rendered} onClick={() => setPreview(true)}>
              {viewer ? viewer.title : 'Preview'}
            </Button>
            <Button tone="quiet" pressed={!rendered} onClick={() => setPreview(false)}>
              Source
            </Button>
          </>
        )}
        <Button icon="download" label="Download" tone="quiet" onClick={() => download(value)} />
      </header>
      {broken && <p class="banner warn">The plugin's viewer failed; this is the source.</p>}
      {value.truncated && <p class="banner warn">The file is cut at 2 MB: this is its first part.</p>}
      <div class="file-body" tabIndex={0} role="region" aria-label="Content">
        {viewer && rendered ? (
          <PluginFrame
            key={viewer.key}
            found={viewer}
            sessionId={sessionId}
            file={value}
            onFail={() => setBroken(viewer.key)}
          />
        ) : rendered ? (
          <Markdown text={value.content} sessionId={sessionId} now />
        ) : value.encoding === 'utf8' ? (
          <Source text={value.content} name={value.name} line={line} />
        ) : (
          <Binary file={value} />
        )}
      </div>
    </section>
  );
}

/** To the tree, where it does not fit beside the file. */
function Back({ sessionId }: { sessionId: string }) {
  return (
    <a class="back" href={links.files(sessionId)}>
      ‹ Files
    </a>
  );
}

function Binary({ file }: { file: WorkspaceFile }) {
  const [url, setUrl] = useState<string>();
  const image = /^image\/(png|jpeg|webp|gif)$/.test(file.mimeType) && !file.truncated;
  useEffect(() => {
    if (!image) return undefined;
    const made = URL.createObjectURL(blobOf(file));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (image) return url ? <img class="lightbox" src={url} alt={file.name} /> : null;
  return (
    <p class="empty">
      {file.mimeType}, {bytes(file.size)}. This kind of file can't be shown.
    </p>
  );
}

function blobOf({ content, encoding, mimeType }: WorkspaceFile): Blob {
  const part = encoding === 'utf8' ? content : Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
  return new Blob([part], { type: encoding === 'utf8' ? 'text/plain' : mimeType });
}

function download(file: WorkspaceFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blobOf(file));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
