/** An error for the person at the command line: `main` writes its text on one line, without a stack, and ends with this code. */
export function exitError(text: string, exitCode: number): Error {
  return Object.assign(new Error(text), { exitCode });
}
