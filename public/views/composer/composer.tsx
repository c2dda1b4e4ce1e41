import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../lib/wire/limits.ts';
import { type Draft, emptyDraft, joinDrafts } from '../../state/drafts.ts';
import { count } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { useOnce } from '../parts/hooks.ts';
import { Attachments, useAttachments } from './attachments.tsx';
import { enterSends } from './enter-sends.ts';

interface ComposerProps {
  /** The session, or `new`. */
  draftKey: string;
  placeholder: string;
  /** Resolves with false when the draft must stay. */
  onSend: (draft: Draft) => Promise<boolean>;
  /** Shown instead of sending while a run is active. */
  onStop?: (() => void) | undefined;
  stopping?: boolean;
  queues?: boolean;
  children?: ComponentChildren;
  focus?: boolean;
}

const countFrom = limits.messageChars * 0.9;

/** Where messages are written. Enter sends, unless an input method is composing. */
export function Composer(props: ComposerProps) {
  const { draftKey, onSend, onStop } = props;
  const { drafts, say } = useConsole();
  const [draft, setDraft] = useState<Draft>(() => drafts.get(draftKey));
  const [sending, once] = useOnce();
  const area = useRef<HTMLTextAreaElement>(null);
  const composed = useRef(0);
  const change = (next: Draft) => {
    drafts.set(draftKey, next);
    setDraft(next);
  };
  const latest = useRef(draft);
  latest.current = draft;
  const attach = useAttachments(latest, change);

  useEffect(() => setDraft(drafts.get(draftKey)), [draftKey]);
  useEffect(() => {
    const take = (event: Event) => {
      if (event instanceof CustomEvent && event.detail === draftKey) setDraft(drafts.get(draftKey));
      area.current?.focus();
    };
    addEventListener('service:draft', take);
    return () => removeEventListener('service:draft', take);
  }, [draftKey]);
  useLayoutEffect(() => {
    if (props.focus && matchMedia('(hover: hover)').matches) area.current?.focus();
  }, [draftKey]);
  useLayoutEffect(() => {
    const target = area.current;
    if (!target) return;
    target.style.height = 'auto';
    target.style.height = `${Math.min(target.scrollHeight, 320)}px`;
  }, [draft.text]);

  const empty = draft.text.trim() === '' && draft.images.length === 0;
  const tooLong = draft.text.length > limits.messageChars;
  const send = async (): Promise<void> => {
    if (empty) return;
    if (tooLong) return void say(`A message may have ${count(limits.messageChars)} characters.`, 'danger');
    const problem = attach.problem();
    if (problem) return void say(problem, 'danger');
    const sent = draft;
    change(emptyDraft);
    const done = await onSend(sent).catch(() => false);
    // What was typed meanwhile stays behind what could not be sent.
    if (!done) change(joinDrafts(sent, drafts.get(draftKey)));
    area.current?.focus();
  };

  return (
    <form
      class={`composer ${attach.dragging ? 'dragging' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        once(send);
      }}
      {...attach.dropTarget}
    >
      <Attachments
        images={draft.images}
        onRemove={(id) => change({ ...draft, images: draft.images.filter((image) => image.id !== id) })}
      />
      <textarea
        ref={area}
        rows={1}
        value={draft.text}
        placeholder={props.placeholder}
        aria-label="Message"
        enterkeyhint="send"
        onInput={(event) => change({ ...latest.current, text: event.currentTarget.value })}
        onPaste={attach.onPaste}
        onCompositionEnd={() => {
          composed.current = performance.now();
        }}
        onKeyDown={(event) => {
          if (!enterSends(event, performance.now() - composed.current)) return;
          event.preventDefault();
          once(send);
        }}
      />
      <div class="composer-bar">
        <Button icon="image" label="Add images" tone="quiet" onClick={attach.pick} />
        {props.children}
        <span class="spring" />
        {draft.text.length > countFrom && (
          <span class={tooLong ? 'counter over' : 'counter'}>
            {count(draft.text.length)} / {count(limits.messageChars)}
          </span>
        )}
        {onStop && (
          <Button icon="stop" onClick={onStop} disabled={props.stopping} label="Stop the run" class="stop">
            {props.stopping ? 'Stopping…' : 'Stop'}
          </Button>
        )}
        {(!onStop || !empty) && (
          <Button type="submit" tone="primary" icon="send" disabled={empty || sending}>
            {props.queues ? 'Queue' : 'Send'}
          </Button>
        )}
      </div>
    </form>
  );
}
