import { useState } from 'preact/hooks';
import { replacementDiff } from '../../markdown/unified-diff.ts';
import type { CallView } from '../../state/items.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DiffLines, UnifiedDiff } from './diff.tsx';
import { Images } from './images.tsx';
import { Reasoning } from './reasoning.tsx';
import { Terminal } from './terminal.tsx';

type Tab = 'Changes' | 'Output' | 'Arguments' | 'Data';

/** An open tool card: what it was asked, what it said, what it changed. Tabs appear only when there is something in them. */
export function ToolBody({ view, sessionId }: { view: CallView; sessionId: string }) {
  const { call, text, data, answer, message } = view;
  const changes = changesOf(view);
  const rest = dataText(data);
  const tabs: Tab[] = [
    ...(changes ? ['Changes' as const] : []),
    ...(text !== undefined && text !== '' ? ['Output' as const] : []),
    'Arguments',
    ...(rest === undefined ? [] : ['Data' as const]),
  ];
  const [chosen, setChosen] = useState<Tab>();
  const first = view.state === 'failed' && tabs.includes('Output') ? 'Output' : (tabs[0] ?? 'Arguments');
  const tab = chosen && tabs.includes(chosen) ? chosen : first;
  const args = JSON.stringify(call.arguments, undefined, 2);
  const shown = tab === 'Arguments' ? args : tab === 'Data' ? (rest ?? '') : (text ?? '');
  return (
    <div class="tool-body">
      {message.content === '' && message.reasoning && <Reasoning text={message.reasoning} />}
      <div class="tool-tabs">
        <div role="tablist" aria-label={`${call.name} call`}>
          {tabs.map((name) => (
            <button type="button" role="tab" key={name} aria-selected={name === tab} onClick={() => setChosen(name)}>
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={shown} label={`Copy ${tab.toLowerCase()}`} />
      </div>
      {tab === 'Changes' && changes}
      {tab === 'Output' && <Terminal text={text ?? ''} failed={view.state === 'failed'} />}
      {tab === 'Arguments' && <Terminal text={args} />}
      {tab === 'Data' && <Terminal text={rest ?? ''} />}
      {answer?.images && <Images images={answer.images} sessionId={sessionId} />}
    </div>
  );
}

function changesOf({ call, data, state }: CallView) {
  const { diff } = Object(data) as { diff?: unknown };
  if (typeof diff === 'string' && diff !== '') return <UnifiedDiff patch={diff} />;
  const { old_string: before, new_string: after } = call.arguments;
  if (typeof before !== 'string' || typeof after !== 'string' || state === 'failed') return undefined;
  return <DiffLines lines={replacementDiff(before, after)} />;
}

/** What the tool gave to clients, without the diff that has a tab of its own. */
function dataText(data: unknown): string | undefined {
  if (data === undefined || data === null) return undefined;
  if (typeof data !== 'object') return JSON.stringify(data);
  const { diff: _, ...rest } = data as Record<string, unknown>;
  const text = JSON.stringify(Array.isArray(data) ? data : rest, undefined, 2);
  return text === '{}' ? undefined : text.slice(0, 100_000);
}
