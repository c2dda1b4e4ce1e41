export default function activate(api) {
  api.register({
    id: 'settings',
    slot: 'settings.section',
    mount(element, context) {
      element.textContent = `settings without a session: ${context.sessionId === undefined && context.payload === undefined}`;
    },
  });
}
