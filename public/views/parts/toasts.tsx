import { useConsole } from '../context.tsx';

/** Short messages that go by themselves. */
export function Toasts() {
  const { store } = useConsole();
  const drop = (key: number) => {
    store.toasts.value = store.toasts.value.filter((toast) => toast.key !== key);
  };
  return (
    <div class="toasts" role="status" aria-live="polite">
      {store.toasts.value.map(({ key, text, tone, action }) => (
        <div key={key} class={`toast ${tone}`}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              class="link"
              onClick={() => {
                drop(key);
                action.run();
              }}
            >
              {action.label} <kbd>Alt Z</kbd>
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
