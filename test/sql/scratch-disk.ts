import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tempDirectory } from '../helpers/temp-directory.ts';

/** A file system of its own, made for one test. Needs root and a machine that lets it mount. */
export interface ScratchDisk {
  /** Where it is mounted. */
  directory: string;
  /** Everything that was not synced is lost, as in a power cut; then it is mounted again. End its users right after `cut`. */
  cut(): void;
  remount(): void;
  /** Turns read-only under open files, like an ext4 that has found an error in itself. */
  giveUp(): void;
  dispose(): void;
}

/** An ext4 on a loop device. Throws when this machine does not allow it. */
export function loopDisk(megabytes: number): ScratchDisk {
  const parent = tempDirectory();
  const [image, directory] = [join(parent, 'image'), join(parent, 'disk')];
  mkdirSync(directory);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  run('mkfs.ext4', '-q', '-F', image);
  const mount = () => run('mount', '-o', 'loop', image, directory);
  mount();
  return {
    directory,
    cut() {
      // EXT4_IOC_SHUTDOWN with NOLOGFLUSH: from here on nothing reaches the device, the journal neither.
      run(
        'perl',
        '-e',
        'open(my $f, "<", $ARGV[0]) or die; my $n = pack("I", 2); ioctl($f, 0x8004587d, $n) or die $!',
        directory,
      );
    },
    giveUp() {
      const device = run('findmnt', '-no', 'SOURCE', directory).trim();
      run('mount', '-o', 'remount,errors=remount-ro', directory);
      writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'test\n');
    },
    remount() {
      patiently(() => run('umount', directory));
      mount();
    },
    dispose: () => unmount(directory),
  };
}

/** A small file system in memory. Throws when this machine does not allow it. */
export function memoryDisk(megabytes: number): Pick<ScratchDisk, 'directory' | 'dispose'> {
  const directory = tempDirectory();
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory);
  return { directory, dispose: () => unmount(directory) };
}

/** A process that another test began with a view of its own on the file systems keeps this one until it ends. */
function patiently(work: () => void): void {
  for (let left = 100; ; left--) {
    try {
      work();
      return;
    } catch (error) {
      if (left === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function unmount(directory: string): void {
  try {
    run('umount', '-l', directory);
  } catch {
    // It was not mounted any more.
  }
}
