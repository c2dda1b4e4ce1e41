import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../../lib/wire/approval.ts';
import { limits } from '../../../lib/wire/limits.ts';
import { fullTime, revealHidden, stopwatch } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/hooks.ts';
import { Icon } from '../parts/icon.tsx';

/** Nothing can be decided right after the card appeared or changed: the click was meant for something else. */
const armMs = 300;

/** One question: who asks, for what, with everything that will be done. */
export function ApprovalCard({ approval, position }: { approval: Approval; position?: string | undefined }) {
  const { workbench } = useConsole();
  // Which question there was time to read: another one may take its place before any effect runs.
  const [armedFor, setArmedFor] = useState('');
  const armed = armedFor === approval.id;
  const [note, setNote] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const now = useNow(true);
  useEffect(() => {
    setNote(undefined);
    const timer = setTimeout(() => setArmedFor(approval.id), armMs);
    return () => clearTimeout(timer);
  }, [approval.id]);
  const decide = (approved: boolean) => {
    if (!armed) return;
    setArmedFor('');
    const inside = box.current?.contains(document.activeElement) ?? false;
    const around = box.current?.closest('dialog') ?? document;
    void workbench.decide(approval, note?.trim() ? { approved, note: note.trim() } : { approved }).then((done) => {
      if (!done) setArmedFor((now) => now || approval.id);
      else if (inside) requestAnimationFrame(() => focusNext(around));
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A key that is held down goes on to the next card, which nobody has read yet.
    if (event.target !== box.current || event.repeat) return;
    if (event.key === 'Enter') decide(true);
    else if (event.key === 'Escape') decide(false);
    else if (event.key.toLowerCase() === 'n') setNote('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // While a note is written the keys belong to the text.
  const keysOf = (keys: string) => (note === undefined ? keys : undefined);
  const asksToRun = typeof approval.call.arguments.command === 'string';
  return (
    <div
      class="approval"
      ref={box}
      tabIndex={-1}
      role="group"
      aria-label={`Approval needed: ${approval.call.name}`}
      data-approval={approval.id}
      onKeyDown={onKeyDown}
    >
      <header class="approval-head">
        <Icon name="bell" />
        <strong>Approval</strong>
        <Asker approval={approval} />
        {position && <span class="muted">{position}</span>}
        <Age approval={approval} now={now} />
      </header>
      <p class="approval-what">
        <span class="tool-name">{approval.call.name}</span> {asksToRun ? 'wants to run:' : 'wants to be called with:'}
      </p>
      <Arguments approval={approval} />
      {saysMore(approval) && <p class="approval-reason">{revealHidden(approval.reason)}</p>}
      {note !== undefined && (
        <label class="approval-note">
          Note for the agent
          <textarea
            value={note}
            rows={2}
            maxLength={limits.approvalNoteChars}
            ref={(area) => {
              if (area && note === '') area.focus();
            }}
            onInput={(event) => setNote(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              setNote(undefined);
              box.current?.focus();
            }}
          />
        </label>
      )}
      <div class="approval-actions">
        <Button tone="primary" icon="check" keys={keysOf('Enter')} disabled={!armed} onClick={() => decide(true)}>
          Approve
        </Button>
        <Button tone="danger" icon="cross" keys={keysOf('Esc')} disabled={!armed} onClick={() => decide(false)}>
          Decline
        </Button>
        {note === undefined && (
          <Button tone="quiet" keys="N" onClick={() => setNote('')}>
            Note
          </Button>
        )}
      </div>
    </div>
  );
}

/** Who decided by keyboard goes on with the next question, or writes. */
function focusNext(around: ParentNode): void {
  const next = around.querySelector<HTMLElement>('.approval');
  if (next) next.focus();
  else if (matchMedia('(hover: hover)').matches) around.querySelector<HTMLElement>('.composer textarea')?.focus();
}

/** A reason that only repeats the command is left out: the command follows. */
function saysMore({ reason, call }: Approval): boolean {
  const { command } = call.arguments;
  return typeof command !== 'string' || !reason.includes(command);
}

function Asker({ approval }: { approval: Approval }) {
  const { store } = useConsole();
  const { sessions } = store.directory.value;
  const root = sessions.get(approval.rootSessionId)?.title;
  const text = approval.role ? `${approval.role}, sub-agent of ${root ?? 'another session'}` : (root ?? '');
  return (
    <span class="asker" title={text}>
      {text}
    </span>
  );
}

function Age({ approval, now }: { approval: Approval; now: number }) {
  const left = Date.parse(approval.expiresAt) - now;
  return (
    <span
      class="muted"
      title={`Asked at ${fullTime(approval.requestedAt)}; declined at ${fullTime(approval.expiresAt)}`}
    >
      {left < 120_000 ? `declined in ${stopwatch(left)}` : stopwatch(now - Date.parse(approval.requestedAt))}
    </span>
  );
}

/** A command is shown whole and as it is; anything else as its JSON. */
function Arguments({ approval }: { approval: Approval }) {
  const { arguments: args } = approval.call;
  const { command, ...rest } = args;
  const others = Object.keys(rest).length > 0;
  return (
    <>
      {typeof command === 'string' && (
        <pre class="command" tabIndex={0}>
          {revealHidden(command)}
        </pre>
      )}
      {(others || typeof command !== 'string') && (
        <pre class="command" tabIndex={0}>
          {revealHidden(JSON.stringify(typeof command === 'string' ? rest : args, undefined, 2))}
        </pre>
      )}
    </>
  );
}
