import { useEffect, useState } from 'preact/hooks';
import type { ShownImage } from '../../state/conversation.ts';
import { useConsole } from '../context.tsx';

/** The images of a message. Their bytes are fetched when they are shown and let go when they are not. */
export function Images({ images, sessionId }: { images: readonly ShownImage[]; sessionId: string }) {
  return (
    <div class="images">
      {images.map((image, at) => (
        <Thumbnail key={'hash' in image ? image.hash : at} image={image} sessionId={sessionId} number={at + 1} />
      ))}
    </div>
  );
}

function Thumbnail({ image, sessionId, number }: { image: ShownImage; sessionId: string; number: number }) {
  const tools = useConsole();
  const [url, setUrl] = useState<string>();
  const [failed, setFailed] = useState(false);
  const key = 'hash' in image ? image.hash : image.data.length;
  useEffect(() => {
    let made: string | undefined;
    let gone = false;
    blobOf(image, (hash) => tools.readImage(sessionId, hash)).then(
      (blob) => {
        if (gone) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [key, sessionId]);
  const label = image.name ?? `Image ${number}`;
  if (failed) return <span class="image-chip">{label}: not available</span>;
  return (
    <button
      type="button"
      class="thumbnail"
      aria-label={`Open ${label}`}
      onClick={() => {
        if (url) tools.store.layer.value = { name: 'image', url, label };
      }}
    >
      {url ? <img src={url} alt={label} /> : <span class="image-chip">{label}</span>}
    </button>
  );
}

async function blobOf(image: ShownImage, read: (hash: string) => Promise<Blob>): Promise<Blob> {
  if ('hash' in image) return read(image.hash);
  const bytes = Uint8Array.from(atob(image.data), (sign) => sign.charCodeAt(0));
  return new Blob([bytes], { type: image.mimeType });
}
