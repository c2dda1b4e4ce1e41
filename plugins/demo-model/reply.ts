import type { ModelMessage, ModelRequest, ToolCall, ToolSchema } from '../../lib/plugin-api/index.ts';
import { planOf, type Step, type Value } from './plan.ts';

/** What the demo model answers, before it is streamed. */
export interface Reply {
  reasoning: string;
  content: string;
  toolCalls: ToolCall[];
  /** Seconds to let pass in between, one word each. */
  waitSeconds: number;
  /** Fail instead of answering. */
  failure?: string;
}

const help = `I am the demo model of this service: a small offline program, not an AI. I don't understand language, but I turn plain instructions into real tool calls, so that you can see how everything works. Try:

- list files
- read README.md
- search for import
- run npm test
- write notes.txt: buy milk
- change notes.txt: milk => bread
- fetch https://example.com
- remember that the build is green
- delegate to researcher: list files
- think about the weather
- wait 5
- say hello

Several at once work too: "list files, then read README.md". For real answers, configure a provider, for example with OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment.`;

/**
 * The next answer to a conversation, the same for the same conversation: the steps of the last user message are worked
 * off, one tool call per answer; the last answer says what the tools said.
 */
export function replyTo({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): Reply {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const user = messages[at];
  const since = messages.slice(at + 1);
  const content = user?.content ?? '';
  const images = user?.role === 'user' ? (user.images?.length ?? 0) : 0;
  if (tools.length === 0 && content.startsWith('Summarise')) return summaryOf(content);
  const plan = planOf(content);
  const done = since.reduce(
    (count, message) => count + (message.role === 'assistant' ? message.toolCalls.length : 0),
    0,
  );
  const reply: Reply = { reasoning: '', content: '', toolCalls: [], waitSeconds: 0 };
  const say = (text: string): void => {
    reply.content += `${reply.content === '' ? '' : '\n\n'}${text}`;
  };
  if (images > 0 && done === 0) say(`I can't look at images; you attached ${images === 1 ? 'one' : images}.`);
  if (plan.length === 0) {
    reply.reasoning = 'Nothing in this message is an instruction that I know.';
    say(help);
    return reply;
  }
  const id = `demo_${messages.length}`;
  for (const step of remaining(plan, done, tools)) if (perform(step, reply, say, { tools, id })) return reply;
  for (const message of since) if (message.role === 'tool') say(resultText(message));
  if (reply.content === '') say('Done.');
  return reply;
}

/** The steps behind the last call that was made. */
function remaining(plan: readonly Step[], done: number, tools: readonly ToolSchema[]): Step[] {
  let at = 0;
  for (let left = done; left > 0 && at < plan.length; at++) if (isCall(plan[at], tools)) left -= 1;
  return plan.slice(at);
}

function isCall(step: Step | undefined, tools: readonly ToolSchema[]): boolean {
  return step?.kind === 'call' && tools.some((tool) => tool.name === step.tool);
}

/** Adds a step to the reply; true when the reply ends with it. */
function perform(
  step: Step,
  reply: Reply,
  say: (text: string) => void,
  { tools, id }: { tools: readonly ToolSchema[]; id: string },
): boolean {
  switch (step.kind) {
    case 'say':
      say(step.text);
      return false;
    case 'think':
      reply.reasoning += thoughts(step.topic);
      say(`I thought about ${step.topic}. My thoughts are in the reasoning of this message.`);
      return false;
    case 'wait':
      reply.waitSeconds += step.seconds;
      say(`I waited ${step.seconds === 1 ? 'one second' : `${step.seconds} seconds`}.`);
      return false;
    case 'fail':
      reply.failure = step.message;
      return true;
    case 'call': {
      const tool = tools.find(({ name }) => name === step.tool);
      if (tool === undefined) {
        say(`That takes the tool ${step.tool}, which is not available here.`);
        return false;
      }
      reply.reasoning += `The instruction calls for the tool ${tool.name}.`;
      reply.toolCalls.push({ id, name: tool.name, arguments: fill(tool, step.values) });
      return true;
    }
  }
}

/** Arguments under the names that the tool has for them. */
function fill({ parameters }: ToolSchema, values: readonly Value[]): Record<string, unknown> {
  const known = Object.keys(Object(parameters.properties));
  const args: Record<string, unknown> = {};
  for (const { names, value, optional } of values) {
    const name = names.find((candidate) => known.includes(candidate)) ?? (optional ? undefined : names[0]);
    if (name !== undefined) args[name] = value;
  }
  return args;
}

function resultText({ name, content, isError }: Extract<ModelMessage, { role: 'tool' }>): string {
  const lines = content.trimEnd().split('\n');
  const shown = lines.slice(0, 8).map((line) => (line.length > 160 ? `${line.slice(0, 160)}...` : line));
  const more = lines.length > shown.length ? `\n... and ${lines.length - shown.length} more lines` : '';
  return `${name} ${isError ? 'did not work' : 'answered'}:\n\n\`\`\`\n${shown.join('\n')}${more}\n\`\`\``;
}

/** The runtime asks every model to summarise when a conversation becomes too long. */
function summaryOf(conversation: string): Reply {
  const asked = [...conversation.matchAll(/^## Person\n(.+)$/gm)].map(([, line = '']) => `- ${line.slice(0, 200)}`);
  const content = `Earlier in this conversation the person wrote:\n${asked.slice(-40).join('\n') || '- (nothing)'}`;
  return { reasoning: '', content, toolCalls: [], waitSeconds: 0 };
}

function thoughts(topic: string): string {
  return `I was asked to think about ${topic}. As a small program I can't, but this is how the reasoning of a model arrives: in pieces, apart from the answer, and stored beside it.`;
}
