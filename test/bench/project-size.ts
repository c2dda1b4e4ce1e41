import { readFileSync } from 'node:fs';
import { globSync } from '../glob.mjs';
import { median } from './stats.ts';
import { print } from './table.ts';

const source = ['lib', 'handlers', 'plugins', 'host', 'public'];

/** Counted from the sources and the lock file. */
export function printProjectSize(): void {
  const lines = (folder: string) =>
    globSync(folder, /\.(ts|tsx|mjs|css)$/)
      .filter((file) => !file.includes('/fixtures/'))
      .map((file) => ({ file, count: readFileSync(file, 'utf8').split('\n').length - 1 }));
  const row = (name: string, folders: string[]): string[] => {
    const files = folders.flatMap(lines).sort((a, b) => b.count - a.count);
    const total = files.reduce((sum, { count }) => sum + count, 0);
    const [largest] = files;
    return [
      name,
      ...[files.length, total, median(files.map(({ count }) => count))].map((value) => value.toLocaleString('en')),
      `${largest?.count ?? 0} ${largest?.file ?? ''}`,
    ];
  };
  console.log('');
  print(
    ['lines of', 'files', 'lines', 'median', 'largest'],
    [...source.map((folder) => row(folder, [folder])), row('source together', source), row('test', ['test'])],
  );
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  );
  console.log(
    `\n${Object.keys(dependencies).length} runtime dependencies, ${installed.length} packages with all that they need.`,
  );
}
