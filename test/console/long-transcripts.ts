import type { Page } from 'playwright-core';
import { intercept } from './intercept.ts';

/**
 * Answers for the transcript of any session with so many messages, a page at a time as the service does; everything else
 * is the service's. Every second message is markdown of about 1 KB.
 */
export async function longTranscripts(page: Page, count: number): Promise<void> {
  const text = `## Part\n\n${'Some **bold** words and `code` in a sentence. '.repeat(18)}\n\n- one\n- two\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n`;
  const messages = Array.from({ length: count }, (_, at) => ({
    id: `msg_${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: at % 2 === 0 ? `Question ${at}` : `${text}${at}`,
    createdAt: new Date(at * 1_000).toISOString(),
  }));
  await intercept(page, '**/messages?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    const before = searchParams.get('before');
    const end = before === null ? count : messages.findIndex(({ id }) => id === before);
    const start = Math.max(0, end - Number(searchParams.get('limit') ?? count));
    const body = { messages: messages.slice(start, end), more: start > 0, total: count, lastSeq: 0 };
    return route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
  });
}
