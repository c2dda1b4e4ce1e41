import { useEffect, useRef } from 'preact/hooks';
import type { WorkspaceFile } from '../../../lib/wire/workspace.ts';
import type { Slot } from '../../sandbox/protocol.ts';
import type { Found } from '../../sandbox/sandbox.ts';
import type { Message } from '../../state/conversation.ts';
import { useConsole } from '../context.tsx';

interface Given {
  sessionId?: string;
  message?: Message;
  file?: WorkspaceFile;
  onFail?: () => void;
}

/** What plugins put into a place, each in a labelled box; nothing where they put nothing. */
export function PluginSlot({ slot, accepts, ...given }: Given & { slot: Slot; accepts?: (found: Found) => boolean }) {
  const all = useFound(slot);
  const found = accepts ? all.filter(accepts) : all;
  if (found.length === 0) return null;
  return (
    <div class="plugin-slot" data-slot={slot}>
      {found.map((one) => (
        <PluginFrame key={one.key} found={one} {...given} />
      ))}
    </div>
  );
}

/** The extensions of a slot as they are now. */
export function useFound(slot: Slot): readonly Found[] {
  const { slots } = useConsole();
  slots.revision.value;
  return slots.sandbox.value?.extensions(slot) ?? [];
}

/** One extension in its box. Mounted again for another session, message or file. */
export function PluginFrame({ found, ...given }: Given & { found: Found }) {
  const { slots } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  useEffect(
    () => (place.current ? slots.sandbox.value?.mount(place.current, found, given) : undefined),
    [found.key, given.sessionId, given.message, given.file],
  );
  return (
    <section class="plugin-box" aria-label={`Plugin ${found.title}`}>
      <small class="plugin-name">{found.title}</small>
      <div class="plugin-frame" ref={place} />
    </section>
  );
}
