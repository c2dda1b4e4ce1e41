import type { ComponentChildren } from 'preact';
import { useOnce } from './hooks.ts';

interface FormProps {
  class?: string;
  /** While the promise it gives is pending, nothing is sent again. */
  onSubmit: () => unknown;
  children: ComponentChildren;
}

/** Every form that sends. */
export function Form(props: FormProps) {
  const [busy, once] = useOnce();
  return (
    <form
      class={props.class}
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        once(props.onSubmit);
      }}
    >
      {props.children}
    </form>
  );
}
