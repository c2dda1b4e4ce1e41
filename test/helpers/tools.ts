/** Says back what it is told. */
export const echo = {
  name: 'echo',
  description: 'Says it back.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  execute: ({ text }: Record<string, unknown>) => `echo: ${text}`,
};

/** Waits for a person. */
export const wait = {
  name: 'wait',
  description: 'waits',
  parameters: { type: 'object' },
  permission: 'ask' as const,
  execute: async () => ({ content: 'ok' }),
};

/** Goes on until its run ends. */
export const hang = {
  name: 'hang',
  description: 'Goes on for ever.',
  parameters: { type: 'object' },
  execute: (_: object, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};
