/** Contract: WorkspaceEntry. `path` is POSIX and relative to the session workspace. */
export interface WorkspaceEntry {
  name: string;
  path: string;
  type: 'file' | 'directory';
  size?: number;
  modifiedAt?: string;
}

/** Contract: WorkspaceListing. Directories first, then files, both by name; `truncated` at 500 entries. */
export interface WorkspaceListing {
  path: string;
  entries: WorkspaceEntry[];
  truncated?: boolean;
}

/** Contract: WorkspaceFile. */
export interface WorkspaceFile {
  path: string;
  name: string;
  size: number;
  modifiedAt: string;
  mimeType: string;
  encoding: 'utf8' | 'base64';
  content: string;
  truncated: boolean;
  binary: boolean;
  /** Text only. */
  lines?: number;
}
