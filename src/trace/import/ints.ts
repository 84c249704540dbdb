/** A growing list of 32-bit integers. */
export class Ints {
  #items = new Int32Array(1024);
  length = 0;
  push(value: number): void {
    if (this.length === this.#items.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.length++] = value;
  }
  at(index: number): number {
    return this.#items[index]!;
  }
  set(index: number, value: number): void {
    this.#items[index] = value;
  }
  /** The items so far, in memory of their own. */
  take(): Int32Array {
    return this.#items.slice(0, this.length);
  }
}
