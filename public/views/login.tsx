import { useState } from 'preact/hooks';
import { isApiError } from '../../lib/client/index.ts';
import { useConsole } from './context.tsx';
import { Button } from './parts/button.tsx';
import { useOnce } from './parts/hooks.ts';

/** One screen that names the real cause: a wrong token, or a server that does not answer. */
export function Login({ reason }: { reason: string }) {
  const { signIn } = useConsole();
  const [token, setToken] = useState('');
  const [remember, setRemember] = useState(false);
  const [shown, setShown] = useState(false);
  const [problem, setProblem] = useState(reason);
  const [busy, once] = useOnce();
  const submit = async (): Promise<void> => {
    try {
      await signIn(token.trim(), remember);
    } catch (error) {
      setProblem(
        isApiError(error)
          ? error.status === 401
            ? 'This token is not accepted.'
            : error.message
          : 'The server is not reachable. Is it running, and is this its address?',
      );
    }
  };
  return (
    <main class="login">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          once(submit);
        }}
      >
        <h1>Sign in</h1>
        <p class="muted">Agent service at {location.host}</p>
        <label class="field">
          Token
          <span class="with-button">
            <input
              type={shown ? ('text' as 'password') : 'password'}
              autocomplete="current-password"
              name="token"
              value={token}
              required
              ref={(input) => {
                if (input && document.activeElement === document.body && matchMedia('(hover: hover)').matches)
                  input.focus();
              }}
              aria-invalid={problem !== ''}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
            <Button onClick={() => setShown(!shown)} pressed={shown}>
              {shown ? 'Hide' : 'Show'}
            </Button>
          </span>
        </label>
        <label class="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />
          Remember on this device
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Button type="submit" tone="primary" disabled={busy || token.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
}
