/**
 * A server that the bench can start and talk to. A driver file (`--driver=path.mjs`) has one as its default export;
 * `drivers/process-durability.mjs` is an example. Nothing else in the bench knows a server.
 */
export interface Driver {
  /** Heads its column; `raw`, `ours` and `sql` are taken. */
  name: string;
  /** What to run. It must serve on 127.0.0.1 at `place.port`; SIGTERM must end it. */
  program(place: Place): Program | Promise<Program>;
  /** Where its HTTP differs from this service's. */
  dialect?: Partial<Dialect>;
  /** True: its sessions are gone with its process, so that restarts and kills are not measured. */
  forgets?: boolean;
}

/** Where a process is started. The directory is its working directory, new for most rows, the same after a restart. */
export interface Place {
  directory: string;
  /** Below the directory; holds `bench.txt`, the file that tool rounds read. */
  workspace: string;
  port: number;
  /** A chat-completions API, up to and with `/v1`; any key and the model `bench` will do. */
  modelUrl: string;
}

export interface Program {
  command: string;
  words: string[];
  /** Added to PATH and HOME, which is all that the process gets otherwise. */
  environment?: Record<string, string>;
}

export type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; text: string }>;

/** How a server is spoken to. The default is the contract of this service. */
export interface Dialect {
  /** Answers 200 once the server serves. */
  healthPath: string;
  /** Resolves with the id of a new session that works in `workspace`, if one is given. */
  createSession(ask: Ask, options: { workspace?: string }): Promise<string>;
  /** Resolves when the message is accepted, not when it is answered; rejects when it is refused. */
  sendMessage(ask: Ask, sessionId: string, content: string): Promise<void>;
  /** The event stream that tells of a session; it sends something at once, or its headers stand for it. */
  eventsPath(sessionId: string): string;
  /** What occurs in the bytes of that stream for a piece of the session's reply, and when its turn ends well or badly. */
  marks(sessionId: string): { delta: string; finished: string; failed: string };
  /** Lists all sessions; `listMark` occurs once per session in the answer. */
  listPath: string;
  listMark: string;
  /** The answer contains the text of the session's messages. */
  transcriptPath(sessionId: string): string;
}

export const ownDialect: Dialect = {
  healthPath: '/api/health',
  async createSession(ask, { workspace }) {
    const { status, text } = await ask('POST', '/api/sessions', { ...(workspace !== undefined && { workspace }) });
    if (status !== 201) throw new Error(`POST /api/sessions answered ${status}: ${text}`);
    return (JSON.parse(text) as { session: { id: string } }).session.id;
  },
  async sendMessage(ask, sessionId, content) {
    const { status, text } = await ask('POST', `/api/sessions/${sessionId}/messages`, { content });
    if (status !== 202) throw new Error(`POST messages answered ${status}: ${text}`);
  },
  eventsPath: (sessionId) => `/api/sessions/${sessionId}/events`,
  marks: () => ({ delta: '"message.delta"', finished: '"run.finished"', failed: '"run.failed"' }),
  listPath: '/api/sessions',
  listMark: '"createdAt"',
  transcriptPath: (sessionId) => `/api/sessions/${sessionId}`,
};
