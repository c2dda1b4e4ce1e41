import { closeSync, fsyncSync, openSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** WASI's numbers. */
const errnoIo = 29;

interface Stream {
  nfd?: number;
  node: unknown;
}

interface Mounted {
  NODEFS: {
    realPath(node: unknown): string;
    stream_ops: {
      fsync?: (stream: Stream) => number;
      write: (this: unknown, ...given: unknown[]) => number;
    };
  };
}

/**
 * The Node filesystem of PGlite with the system call that it lacks: fsync, of files and of directories. As shipped a
 * sync does nothing, and a power cut leaves a database that does not open.
 */
export class DurableFiles extends NodeFS {
  /** How many times something was synced: the proof that a commit reached the disk. */
  syncs = 0;

  constructor(
    directory: string,
    private readonly onFault: (code: string) => void,
  ) {
    super(directory);
  }

  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const prepared = await super.init(...given);
    const { emscriptenOpts } = prepared;
    const patch = (module: unknown): void => this.addSync(module as Mounted);
    emscriptenOpts.preRun = [...[emscriptenOpts.preRun ?? []].flat(), patch];
    return prepared;
  }

  private addSync({ NODEFS }: Mounted): void {
    NODEFS.stream_ops.fsync = (stream) => {
      try {
        if (stream.nfd) fsyncSync(stream.nfd);
        else syncDirectory(NODEFS.realPath(stream.node));
        this.syncs += 1;
        return 0;
      } catch (error) {
        this.onFault(codeOf(error));
        return errnoIo;
      }
    };
    const { write } = NODEFS.stream_ops;
    const { onFault } = this;
    NODEFS.stream_ops.write = function (...args) {
      try {
        return write.apply(this, args);
      } catch (error) {
        onFault(codeOf(error));
        throw error;
      }
    };
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
}
