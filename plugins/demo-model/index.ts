import { defaulted, definePlugin, enums, literal, min, number, object, union } from '../../lib/plugin-api/index.ts';
import { demoModel } from './model.ts';

/**
 * Registers the model `demo`. It loads behind all other plugins, so with `enabled: auto` (the default) it appears only
 * when none of them registered a model. `delayMs` is the pause between two streamed words.
 */
export default definePlugin({
  options: object({
    enabled: defaulted(union([enums(['auto']), literal(true), literal(false)]), 'auto'),
    delayMs: defaulted(min(number(), 0), 15),
  }),
  apply({ options, use }) {
    const models = use('models');
    if (options.enabled === true || (options.enabled === 'auto' && models.list().length === 0))
      models.register(demoModel(options));
  },
});
