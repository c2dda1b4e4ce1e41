import { useState } from 'preact/hooks';
import { links } from '../state/route.ts';
import { contains } from '../state/session-tree.ts';
import type { Theme } from '../state/store.ts';
import { useConsole, type ViewTools } from './context.tsx';
import { nextApproval } from './keys.ts';
import { Dialog } from './parts/dialog.tsx';

interface Command {
  label: string;
  hint: string;
  run: () => void;
}

/** Everything by name: sessions, pages, actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const tools = useConsole();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [
    ...commandsOf(tools).filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))),
    ...sessionsOf(tools, words),
  ].slice(0, 12);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // Focus first goes back to where it was; what the command focuses comes after that.
    requestAnimationFrame(command.run);
  };
  return (
    <Dialog title="Go to or do" onClose={onClose} class="palette" bare>
      <input
        class="palette-input"
        placeholder="Type a session, a page or an action"
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `command-${at}` : undefined}
        value={query}
        data-first
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
          else if (event.key === 'Enter') run(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Found">
        {found.map((command, index) => (
          <div
            key={`${command.label} ${command.hint}`}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            class="command-row"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              run(command);
            }}
          >
            <span>{command.label}</span>
            <span class="muted">{command.hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="empty">Nothing matches.</p>}
    </Dialog>
  );
}

function commandsOf(tools: ViewTools): Command[] {
  const { store, workbench } = tools;
  const route = store.route.value;
  const go = (hash: string) => () => {
    location.hash = hash;
  };
  const theme = (value: Theme) => () => {
    store.theme.value = value;
  };
  const here = route.name === 'session' ? route.id : undefined;
  const running = here !== undefined && store.directory.value.sessions.get(here)?.status === 'running';
  const admin = store.me.value?.mode === 'accounts' && store.me.value.user?.role === 'admin';
  return [
    { label: 'New session', hint: 'Alt N', run: go(links.home) },
    { label: 'What waits for approval', hint: 'Ctrl Shift A', run: () => nextApproval(tools) },
    ...(here && running ? [{ label: 'Stop the run', hint: 'Ctrl .', run: () => void workbench.stop(here) }] : []),
    ...(here
      ? [
          { label: 'Files of this session', hint: 'Ctrl Shift F', run: go(links.files(here)) },
          { label: 'Checkpoints of this session', hint: '', run: go(links.checkpoints(here)) },
        ]
      : []),
    { label: 'Settings', hint: '', run: go(links.settings()) },
    { label: 'Plugins', hint: 'Settings', run: go(links.settings('plugins')) },
    ...(admin ? [{ label: 'Users', hint: 'Administration', run: go(links.admin('users')) }] : []),
    ...(admin ? [{ label: 'Usage and quotas', hint: 'Administration', run: go(links.admin('usage')) }] : []),
    { label: 'Light theme', hint: '', run: theme('light') },
    { label: 'Dark theme', hint: '', run: theme('dark') },
    { label: 'Theme of the system', hint: '', run: theme('system') },
    {
      label: 'Keyboard shortcuts',
      hint: '?',
      run: () => {
        store.layer.value = { name: 'shortcuts' };
      },
    },
  ];
}

function sessionsOf({ store }: ViewTools, words: readonly string[]): Command[] {
  return [...store.directory.value.sessions.values()]
    .filter((session) => contains(session, words))
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
    .slice(0, 8)
    .map(({ id, title }) => ({
      label: title,
      hint: id.slice(-6),
      run: () => {
        location.hash = links.session(id);
      },
    }));
}
