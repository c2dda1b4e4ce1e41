import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A view that is loaded when it is first shown. */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyView(props: P) {
    const [, drawAgain] = useState(0);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (view) => {
          loaded = view;
          drawAgain((value) => value + 1);
        },
        () => setFailed(true),
      );
    }, []);
    const View = loaded;
    if (View) return <View {...props} />;
    return (
      <p class="empty" role="status">
        {failed ? 'This part of the console could not be loaded. Reload the page.' : 'Loading…'}
      </p>
    );
  };
}
