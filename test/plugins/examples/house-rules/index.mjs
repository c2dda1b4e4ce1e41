export default {
  options: {
    parse({ rules = [] }) {
      if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'string'))
        throw new Error('"rules" must be a list of sentences.');
      return { rules };
    },
  },
  apply({ options: { rules }, use }) {
    use('session.prompts').register((session) => {
      if (rules.length === 0 || session.parentId !== undefined) return undefined;
      return `Rules of this house:\n${rules.map((rule) => `- ${rule}`).join('\n')}`;
    });
  },
};
