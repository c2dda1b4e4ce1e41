// What a trial kills is this program again: such a process loads nothing but its part.
if (process.argv[2] === 'child') {
  const { actAsChild } = await import('./kill/child.ts');
  await actAsChild(process.argv.slice(3));
}
const { torture } = await import('./torture.ts');
const { TORTURE_PATH: path, TORTURE_REPLAY: replayPath = '' } = process.env;
const isClean = await torture(process.argv.slice(2), path === undefined ? undefined : { path, replayPath });
// What a broken trial left behind must not keep the verdict back.
process.exit(isClean === undefined ? 2 : isClean ? 0 : 1);
