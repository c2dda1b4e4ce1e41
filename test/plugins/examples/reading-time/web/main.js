export default function activate(api) {
  api.register({
    id: 'reading-time',
    slot: 'message.after',
    match: { roles: ['assistant'] },
    mount(element, { message }) {
      const words = message.content.split(/\s+/).filter(Boolean).length;
      const minutes = Math.max(1, Math.round(words / 220));
      element.className = 'reading-time';
      element.textContent = `${words} words, ${minutes} min`;
      return () => element.replaceChildren();
    },
  });
}
