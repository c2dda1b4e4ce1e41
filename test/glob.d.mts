/** The files below a folder (or the file itself) whose POSIX path matches, sorted; nothing when the folder is not there. */
export function globSync(root: string, pattern: RegExp): string[];
