import { useState } from 'preact/hooks';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';

/** The name of a session in the bar at the top, below its parent's; it is changed in place. */
export function SessionTitle({ sessionId }: { sessionId: string }) {
  const { store } = useConsole();
  const { sessions } = store.directory.value;
  const summary = sessions.get(sessionId);
  const parent = summary?.parentId ? sessions.get(summary.parentId) : undefined;
  if (!summary) return <span class="product">{store.boot.value?.name}</span>;
  return (
    <div class="session-name">
      {parent && (
        <a class="parent" href={links.session(parent.id)} title={parent.title}>
          <span>{parent.title}</span> ›
        </a>
      )}
      <Title key={sessionId} sessionId={sessionId} title={summary.title} />
    </div>
  );
}

function Title({ sessionId, title }: { sessionId: string; title: string }) {
  const { workbench } = useConsole();
  const [text, setText] = useState<string>();
  if (text === undefined)
    return (
      <h1>
        <span class="title-text" title={title}>
          {title}
        </span>
        <Button icon="pencil" label="Rename" tone="quiet" onClick={() => setText(title)} />
      </h1>
    );
  const save = async () => {
    const next = text.trim();
    if (next === '' || next === title || (await workbench.update(sessionId, { title: next }))) setText(undefined);
  };
  return (
    <Form class="rename" onSubmit={save}>
      <input
        aria-label="Title"
        value={text}
        maxLength={200}
        ref={(input) => {
          if (input && document.activeElement !== input) input.focus();
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          setText(undefined);
        }}
      />
      <Button type="submit">Save</Button>
      <Button icon="close" label="Do not rename" tone="quiet" onClick={() => setText(undefined)} />
    </Form>
  );
}
