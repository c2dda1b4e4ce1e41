import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { matchesMessage } from '../../sandbox/slot-rules.ts';
import { isTurnOver, lastUserMessage, type Message } from '../../state/conversation.ts';
import { compact, plural } from '../../state/format.ts';
import { type Item, toItems } from '../../state/items.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { PluginSlot } from '../plugins/plugin-slot.tsx';
import { RunBanner } from './banners.tsx';
import { type Follower, followEnd } from './follow.ts';
import { keepsPlace } from './hold-place.ts';
import { LiveMessage } from './live-message.tsx';
import { Markdown } from './markdown.tsx';
import { AssistantRow, EchoRow, UserRow } from './message-rows.tsx';
import { useRowWindow } from './row-window.ts';
import { ToolGroup } from './tool-group.tsx';

/** Rows at the end are drawn at once, so that opening at the end does not flicker. */
const atOnce = 6;

export function Transcript({ session, messageId }: { session: OpenSession; messageId?: string | undefined }) {
  const { sessions } = useConsole();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follower = useRef<Follower | undefined>(undefined);
  const [pinned, setPinned] = useState(true);
  const conversation = session.conversation.value;
  const items = useMemo(() => toItems(conversation), [conversation]);
  const rows = useRowWindow(items, pinned);
  const seen = useRef<string | undefined>(undefined);
  if (pinned) seen.current = items.at(-1)?.key;

  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    follower.current = followEnd(scroller.current, content.current, (state) => setPinned(state.pinned));
    return () => follower.current?.stop();
  }, [session.id]);
  const target =
    messageId === undefined ? -1 : items.findIndex((item) => 'message' in item && item.message.id === messageId);
  useEffect(() => {
    if (target < 0) return;
    follower.current?.letGo();
    rows.reveal(target);
    // After the row is in the page.
    requestAnimationFrame(() => document.getElementById(`message-${messageId}`)?.scrollIntoView({ block: 'center' }));
  }, [messageId, session.phase.value, target < 0]);
  const older = async (): Promise<void> => {
    const box = scroller.current;
    const fromEnd = box && box.scrollTop === 0 && keepsPlace() ? box.scrollHeight : undefined;
    if (!rows.grow()) await sessions.loadOlder(session);
    // The browser keeps the place of what is read, except at the very top.
    if (box && fromEnd !== undefined)
      requestAnimationFrame(() => {
        if (box.scrollTop === 0) box.scrollTop = box.scrollHeight - fromEnd;
      });
  };
  useEffect(() => {
    if (session.echo.value) follower.current?.toEnd();
  }, [session.echo.value]);

  const sent = session.echo.value;
  const echo = sent && lastUserMessage(conversation)?.id === sent.after ? sent : undefined;
  const lastSeen = pinned ? -1 : items.findLastIndex(({ key }) => key === seen.current);
  const fresh = lastSeen < 0 ? 0 : items.length - 1 - lastSeen;
  return (
    <div class="transcript-frame">
      <div class="transcript" ref={scroller} tabIndex={0} role="log" aria-live="off" aria-label="Conversation">
        <div class="column" ref={content}>
          {!rows.isFilling && (conversation.more || rows.start > 0) && (
            <Older key={`${rows.start} ${items[rows.start]?.key}`} onNear={older} />
          )}
          {items.length === 0 &&
            session.phase.value === 'ready' &&
            !echo &&
            !conversation.run &&
            !conversation.live && <p class="empty">Nothing has been said yet.</p>}
          {items.slice(rows.start).map((item, at, shown) => (
            <Fragment key={item.key}>
              <Row item={item} now={at >= shown.length - atOnce} session={session} />
              {messagesOf(item)
                .filter((message) => isTurnOver(conversation, message))
                .map((message) => (
                  <AfterMessage key={message.id} message={message} sessionId={session.id} />
                ))}
            </Fragment>
          ))}
          {echo && <EchoRow draft={echo.draft} />}
          {conversation.live && <LiveMessage session={session} />}
          <RunBanner session={session} />
        </div>
      </div>
      {!pinned && (
        <div class="to-end">
          <Button icon="down" onClick={() => follower.current?.toEnd()}>
            {fresh > 0 ? `${fresh} new below` : 'Jump to latest'}
          </Button>
        </div>
      )}
    </div>
  );
}

function Row(props: { item: Item; now: boolean; session: OpenSession }) {
  const { item, now, session } = props;
  switch (item.kind) {
    case 'user':
      return <UserRow message={item.message} sessionId={session.id} now={now} />;
    case 'assistant':
      return (
        <AssistantRow
          message={item.message}
          sessionId={session.id}
          now={now}
          thoughtMs={session.thoughts.get(item.message.id)}
        />
      );
    case 'tools':
      return <ToolGroup calls={item.calls} running={item.running} sessionId={session.id} />;
    case 'notice':
      return <p class={`run-note ${item.notice.level}`}>{item.notice.text}</p>;
    default:
      return <Divider item={item} sessionId={session.id} />;
  }
}

/** What plugins say about a message whose turn is over. */
function AfterMessage({ message, sessionId }: { message: Message; sessionId: string }) {
  const accepts = ({ match }: { match: Parameters<typeof matchesMessage>[0] }) => matchesMessage(match, message);
  return <PluginSlot slot="message.after" accepts={accepts} message={message} sessionId={sessionId} />;
}

/** The messages that end with this item: those that are nothing but calls have no row of their own. */
function messagesOf(item: Item): Message[] {
  if (item.kind === 'user' || item.kind === 'assistant') return [item.message];
  if (item.kind !== 'tools') return [];
  return [...new Set(item.calls.map(({ message }) => message))].filter(({ content }) => content === '');
}

/** Where a summary stands for what was before. */
function Divider({ item, sessionId }: { item: Extract<Item, { kind: 'compaction' }>; sessionId: string }) {
  const { compacted, tokensBefore, tokensAfter } = item.message.meta ?? {};
  const sizes =
    typeof tokensBefore === 'number' && typeof tokensAfter === 'number'
      ? `, ${compact(tokensBefore)} to ${compact(tokensAfter)} tokens`
      : '';
  return (
    <details class="divider">
      <summary>
        <Icon name="right" />
        {plural(Number(compacted), 'message')} summarised{sizes}
      </summary>
      <Markdown text={item.message.content} sessionId={sessionId} now={false} />
    </details>
  );
}

function Older({ onNear }: { onNear: () => Promise<void> }) {
  const { near } = useConsole();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current ? near.watch(box.current, () => void onNear()) : undefined), []);
  return (
    <div class="older" ref={box}>
      <button type="button" class="link" onClick={() => void onNear()}>
        Older messages
      </button>
    </div>
  );
}
