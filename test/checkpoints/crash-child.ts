import { openCheckpointer } from './open-checkpointer.ts';

// Does one operation again and again until it is killed. Arguments: operation, workspace, directory, checkpoint id.
const [operation, workspace = '', directory = '', checkpointId = ''] = process.argv.slice(2);
const { checkpointer, session } = openCheckpointer({ workspace, directory, durability: 'process' });
process.stdout.write('ready\n');
for (;;) {
  if (operation === 'capture') await checkpointer.capture(session, 'again');
  else await checkpointer.restore(session, checkpointId);
}
