/** The code of what went wrong; a full disk is called as the system calls it. */
export function failureCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return code === diskFull ? 'ENOSPC' : code;
}

/** PostgreSQL's own refusals have five characters; what concerns the machine (class 53, 58) concerns every commit alike. */
export function isRefusedStatement(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && !/^5[38]/.test(code);
}

const diskFull = '53100';
