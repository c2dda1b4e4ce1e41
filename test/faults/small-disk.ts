import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDirectory } from '../helpers/temp-directory.ts';

/** A file system of its own, a few megabytes large. Unmount it, or it stays. */
export interface SmallDisk {
  readonly directory: string;
  /** Takes what is left but for a few bytes. */
  fill(): void;
  free(): void;
  readOnly(on: boolean): boolean;
  unmount(): void;
}

/** Undefined, with a printed reason, where this user can't mount. */
export function mountSmallDisk(megabytes = 8): SmallDisk | undefined {
  const directory = join(tempDirectory('disk'), 'disk');
  mkdirSync(directory);
  const mounted = run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', directory);
  if (!mounted) {
    console.log('SKIPPED mounting a file system needs root');
    return undefined;
  }
  const filler = join(directory, 'filler');
  return {
    directory,
    fill() {
      for (;;) {
        const { bavail, bsize } = statfsSync(directory);
        if (bavail === 0) return;
        try {
          writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
        } catch {
          // Somebody else took some of it meanwhile; what fitted is there.
        }
      }
    },
    free: () => rmSync(filler),
    readOnly: (on) => run('mount', '-o', `remount,${on ? 'ro' : 'rw'}`, directory),
    unmount: () => void run('umount', '--lazy', directory),
  };
}

function run(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}
