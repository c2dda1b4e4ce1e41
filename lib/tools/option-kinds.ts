import { enums, integer } from 'superstruct';
import { max, min } from './fields.ts';

// Kinds of options that several plugins have.

/** Whether a tool asks a person before it is executed. */
export const permission = enums(['auto', 'ask']);

/** A duration, at least 1, at most the longest that a timer of the platform knows (24.8 days). */
export const milliseconds = max(min(integer(), 1), 2 ** 31 - 1);
