import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import { testAnswers } from './provider-contract-answers.ts';
import { testCalls } from './provider-contract-calls.ts';

/** What every provider plugin does, whatever its wire protocol. */
export function testProvider<Options>(name: string, plugin: Plugin<Options>): void {
  testAnswers(name, plugin);
  testCalls(name, plugin);
}
