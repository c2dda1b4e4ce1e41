import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createClient, type RunResult, type SessionEvent } from '../../lib/client/index.ts';
import { startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { agentScript } from './agent-script.ts';

export interface Example {
  result: RunResult;
  /** Where the agent worked. */
  workspace: string;
  /** What the strict model server found wrong with requests. */
  problems: string[];
}

/** Starts a model server and the service, lets the agent repair a copy of the example workspace, and prints what a person would see. */
export async function fixTheTest({ print }: { print: (line: string) => void }): Promise<Example> {
  const workspace = tempDirectory('basket');
  cpSync(resolve('test/example/fixtures/workspace'), workspace, { recursive: true });
  const model = await startScriptedModel({ replies: agentScript });
  const service = await startService({
    settings: {
      plugins: { config: { 'chat-completions': { baseUrl: model.url, apiKey: 'none', models: ['coder'] } } },
    },
  });
  try {
    const client = createClient({ baseUrl: service.url });
    const { session } = await client.createSession({ workspace, title: 'Fix the tests' });
    print('> npm test fails. Please fix it.');
    const result = await client.sendAndWait(session.id, 'npm test fails. Please fix it.', {
      onEvent: ({ event }) => describe(event).map(print),
      approve: ({ reason }) => {
        print(`? ${reason} -> yes`);
        return true;
      },
    });
    print(`= ${result.status}, ${result.usage?.totalTokens} tokens`);
    const problems = model.requests.flatMap(({ problem }) => problem ?? []);
    return { result, workspace: join(workspace), problems };
  } finally {
    await service.stop();
    await model.close();
  }
}

/** The lines that an event is worth. */
function describe(event: SessionEvent): string[] {
  if (event.type === 'message.completed' && event.message.role === 'assistant' && event.message.content !== '')
    return [event.message.content];
  if (event.type === 'tool.started') {
    const { path, command } = event.call.arguments;
    return [`- ${event.call.name} ${path ?? command}`];
  }
  if (event.type !== 'tool.finished') return [];
  const { ok, content } = event.result;
  const counts = [...content.matchAll(/^. ((?:pass|fail) \d+)$/gm)].map(([, count]) => count);
  return [`  ${ok ? 'ok' : 'failed'}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}`];
}
