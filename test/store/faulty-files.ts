import { type FilePort, systemFiles } from '../../lib/store/file-port.ts';

export type Operation = keyof FilePort;

/** One system call: `before` may throw, or never return, instead of it; a `short` result lets a write do half. */
export interface Call {
  operation: Operation;
  path: string;
  count: number;
}

export type Interfere = (call: Call) => 'short' | undefined;

/** The real system calls, each shown to `interfere` first. */
export function watchedFiles(interfere: Interfere, real: FilePort = systemFiles): FilePort {
  const paths = new Map<number, string>();
  let count = 0;
  const see = (operation: Operation, path: string | number) =>
    interfere({ operation, path: typeof path === 'number' ? (paths.get(path) ?? '') : path, count: ++count });
  const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.length / 2));
  /** What `interfere` throws is a rejection; the first argument is what it is shown. */
  const seen =
    <Place extends string | number, Rest extends unknown[], Result>(
      operation: Operation,
      call: (place: Place, ...rest: Rest) => Promise<Result>,
    ) =>
    async (place: Place, ...rest: Rest): Promise<Result> => {
      see(operation, place);
      return call(place, ...rest);
    };
  return {
    open: seen('open', async (path: string, how) => {
      const descriptor = await real.open(path, how);
      paths.set(descriptor, path);
      return descriptor;
    }),
    close: (descriptor) => real.close(descriptor),
    writeSync(descriptor, bytes) {
      return real.writeSync(descriptor, see('writeSync', descriptor) === 'short' ? half(bytes) : bytes);
    },
    async write(descriptor, bytes) {
      return real.write(descriptor, see('write', descriptor) === 'short' ? half(bytes) : bytes);
    },
    truncateSync(descriptor, length) {
      see('truncateSync', descriptor);
      real.truncateSync(descriptor, length);
    },
    datasync: seen('datasync', real.datasync),
    sync: seen('sync', real.sync),
    syncDirectory: seen('syncDirectory', real.syncDirectory),
    makeDirectory: seen('makeDirectory', real.makeDirectory),
    async rename(from, to) {
      see('rename', to);
      await real.rename(from, to);
    },
    remove: seen('remove', real.remove),
    list: seen('list', real.list),
    read: seen('read', real.read),
    readHead: seen('readHead', real.readHead),
  };
}

export function fault(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** The real system calls; those for which `when` holds at the time fail with `code`. */
export function failingFiles(code: string, when: (call: Call) => boolean): FilePort {
  return watchedFiles((call) => {
    if (when(call)) throw fault(code);
    return undefined;
  });
}
