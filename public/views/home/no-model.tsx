import { copyText } from '../../service/copy.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';

const example = `{
  "plugins": {
    "config": {
      "chat-completions": {
        "baseUrl": "https://api.openai.com/v1",
        "apiKeyEnv": "OPENAI_API_KEY",
        "models": ["gpt-5"]
      }
    }
  }
}`;

/** Instead of the composer while no model is registered: exactly what to set. */
export function NoModel() {
  const { say } = useConsole();
  return (
    <section class="card">
      <h2>No model is registered</h2>
      <p>
        Set <code>OPENAI_API_KEY</code> or <code>ANTHROPIC_API_KEY</code> in the environment of the server, or configure
        a provider plugin in <code>service.config.json</code> under <code>plugins.config</code>, and restart:
      </p>
      <pre class="command" tabIndex={0}>
        {example}
      </pre>
      <Button
        icon="copy"
        onClick={() =>
          void copyText(example).then((done) => say(done ? 'Copied.' : 'The browser did not allow copying.'))
        }
      >
        Copy
      </Button>
    </section>
  );
}
