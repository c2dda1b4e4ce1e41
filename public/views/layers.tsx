import { useConsole } from './context.tsx';
import { Palette } from './palette.tsx';
import { ConfirmDialog } from './parts/confirm-dialog.tsx';
import { Dialog } from './parts/dialog.tsx';
import { lazyView } from './parts/lazy-view.tsx';

const Shortcuts = lazyView(() => import('./shortcuts.tsx').then((module) => module.Shortcuts));
const RewindDialog = lazyView(() => import('./checkpoints/rewind-dialog.tsx').then((module) => module.RewindDialog));
const RestoreDialog = lazyView(() => import('./checkpoints/restore-dialog.tsx').then((module) => module.RestoreDialog));

/** The dialog that is open, if there is one. */
export function Layers() {
  const { store } = useConsole();
  const layer = store.layer.value;
  const close = () => {
    store.layer.value = undefined;
  };
  switch (layer?.name) {
    case 'palette':
      return <Palette onClose={close} />;
    case 'shortcuts':
      return <Shortcuts onClose={close} />;
    case 'rewind':
      return <RewindDialog sessionId={layer.sessionId} messageId={layer.messageId} edit={layer.edit} onClose={close} />;
    case 'restore':
      return <RestoreDialog sessionId={layer.sessionId} checkpointId={layer.checkpointId} onClose={close} />;
    case 'confirm':
      return <ConfirmDialog {...layer} onClose={close} />;
    case 'image':
      return (
        <Dialog title={layer.label} onClose={close} class="wide">
          <img class="lightbox" src={layer.url} alt={layer.label} />
        </Dialog>
      );
    default:
      return null;
  }
}
