import type { Metric } from './metric.ts';
import { accepted, acceptedBySql } from './metrics/accepted.ts';
import { checkpoints } from './metrics/checkpoints.ts';
import { checkpointsAdded } from './metrics/checkpoints-added.ts';
import { coldStart } from './metrics/cold-start.ts';
import { create } from './metrics/create.ts';
import { fanOut } from './metrics/fan-out.ts';
import { firstDelta } from './metrics/first-delta.ts';
import { growth } from './metrics/growth.ts';
import { kills } from './metrics/kills.ts';
import { longSession } from './metrics/long-session.ts';
import { longTurn } from './metrics/long-turn.ts';
import { manyTurns } from './metrics/many-turns.ts';
import { population } from './metrics/population.ts';
import { startParts } from './metrics/start-parts.ts';
import { storeBulk } from './metrics/store-bulk.ts';
import { toolRounds } from './metrics/tool-rounds.ts';

/** Everything that is measured, in this order. */
export const metrics: readonly Metric[] = [
  coldStart,
  startParts,
  create,
  firstDelta,
  accepted,
  acceptedBySql,
  longTurn,
  manyTurns,
  toolRounds,
  fanOut,
  longSession,
  population,
  storeBulk,
  checkpointsAdded,
  checkpoints,
  kills,
  ...growth,
];
