import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import type { start } from './main.ts';

interface Program {
  start: typeof start;
  /** Modules that are part of the program, by the path below `dist` at which they also lie as files. */
  modules: Record<string, () => Promise<object>>;
}

/** The bundled program, which V8 takes from compiled code instead of compiling it. */
export interface CompiledProgram {
  start(): void;
  /** What V8 has compiled by now, for the next process. */
  code(): Buffer;
}

/**
 * Reads the program, a CommonJS file at an absolute path, and its compiled code, if there is any. V8 refuses code of
 * another version of itself; then the program is compiled as usual. The program is ASCII, as the bundler
 * writes it. The two files must come from one build: of the source, V8 compares the length only.
 */
export function openProgram(file: string, codeFile: string): CompiledProgram {
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;
  const cachedData = readIfThere(codeFile);
  // The name is for stack traces and stays in the compiled code: it says nothing of the machine that built it.
  const script = new Script(source, { filename: basename(file), ...(cachedData ? { cachedData } : {}) });
  return {
    start() {
      const module: { exports: Partial<Program> } = { exports: {} };
      script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
      const { modules = {} } = module.exports;
      const inside = new Map(Object.entries(modules).map(([path, load]) => [urlInPackage(file, path), load]));
      // Code that was not compiled in this process cannot import; this module can.
      module.exports.start?.((url) => inside.get(url)?.() ?? import(url));
    },
    code: () => script.createCachedData(),
  };
}

function urlInPackage(program: string, path: string): string {
  return new URL(`../${path}`, pathToFileURL(program)).href;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
