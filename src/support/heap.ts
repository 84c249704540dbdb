/** A binary heap: `pop` gives the first of its items by `isBefore`, an order without ties. */
export class Heap<Item> {
  readonly #items: Item[] = [];

  constructor(readonly isBefore: (a: Item, b: Item) => boolean) {}

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && this.isBefore(item, items[parent]!); parent = (at - 1) >> 1) {
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < items.length && this.isBefore(items[child + 1]!, items[child]!)) child++;
      if (child >= items.length || this.isBefore(last, items[child]!)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
