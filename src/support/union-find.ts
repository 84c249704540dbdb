/** Sets that grow together: which of the things joined so far belong to one set. */
export class UnionFind<T> {
  readonly #parent = new Map<T, T>();

  /** Was it ever joined with another? */
  has(item: T): boolean {
    return this.#parent.has(item);
  }
  /** The one that stands for the item's set. */
  find(item: T): T {
    let root = item;
    for (let up = this.#parent.get(root); up !== undefined && up !== root; up = this.#parent.get(root)) root = up;
    for (let at = item; at !== root; ) {
      const up = this.#parent.get(at)!;
      this.#parent.set(at, root);
      at = up;
    }
    return root;
  }
  /** Makes one set of the sets of two items. */
  union(a: T, b: T): void {
    for (const item of [a, b]) if (!this.#parent.has(item)) this.#parent.set(item, item);
    this.#parent.set(this.find(b), this.find(a));
  }
}
