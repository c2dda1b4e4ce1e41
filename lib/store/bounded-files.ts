import type { Slots } from '../base/slots.ts';
import type { FilePort } from './file-port.ts';

/** The same system calls; what reads transcripts and images, which comes in bursts, waits for a slot. The log never does. */
export function boundedFiles(files: FilePort, slots: Slots): FilePort {
  return {
    ...files,
    read: (path) => slots(() => files.read(path)),
    readHead: (path, length) => slots(() => files.readHead(path, length)),
  };
}
