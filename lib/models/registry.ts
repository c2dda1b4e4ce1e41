import type { Undo } from '../base/clock.ts';
import type { ModelInfo } from '../wire/model.ts';
import type { Model } from './model.ts';

/** The registered models, in the order of registration. */
export interface ModelRegistry {
  /** Throws when the id is taken, or a part of the model is missing. */
  register(model: Model): Undo;
  get(id: string): Model | undefined;
  list(): ModelInfo[];
  /** `model.default` if it is registered, otherwise the first model (contract: core rule 5). */
  default(): Model | undefined;
}

export function createModelRegistry(preferred: string | undefined): ModelRegistry {
  const models = new Map<string, Model>();
  return {
    register(model) {
      checkParts(model);
      const { id } = model.info;
      if (models.has(id)) throw new Error(`A model with the id "${id}" is already registered.`);
      models.set(id, model);
      return () => {
        if (models.get(id) === model) models.delete(id);
      };
    },
    get: (id) => models.get(id),
    list: () => [...models.values()].map((model) => model.info),
    default: () => (preferred === undefined ? undefined : models.get(preferred)) ?? models.values().next().value,
  };
}

/** Plugins in plain JavaScript have no compiler that tells them, and a run would meet it much later. */
function checkParts({ info, complete }: Partial<Model>): void {
  if (typeof info?.id !== 'string' || info.id === '') throw new Error('A model needs an `info` with an `id`.');
  if (typeof complete !== 'function') throw new Error(`The model "${info.id}" has no \`complete\` function.`);
}
