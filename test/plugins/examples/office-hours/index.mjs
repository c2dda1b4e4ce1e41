export default {
  options: {
    parse({ from = 8, to = 18 }) {
      if (!(from >= 0 && from < to && to <= 24)) throw new Error('"from" and "to" must be hours with from < to.');
      return { from, to };
    },
  },
  apply({ options: { from, to }, use }) {
    use('session.guards').register(({ action }) => {
      const now = new Date();
      const hour = now.getUTCHours();
      if (action !== 'run' || (hour >= from && hour < to)) return;
      const opens = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + (hour >= to ? 1 : 0), from);
      throw Object.assign(new Error(`Runs start between ${from} and ${to} o'clock UTC.`), {
        name: 'SessionGuardError',
        code: 'outside_office_hours',
        retryAfterSeconds: Math.ceil((opens - now.getTime()) / 1_000),
      });
    });
  },
};
