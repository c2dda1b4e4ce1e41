import type { Reply } from '../helpers/scripted-model/script.ts';

/** What a coding model does with "npm test fails": looks, reads, edits, checks, reports. */
export const agentScript: Reply[] = [
  [
    { text: 'I run the tests first.' },
    { toolCall: { id: 'call_1', name: 'shell', arguments: { command: 'npm test' }, fragments: 5 } },
  ],
  [
    { reasoning: 'One of two fails: the third one is not free.' },
    { toolCall: { id: 'call_2', name: 'read_file', arguments: { path: 'total.js' }, fragments: 7 } },
    { toolCall: { id: 'call_3', name: 'read_file', arguments: { path: 'total.test.js' }, fragments: 7 } },
  ],
  [
    { text: 'The discount is missing.' },
    {
      toolCall: {
        id: 'call_4',
        name: 'edit_file',
        arguments: {
          path: 'total.js',
          old_string: 'sum + price * count',
          new_string: 'sum + price * (count - Math.floor(count / 3))',
        },
        fragments: 11,
      },
    },
  ],
  [{ toolCall: { id: 'call_5', name: 'shell', arguments: { command: 'npm test' } } }],
  [
    { text: ['Fixed: `total` now leaves every third ', 'of the same thing out. Both tests pass.'] },
    { usage: { input: 2_400, output: 61 } },
  ],
];
