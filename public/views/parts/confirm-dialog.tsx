import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

interface ConfirmProps {
  title: string;
  text: string;
  /** What must be typed first, for what can't be undone. */
  word?: string;
  confirm: string;
  run: () => unknown;
  onClose: () => void;
}

export function ConfirmDialog({ title, text, word, confirm, run, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        onSubmit={() => {
          onClose();
          return run();
        }}
      >
        <p>{text}</p>
        {word && (
          <label class="field">
            <span>
              Type <strong>{word}</strong> to confirm
            </span>
            <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="danger" disabled={word !== undefined && typed !== word}>
            {confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
