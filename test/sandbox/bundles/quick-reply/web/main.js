export default function activate(api) {
  api.register({
    id: 'reply',
    slot: 'composer.actions',
    mount(element, { composer }) {
      const button = document.createElement('button');
      button.textContent = 'Say thanks';
      button.onclick = () => {
        composer.submit('   ');
        composer.submit('Thanks from the plugin');
      };
      element.append(button);
    },
  });
}
