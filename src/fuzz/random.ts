/** A deterministic source of random choices: an input is a function of its kind, the seed and its number. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Mixed once, so that neighbouring seeds do not begin alike (splitmix32).
    let z = (seed + 0x9e3779b9) | 0;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    this.#state = (z ^ (z >>> 15)) | 1;
  }

  /** An integer from 0 to `n` - 1 (xorshift32). */
  below(n: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % n;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
