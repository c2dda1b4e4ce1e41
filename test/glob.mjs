import { readdirSync, statSync } from 'node:fs';

/** The files below a folder (or the file itself) whose POSIX path matches, sorted; nothing when the folder is not there. */
export function globSync(root, pattern) {
  const found = [];
  const visit = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isFile()) {
      if (pattern.test(path)) found.push(path);
      return;
    }
    for (const name of readdirSync(path).sort()) if (name !== 'node_modules') visit(`${path}/${name}`);
  };
  visit(root);
  return found;
}
