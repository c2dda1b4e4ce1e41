import { useState } from 'preact/hooks';
import type { IssuedToken } from '../../../lib/wire/identity.ts';
import { copyText } from '../../service/copy.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';

/** The only time a token is seen. */
export function NewToken({ issued: { user, token }, onDone }: { issued: IssuedToken; onDone: () => void }) {
  const { say } = useConsole();
  const [shown, setShown] = useState(false);
  return (
    <section class="banner warn" aria-label={`Token for ${user.name}`}>
      <span class="banner-text">
        Token for {user.name}, shown once: <code>{shown ? token : '•'.repeat(16)}</code>
      </span>
      <Button onClick={() => setShown(!shown)}>{shown ? 'Hide' : 'Reveal'}</Button>
      <Button icon="copy" onClick={() => void copyText(token).then((done) => (done ? say('Copied.') : setShown(true)))}>
        Copy
      </Button>
      <Button tone="primary" onClick={onDone}>
        I saved it
      </Button>
    </section>
  );
}
