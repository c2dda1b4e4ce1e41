export default function activate(api) {
  const mount = (text) => (element, context) => {
    const own = Object.keys(context).sort().join(' ');
    element.innerHTML = `<p class="note"></p>`;
    element.firstChild.textContent = `${text} of ${context.plugin.name}: ${own}`;
  };
  api.register({ id: 'later', slot: 'sidebar.footer', order: 200, mount: mount('second') });
  api.register({ id: 'sooner', slot: 'sidebar.footer', order: 1, mount: mount('first') });
}
