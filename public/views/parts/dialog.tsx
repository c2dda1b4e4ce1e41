import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
  /** Without the line with title and close button. */
  bare?: boolean;
  /** Ctrl Enter, wherever the focus is in the dialog. */
  onConfirm?: () => void;
}

/**
 * A native modal dialog; what has `data-first` gets the focus. Escape and the backdrop close it; focus goes back to
 * where it was.
 */
export function Dialog({ title, onClose, children, class: className = '', bare, onConfirm }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const modal = dialog.current;
    modal?.showModal();
    modal?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      modal?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onConfirm) return;
        event.preventDefault();
        onConfirm();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        {!bare && (
          <header class="dialog-head">
            <h2>{title}</h2>
            <Button icon="close" label="Close" tone="quiet" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
