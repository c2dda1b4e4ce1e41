/**
 * Calls those who wait for events, so that what is published at once becomes one write. Who was called lately is called at the end
 * of this turn of the event loop: a model at full speed is read in many pieces a turn, and a write for each would double the
 * cost of a delta. Who has waited for a while is called as soon as the code that publishes is through: another phase of the
 * loop for every delta of a calm stream costs as much as making its frame.
 */
export class Deliveries {
  #due: (() => void)[] = [];
  #atTurnsEnd: NodeJS.Immediate | undefined;
  #soon = false;

  add(deliver: () => void, { calm }: { calm: boolean }): void {
    this.#due.push(deliver);
    if (!calm) this.#atTurnsEnd ??= setImmediate(this.#turnEnds);
    else if (!this.#soon) {
      this.#soon = true;
      queueMicrotask(this.#codeEnds);
    }
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

  readonly #turnEnds = (): void => {
    this.#atTurnsEnd = undefined;
    this.now();
  };

  readonly #codeEnds = (): void => {
    this.#soon = false;
    this.now();
  };
}
