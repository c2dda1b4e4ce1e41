import type { WorkspaceFile, WorkspaceListing } from '../wire/workspace.ts';

/**
 * One directory that a session works in. Every path is relative to it (POSIX); reading and writing never leave it, also
 * not through a symbolic link that changes in between. Throws ServiceError `bad_path`, `invalid_path`,
 * `outside_workspace` or `not_found` (DECISIONS.md, Which error it is). The service's own store is invisible here.
 */
export interface Workspace {
  /** Absolute real path of the directory. */
  readonly root: string;
  /** One directory (default the root), at most 500 entries. Contract: WorkspaceListing. */
  list(path?: string): Promise<WorkspaceListing>;
  /** One file, at most `limit` bytes (default 2 MB). Contract: WorkspaceFile. */
  read(path: string, options?: { limit?: number }): Promise<WorkspaceFile>;
  /** The bytes of a file; refuses files over `limit`. */
  readBytes(path: string, options?: { limit?: number }): Promise<Buffer>;
  /** Writes a file through a temporary file and a rename, making missing directories. Keeps the mode of a file that was there. */
  write(path: string, content: string | Buffer): Promise<{ created: boolean; bytes: number }>;
  /**
   * Every file below `path`, depth first by name, without following links; stops when the signal aborts. Own paths are
   * left out, and ignored ones too unless `ignore` is false or `path` itself is ignored.
   */
  walk(
    path: string,
    options: { signal: AbortSignal; ignore?: boolean },
  ): AsyncIterable<{ path: string; size: number; modifiedAt: number }>;
  /** The same operations on the whole file system, for tools whose operator lifted the restriction; paths are relative to `/`. */
  wholeMachine(): Workspace;
}

/** Opens workspaces; one per service. */
export interface Workspaces {
  /** `directory` is absolute; resolved to its real path at every opening. Throws `invalid_body` when it is no directory. */
  open(directory: string): Promise<Workspace>;
  /** The directory of a tenant that pins none (contract: Authentication, rule 6), made when missing. */
  defaultDirectory(tenantId: string): Promise<string>;
  /** True when an absolute real path belongs to the store and must stay invisible. */
  isOwnPath(path: string): boolean;
}
