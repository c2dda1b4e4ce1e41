#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { openProgram } from './compiled-program.ts';

// The program that people start. Compiling the service would take a fifth of a start, so the build keeps the compiled code
// beside it.
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
openProgram(beside('./program.cjs'), beside('./program.code')).start();
