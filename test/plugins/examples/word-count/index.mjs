export default {
  options: {
    parse({ maxBytes = 64_000 }) {
      if (!Number.isInteger(maxBytes) || maxBytes < 1) throw new Error('"maxBytes" must be a positive whole number.');
      return { maxBytes };
    },
  },
  apply({ options, use }) {
    use('tools').register({
      name: 'count_words',
      description: 'Count the words of a text file in the workspace.',
      permission: 'auto',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string', minLength: 1, description: 'File path, relative to the workspace' } },
        required: ['path'],
        additionalProperties: false,
      },
      async execute({ path }, { workspace }) {
        const file = await workspace.read(path, { limit: options.maxBytes });
        if (file.binary) return { content: `${path} is not a text file.`, isError: true };
        const words = file.content.split(/\s+/).filter(Boolean).length;
        return { content: `${words} words${file.truncated ? ' or more' : ''}`, data: { path, words } };
      },
    });
  },
};
