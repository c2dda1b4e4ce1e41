import { CopyButton } from '../parts/copy-button.tsx';

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
      <CopyButton text={example} />
    </section>
  );
}
