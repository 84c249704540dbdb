/** The loops of a function: blocks that reach each other, and within such a loop the loops of what is left without its header. */
import { successors } from "./blocks.js";
import type { Block } from "./program.js";

export interface Loop {
  /** The block through which it is entered. */
  readonly header: number;
  readonly blocks: ReadonlySet<number>;
  /** 1 for a loop in no other. */
  readonly depth: number;
  /** How often warps entered it, and how often they went round, over all programs so far. */
  entries: number;
  iterations: number;
}

/** Outer loops come before the loops in them. */
export function loopsOf(blocks: readonly Block[]): readonly Loop[] {
  const next = blocks.map(({ terminator }, i) => successors(terminator, i).filter((b) => b >= 0 && b < blocks.length));
  const loops: Loop[] = [];
  const within = (among: ReadonlySet<number>, cut: ReadonlySet<number>, depth: number): void => {
    for (const component of components(next, among, cut)) {
      const [first] = component;
      if (component.size === 1 && (!next[first!]!.includes(first!) || cut.has(first!))) continue;
      const entries = [...component].filter((b) => next.some((targets, from) => !component.has(from) && targets.includes(b)));
      const header = Math.min(...(entries.length > 0 ? entries : component));
      loops.push({ header, blocks: component, depth, entries: 0, iterations: 0 });
      within(component, new Set([...cut, header]), depth + 1);
    }
  };
  within(new Set(blocks.keys()), new Set(), 1);
  return loops;
}

/** Strongly connected components (Tarjan) of the blocks in `among`, without the edges into `cut`. */
function components(next: readonly (readonly number[])[], among: ReadonlySet<number>, cut: ReadonlySet<number>): Set<number>[] {
  const found: Set<number>[] = [];
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  // Each entry is a block and how many of its successors have been seen: long functions would overflow JavaScript's stack.
  for (const root of among) {
    if (index.has(root)) continue;
    const work: [block: number, seen: number][] = [[root, 0]];
    while (work.length > 0) {
      const top = work.at(-1)!;
      const [block, seen] = top;
      if (seen === 0) {
        index.set(block, index.size);
        low.set(block, index.get(block)!);
        stack.push(block);
        onStack.add(block);
      }
      const target = next[block]![seen];
      if (target !== undefined) {
        top[1]++;
        if (!among.has(target) || cut.has(target)) continue;
        if (!index.has(target)) work.push([target, 0]);
        else if (onStack.has(target)) low.set(block, Math.min(low.get(block)!, index.get(target)!));
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.[0];
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(block)!));
      if (low.get(block) !== index.get(block)) continue;
      const component = new Set<number>();
      for (let b = stack.pop()!; ; b = stack.pop()!) {
        onStack.delete(b);
        component.add(b);
        if (b === block) break;
      }
      found.push(component);
    }
  }
  return found.reverse();
}

/** The blocks from which a loop goes back to its header. */
export const latchesOf = ({ header, blocks }: Loop, all: readonly Block[]): readonly Block[] =>
  [...blocks].filter((b) => successors(all[b]!.terminator, b).includes(header)).map((b) => all[b]!);

/** For each block the branch by which it leaves its innermost loop: whether the branch is taken then. Undefined where it cannot. */
export function exitsOf(blocks: readonly Block[], loops: readonly Loop[]): readonly (boolean | undefined)[] {
  return blocks.map(({ terminator }, i) => {
    if (terminator.kind !== "branch" || terminator.predicate < 0) return undefined;
    const loop = loops.findLast((l) => l.blocks.has(i));
    if (loop === undefined) return undefined;
    const [taken, not] = [loop.blocks.has(terminator.target), loop.blocks.has(i + 1)];
    return taken === not ? undefined : !taken;
  });
}
