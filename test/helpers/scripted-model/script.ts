/** What a scripted model does, step by step. Headers leave with the first step that writes something. */
export type Step =
  /** Streamed text; an array is one delta per entry. */
  | { text: string | string[] }
  /** Streamed reasoning. `field` is the chat-completions spelling; `signature` overrides the one that is made up. */
  | { reasoning: string | string[]; field?: 'reasoning_content' | 'reasoning'; signature?: string }
  /** A tool call. A string is sent as it stands (also when it is not JSON); `fragments` cuts it at these lengths. */
  | { toolCall: { id?: string; name: string; arguments: Record<string, unknown> | string; fragments?: number } }
  | { usage: ScriptedUsage | 'none' }
  /** Our names are translated; anything else is sent as it stands. */
  | { finish: string }
  | { delayMs: number }
  /** Waits until `release(name)`. */
  | { hold: string }
  /** Sends the headers and nothing else yet. */
  | { headers: Record<string, string> }
  /** Bytes that go out as they stand, after what was written before. Nothing is added at the end. */
  | { raw: string | Uint8Array }
  /** The vendor's error object inside a stream that began with 200. Ends it. */
  | { error: { message: string; type?: string; code?: string | number } }
  /** An HTTP error with the vendor's body, or with `body`. */
  | { status: number; retryAfter?: string; message?: string; body?: string; headers?: Record<string, string> }
  /** A page of HTML with status 200, as proxies send. */
  | { html: string }
  /** The connection is reset here. */
  | { reset: true }
  /** The stream ends here, cleanly, without the vendor's last events. */
  | { end: true }
  /** Nothing more, ever; the connection stays open. */
  | { hang: true };

export interface ScriptedUsage {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}

/** One answer: its steps in order. */
export type Reply = Step[];

/** How the bytes of a stream are cut: one write per event, one write in all, every n bytes, or inside characters and line ends. */
export type Chunking = 'event' | 'whole' | 'nasty' | number;

export type Wire = 'chat' | 'messages';

/** The vendor's word for how an answer ended. */
export function finishWord(wire: Wire, finish: string): string {
  if (wire === 'chat') return finish;
  const words: Record<string, string> = {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'refusal',
  };
  return words[finish] ?? finish;
}

export function pieces(value: string | string[]): string[] {
  return Array.isArray(value) ? value : [value];
}

/** The argument text of a call, cut into parts of `fragments` characters. */
export function argumentParts(call: { arguments: Record<string, unknown> | string; fragments?: number }): string[] {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  if (!call.fragments) return [text];
  return text.match(new RegExp(`[^]{1,${call.fragments}}`, 'g')) ?? [''];
}

/** The last step of that kind, or the default. */
export function findUsage(reply: Reply): ScriptedUsage | undefined {
  const given = reply.findLast((step): step is { usage: ScriptedUsage | 'none' } => 'usage' in step)?.usage;
  return given === 'none' ? undefined : (given ?? { input: 10, output: 5 });
}

export function findFinish(reply: Reply): string {
  const given = reply.findLast((step): step is { finish: string } => 'finish' in step)?.finish;
  return given ?? (reply.some((step) => 'toolCall' in step) ? 'tool_calls' : 'stop');
}
