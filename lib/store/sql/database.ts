/** What a statement may be given. Lists become SQL arrays; a lone surrogate or NUL must be inside JSON text. */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly number[]
  | readonly (string | null)[];

export interface Statement {
  sql: string;
  values?: readonly SqlValue[];
  /** How long it, or the transaction that it is part of, may take when that is more than usual. */
  limitMs?: number;
}

/** 64-bit numbers may arrive as text: read them with `Number()`. */
export type Row = Record<string, unknown>;

/**
 * What the SQL store needs of a PostgreSQL server, embedded or not. Requests are carried out in the order of the calls.
 * A failure of a statement is an Error with the SQLSTATE in `code`. When the server went away it is an Error named
 * `DatabaseLost`: whether the request was carried out is then unknown until a next one answers.
 */
export interface Database {
  /** Connects, if that is not done yet. Throws an Error with `exitCode` 78 when this database can't be used. */
  open(): Promise<void>;
  /** All or nothing, durable when it resolves. Resolves to the rows of every statement. */
  transaction(statements: readonly Statement[]): Promise<Row[][]>;
  /** One statement on its own: also for what refuses to run in a transaction. */
  query(statement: Statement): Promise<Row[]>;
  /**
   * `now`: does not wait for what is under way, nor for an answer; what was acknowledged is safe all the same. Rejects as
   * `DatabaseLost` when the server does not end: it may write yet, and nobody else may open what it has. Idempotent.
   */
  close(how?: { now: boolean }): Promise<void>;
}

/** The one error of a request whose database went away; `code` is what the system said, where it said something. */
export function databaseLost(why: string, code?: string): Error {
  return Object.assign(new Error(why), { name: 'DatabaseLost', ...(code !== undefined && { code }) });
}

/** True for what `databaseLost` made. */
export function isDatabaseLost(error: unknown): boolean {
  return error instanceof Error && error.name === 'DatabaseLost';
}
