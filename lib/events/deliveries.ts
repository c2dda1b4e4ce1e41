/**
 * Who waits for events is called at the end of the turn of the event loop in which they came, so that what is published within it
 * becomes one write: a model at full speed is read in many pieces a turn, and a write for each would double the cost of a delta.
 */
export class Deliveries {
  #due: (() => void)[] = [];
  #atTurnsEnd: NodeJS.Immediate | undefined;

  add(deliver: () => void): void {
    this.#due.push(deliver);
    this.#atTurnsEnd ??= setImmediate(() => {
      this.#atTurnsEnd = undefined;
      this.now();
    });
  }

  /** Calls all who are due. One that fails must not break the run that publishes, nor keep the others from theirs. */
  now(): void {
    const due = this.#due;
    this.#due = [];
    for (const deliver of due) {
      try {
        deliver();
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
