import { useConsole } from '../context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';

/** The same from a shell, for people who came for the API. */
export function TryByHand() {
  const { store } = useConsole();
  const commands = commandsFor(store.me.value?.mode !== 'none');
  return (
    <details class="by-hand">
      <summary>Use it from a shell</summary>
      <pre class="command" tabIndex={0}>
        {commands}
      </pre>
      <CopyButton text={commands} />
    </details>
  );
}

function commandsFor(withToken: boolean): string {
  const header = withToken ? ' -H "authorization: Bearer $TOKEN"' : '';
  const root = new URL('api', document.baseURI).href;
  return [
    `base=${root}`,
    `id=$(curl -s${header} -X POST $base/sessions | sed 's/.*"id":"\\(ses_[^"]*\\)".*/\\1/')`,
    `curl -sN${header} "$base/sessions/$id/events?lastEventId=0" &`,
    `curl -s${header} -X POST $base/sessions/$id/messages -d '{"content":"list files"}'`,
  ].join('\n');
}
