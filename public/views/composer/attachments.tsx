import { useState } from 'preact/hooks';
import { addressOf, type Draft, type DraftImage } from '../../state/drafts.ts';
import { bytes } from '../../state/format.ts';
import { imageProblem } from '../../state/image-budget.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';

/** Images by paste, drop and picker. What does not fit is refused before it is added, with the reason. */
export function useAttachments(latest: { current: Draft }, change: (next: Draft) => void) {
  const { store, say } = useConsole();
  const [dragging, setDragging] = useState(false);
  const budget = (images: readonly DraftImage[]) => {
    const bodyBytes = store.config.value?.server.bodyLimitBytes;
    return imageProblem(images, { text: latest.current.text, ...(bodyBytes === undefined ? {} : { bodyBytes }) });
  };
  const add = async (files: readonly File[]): Promise<void> => {
    const { prepareImage } = await import('../../service/prepare-image.ts');
    for (const file of files) {
      try {
        const image = await prepareImage(file);
        const images = [...latest.current.images, image];
        const problem = budget(images);
        if (problem) throw new Error(problem);
        change({ ...latest.current, images });
        latest.current = { ...latest.current, images };
      } catch (error) {
        say(error instanceof Error ? error.message : String(error), 'danger');
      }
    }
  };
  const filesOf = (list: DataTransfer | null): File[] => [...(list?.files ?? [])];

  return {
    dragging,
    problem: () => (latest.current.images.length > 0 ? budget(latest.current.images) : undefined),
    onPaste(event: ClipboardEvent) {
      const files = filesOf(event.clipboardData);
      if (files.length === 0) return;
      event.preventDefault();
      void add(files);
    },
    pick() {
      const input = document.createElement('input');
      input.type = 'file';
      input.multiple = true;
      input.accept = 'image/png,image/jpeg,image/webp,image/gif';
      input.onchange = () => void add([...(input.files ?? [])]);
      input.click();
    },
    dropTarget: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        setDragging(true);
      },
      onDragLeave: () => setDragging(false),
      onDrop(event: DragEvent) {
        event.preventDefault();
        setDragging(false);
        void add(filesOf(event.dataTransfer));
      },
    },
  };
}

export function Attachments({ images, onRemove }: { images: readonly DraftImage[]; onRemove: (id: string) => void }) {
  if (images.length === 0) return null;
  const total = images.reduce((sum, { data }) => sum + (data.length / 4) * 3, 0);
  return (
    <div class="attachments">
      {images.map((image) => (
        <span class="attachment" key={image.id}>
          <img src={addressOf(image)} alt={image.name} />
          <Button icon="close" label={`Remove ${image.name}`} tone="quiet" onClick={() => onRemove(image.id)} />
        </span>
      ))}
      <span class="muted">{bytes(total)}</span>
    </div>
  );
}
