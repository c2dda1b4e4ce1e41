// Loaded into a service under test before its own code. On SIGUSR2 it collects all garbage and adds one line of figures to
// the file that MEMORY_PROBE_FILE names: what is left is what somebody still holds.
const { appendFileSync, readdirSync } = require('node:fs');
const { setTimeout: pause } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = process.env.MEMORY_PROBE_FILE;
// Tools and further processes of the service are not asked.
process.env.NODE_OPTIONS = '';

process.on('SIGUSR2', async () => {
  collect();
  // What a collection finalises, the next one takes away.
  for (let again = 0; again < 2; again++) {
    await pause(10, undefined, { ref: false });
    collect();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const descriptors = readdirSync('/proc/self/fd').length;
  appendFileSync(file, `${JSON.stringify({ rss, heapUsed, external, descriptors })}\n`);
});
