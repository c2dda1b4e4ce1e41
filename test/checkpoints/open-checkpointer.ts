import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../lib/base/clock.ts';
import type { Logger } from '../../lib/base/log.ts';
import { packageRoot } from '../../lib/base/package-root.ts';
import type { Checkpointer, CheckpointSession } from '../../lib/checkpoints/checkpointer.ts';
import { type CheckpointerOptions, createCheckpointer } from '../../lib/checkpoints/create-checkpointer.ts';
import { createIdSource } from '../../lib/wire/ids.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

export interface Rig {
  checkpointer: Checkpointer;
  workspace: string;
  /** Where the repositories lie. */
  directory: string;
  session: CheckpointSession;
  logged: string[];
}

export interface RigOptions extends Partial<Omit<CheckpointerOptions, 'config'>> {
  enabled?: 'auto' | boolean;
  maxFiles?: number;
  exclude?: string[];
  workspace?: string;
  tenantId?: string;
  durability?: 'full' | 'process';
}

export const workerUrl = pathToFileURL(join(packageRoot(), 'dist/lib/checkpoints/checkpoint.worker.js'));

/** A checkpointer with the built worker on a fresh workspace. Close it. */
export function openCheckpointer(options: RigOptions = {}): Rig {
  const { enabled = 'auto', maxFiles = 20_000, exclude = [], durability = 'process', tenantId = 'default' } = options;
  const directory = options.directory ?? tempDirectory('checkpoints');
  const workspace = options.workspace ?? tempDirectory('workspace');
  mkdirSync(workspace, { recursive: true });
  const logged: string[] = [];
  const checkpointer = createCheckpointer({
    ownPaths: [],
    clock: systemClock,
    log: logger(logged),
    newId: createIdSource(() => Date.now()),
    workerUrl,
    ...options,
    directory,
    config: { checkpoints: { enabled, maxFiles, exclude }, storage: { durability } },
  });
  return { checkpointer, workspace, directory, session: { id: 'ses_one', tenantId, workspace }, logged };
}

function logger(logged: string[]): Logger {
  const write = (message: string, fields: unknown = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  return log;
}
