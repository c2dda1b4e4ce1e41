export default function activate(api) {
  api.register({
    id: 'table',
    slot: 'file.viewer',
    match: { extensions: ['CSV'] },
    mount(element, { file }) {
      element.textContent = `${file.name}: ${file.content.length} characters, truncated: ${file.truncated}`;
    },
  });
}
