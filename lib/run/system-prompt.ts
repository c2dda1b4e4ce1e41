import type { Undo } from '../base/clock.ts';
import type { PromptSource } from '../plugin-api/services.ts';

export interface Prompts {
  register(source: PromptSource): Undo;
}
