/** Predecessors, dominators and loops of a function's blocks. */
import { type Block, successorsOf } from "./graph.js";

/**
 * Numbers the blocks that can be reached, in reverse post-order, and finds dominators and the depth of loops.
 * Source of the dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
 */
export function analyse(entry: Block): readonly Block[] {
  const order = reversePostOrder(entry, successorsOf);
  order.forEach((block, i) => {
    block.order = i;
    block.dominator = undefined;
    block.loopDepth = 0;
  });
  entry.dominator = entry;
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of order) {
      if (block === entry) continue;
      let dominator: Block | undefined;
      for (const pred of block.predecessors) if (pred.dominator) dominator = dominator ? meet(pred, dominator) : pred;
      if (dominator !== block.dominator) {
        block.dominator = dominator;
        changed = true;
      }
    }
  }
  for (const block of order) block.depth = block === entry ? 0 : block.dominator!.depth + 1;
  findLoops(order);
  return order;
}

/** The blocks that can be reached, definitions before uses. */
export function reversePostOrder<B>(entry: B, successors: (block: B) => readonly B[]): B[] {
  const post: B[] = [];
  const seen = new Set<B>([entry]);
  const stack: { readonly block: B; next: number }[] = [{ block: entry, next: 0 }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const successor: B | undefined = successors(top.block)[top.next++];
    if (successor === undefined) {
      post.push(top.block);
      stack.pop();
    } else if (!seen.has(successor)) {
      seen.add(successor);
      stack.push({ block: successor, next: 0 });
    }
  }
  return post.reverse();
}

/** The nearest block that dominates both. */
export function meet(a: Block, b: Block): Block {
  let [x, y] = [a, b];
  while (x !== y) {
    while (x.order > y.order) x = x.dominator!;
    while (y.order > x.order) y = y.dominator!;
  }
  return x;
}
export function dominates(a: Block, b: Block): boolean {
  let at = b;
  while (at.depth > a.depth) at = at.dominator!;
  return at === a;
}

/** The blocks that are run whenever their dominator is: every way from there to an end leads through them. */
export function runAsDominator(order: readonly Block[]): ReadonlySet<Block> {
  const ends = order.filter((block) => successorsOf(block).length === 0);
  // Backwards from one end of all, which is undefined.
  const backwards = reversePostOrder<Block | undefined>(undefined, (block) => (block ? block.predecessors : ends));
  const places = new Map(backwards.map((block, i) => [block, i]));
  const next = new Map<Block | undefined, Block | undefined>([[undefined, undefined]]);
  const common = (a: Block | undefined, b: Block | undefined): Block | undefined => {
    let [x, y] = [a, b];
    while (x !== y) {
      if (places.get(x)! > places.get(y)!) x = next.get(x);
      else y = next.get(y);
    }
    return x;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of backwards) {
      if (!block) continue;
      const known = successorsOf(block).filter((successor) => next.has(successor));
      const found = known.reduce<Block | undefined>(common, known[0]);
      if (next.has(block) && next.get(block) === found) continue;
      next.set(block, found);
      changed = true;
    }
  }
  const leadsTo = (from: Block, to: Block): boolean => {
    let at: Block | undefined = from;
    while (at && at !== to && places.get(at)! > places.get(to)!) at = next.get(at);
    return at === to;
  };
  return new Set(order.filter((block) => places.has(block) && places.has(block.dominator!) && leadsTo(block.dominator!, block)));
}

/** A loop is what reaches a back edge without passing its head. */
function findLoops(order: readonly Block[]): void {
  for (const head of order) {
    const body = new Set<Block>([head]);
    const work = head.predecessors.filter((p) => p.dominator && dominates(head, p));
    if (work.length === 0) continue;
    for (let block = work.pop(); block; block = work.pop()) {
      if (body.has(block)) continue;
      body.add(block);
      work.push(...block.predecessors);
    }
    for (const block of body) block.loopDepth++;
  }
}
