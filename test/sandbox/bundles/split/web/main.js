import { text } from './part.js';

export default function activate(api) {
  api.register({
    id: 'split',
    slot: 'sidebar.footer',
    mount(element) {
      element.textContent = text;
    },
  });
}
