import type { Operation } from "../ir/operation.js";

/**
 * A stack of ops without duplicates from which any op can be taken out. Its index is kept in `op.scratch`, twice as fast
 * as a Map; a stale index is recognised because the slot it names holds another op.
 */
export class Worklist {
  readonly #list: (Operation | undefined)[] = [];

  get size(): number {
    return this.#list.length;
  }
  clear(): void {
    this.#list.length = 0;
  }
  push(op: Operation): void {
    const list = this.#list;
    const at = op.scratch;
    if (at >= 0 && at < list.length && list[at] === op) return;
    op.scratch = list.length;
    list.push(op);
  }
  /** The op pushed last; undefined when there is none. */
  pop(): Operation | undefined {
    const list = this.#list;
    while (list.length > 0) {
      const op = list.pop();
      if (op) {
        op.scratch = -1;
        return op;
      }
    }
    return undefined;
  }
  remove(op: Operation): void {
    const at = op.scratch;
    if (at < 0 || at >= this.#list.length || this.#list[at] !== op) return;
    this.#list[at] = undefined;
    op.scratch = -1;
  }
  reverse(): void {
    this.#list.reverse().forEach((op, i) => {
      if (op) op.scratch = i;
    });
  }
  get empty(): boolean {
    return this.#list.every((op) => op === undefined);
  }
}
