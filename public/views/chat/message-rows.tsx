import type { Message } from '../../state/conversation.ts';
import { addressOf, type Draft } from '../../state/drafts.ts';
import { clockTime, fullTime } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { memo } from '../parts/memo.tsx';
import { Images } from './images.tsx';
import { Markdown } from './markdown.tsx';
import { Reasoning } from './reasoning.tsx';

interface RowProps {
  message: Message;
  sessionId: string;
  /** Drawn at once instead of when it comes near. */
  now: boolean;
  /** How long its reasoning took, if that is known. */
  thoughtMs?: number | undefined;
}

/** What a person said. */
export const UserRow = memo(function UserRow({ message, sessionId, now }: RowProps) {
  const { store } = useConsole();
  const { id } = message;
  const open = (edit: boolean) => {
    store.layer.value = { name: 'rewind', sessionId, messageId: id, edit };
  };
  return (
    <article class={`message user ${now ? 'near-end' : ''}`} id={`message-${id}`} data-message={id} aria-label="You">
      <div class="bubble">
        {message.content !== '' && <div class="said">{message.content}</div>}
        {message.images && <Images images={message.images} sessionId={sessionId} />}
      </div>
      <footer class="message-tools">
        <CopyButton text={message.content} label="Copy message" />
        <Button icon="pencil" label="Edit: rewind to here and write it again" tone="quiet" onClick={() => open(true)} />
        <Button icon="undo" label="Rewind to before this message" tone="quiet" onClick={() => open(false)} />
        <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
          {clockTime(message.createdAt)}
        </time>
      </footer>
    </article>
  );
});

/** What the model said. */
export const AssistantRow = memo(function AssistantRow({ message, sessionId, now, thoughtMs }: RowProps) {
  const { id } = message;
  return (
    <article
      class={`message assistant ${now ? 'near-end' : ''}`}
      id={`message-${id}`}
      data-message={id}
      aria-label="Reply"
    >
      {message.reasoning && <Reasoning text={message.reasoning} durationMs={thoughtMs} />}
      <Markdown text={message.content} sessionId={sessionId} now={now} />
      {message.meta?.partial === true && <p class="note">This reply was not finished.</p>}
      <footer class="message-tools">
        <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
          {clockTime(message.createdAt)}
        </time>
        {message.model && <span class="model-name">{message.model}</span>}
        <CopyButton text={message.content} label="Copy as Markdown" />
        <CopyButton
          icon="link"
          label="Copy a link to this message"
          text={() => new URL(links.message(sessionId, id), location.href).href}
        />
      </footer>
    </article>
  );
});

/** What was just sent, until the service confirms it. */
export function EchoRow({ draft }: { draft: Draft }) {
  return (
    <article class="message user near-end pending" aria-label="You, being sent">
      <div class="bubble">
        <div class="said">{draft.text}</div>
        {draft.images.length > 0 && (
          <div class="images">
            {draft.images.map((image) => (
              <img class="thumbnail" key={image.id} src={addressOf(image)} alt={image.name} />
            ))}
          </div>
        )}
      </div>
    </article>
  );
}
