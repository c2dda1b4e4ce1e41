/** A queue whose items keep their position for life: the first one pushed is at 0. Push, shift and `at` cost O(1) amortised. */
export class Deque<T> {
  #items: (T | undefined)[] = [];
  /** Items before this index of the array were shifted already. */
  #head = 0;
  #start = 0;

  /** Position of the oldest item still held; equal to `end` when there is none. */
  get start(): number {
    return this.#start;
  }

  /** Position that the next item will get. */
  get end(): number {
    return this.#start + this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    this.#start++;
    // Moving at most half of a doubled array keeps a shift O(1) on average.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  at(position: number): T | undefined {
    return position < this.#start ? undefined : this.#items[position - this.#start + this.#head];
  }
}
