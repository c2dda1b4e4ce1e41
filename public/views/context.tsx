import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { MarkdownRenderer } from '../markdown/render.ts';
import type { Console } from '../service/console.ts';
import type { PluginSlots } from '../service/plugin-slots.ts';
import type { Highlighter } from '../service/work.ts';
import type { NearObserver } from './parts/near.ts';

/** What every view may use. */
export interface ViewTools extends Console {
  renderer: MarkdownRenderer;
  highlighter: Highlighter;
  near: NearObserver;
  slots: PluginSlots;
}

export const ConsoleContext = createContext<ViewTools | undefined>(undefined);

/** Throws outside of the console. */
export function useConsole(): ViewTools {
  const tools = useContext(ConsoleContext);
  if (!tools) throw new Error('A view is drawn outside of the console.');
  return tools;
}
