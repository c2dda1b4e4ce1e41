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
  return {
    async open(path, how) {
      see('open', path);
      const descriptor = await real.open(path, how);
      paths.set(descriptor, path);
      return descriptor;
    },
    async close(descriptor) {
      await real.close(descriptor);
    },
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
    async datasync(descriptor) {
      see('datasync', descriptor);
      await real.datasync(descriptor);
    },
    async sync(descriptor) {
      see('sync', descriptor);
      await real.sync(descriptor);
    },
    async syncDirectory(path) {
      see('syncDirectory', path);
      await real.syncDirectory(path);
    },
    async makeDirectory(path) {
      see('makeDirectory', path);
      await real.makeDirectory(path);
    },
    async rename(from, to) {
      see('rename', to);
      await real.rename(from, to);
    },
    async remove(path) {
      see('remove', path);
      await real.remove(path);
    },
    async list(path) {
      see('list', path);
      return real.list(path);
    },
    async read(path) {
      see('read', path);
      return real.read(path);
    },
    async readHead(path, length) {
      see('readHead', path);
      return real.readHead(path, length);
    },
  };
}

export function fault(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}
