export default function activate(api) {
  api.register({
    id: 'facts',
    slot: 'session.header',
    async mount(element, { sessionId, request }) {
      const { session } = await request(`/api/sessions/${sessionId}`);
      const denied = await request(`/api/sessions/${sessionId}/cancel`, { method: 'POST' }).catch(
        (error) => error.message,
      );
      const missing = await request('/api/sessions/missing').catch((error) => `${error.status} ${error.code}`);
      element.textContent = [session.title, denied, missing].join(' | ');
    },
  });
}
