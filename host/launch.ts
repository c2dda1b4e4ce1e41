#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { openProgram } from './compiled-program.ts';

// The program that people start. Compiling the service takes as long as everything else that a start does together, so
// the build keeps the compiled code beside it, under a name that only this very source has.
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
openProgram(beside('./program.cjs'), beside('./program.code')).start();
