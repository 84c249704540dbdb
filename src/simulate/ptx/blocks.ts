/** Where divergent paths meet again: immediate post-dominators of blocks (Cooper, Harvey and Kennedy's iteration, on the reverse graph). */

import type { Terminator } from "./program.js";

/** Where a block goes on, by number; -1 is the end. */
export function successors(terminator: Terminator, index: number): number[] {
  switch (terminator.kind) {
    case "branch":
      return terminator.predicate < 0 ? [terminator.target] : [terminator.target, index + 1];
    case "indexed":
      return terminator.predicate < 0 ? [...terminator.targets] : [...terminator.targets, index + 1];
    case "return":
    case "exit":
      return terminator.predicate < 0 ? [-1] : [-1, index + 1];
    default:
      return [index + 1];
  }
}

/** `successors[b]` are block numbers, or -1 for the end. The result is a block number, or -1 for the end. */
export function immediatePostDominators(successors: readonly (readonly number[])[]): number[] {
  const count = successors.length;
  const END = count;
  const predecessors: number[][] = Array.from({ length: count + 1 }, () => []);
  successors.forEach((targets, b) => {
    for (const target of targets) predecessors[target < 0 ? END : target]!.push(b);
  });
  const order = reversePostorder(END, predecessors);
  const position = new Int32Array(count + 1).fill(-1);
  order.forEach((b, i) => {
    position[b] = i;
  });
  const dominator = new Int32Array(count + 1).fill(-1);
  dominator[END] = END;
  for (let changed = true; changed; ) {
    changed = false;
    for (const b of order) {
      if (b === END) continue;
      let meet = -1;
      for (const target of successors[b]!) {
        const next = target < 0 ? END : target;
        if (dominator[next]! < 0) continue;
        meet = meet < 0 ? next : intersect(meet, next, dominator, position);
      }
      if (meet !== dominator[b]) {
        dominator[b] = meet;
        changed = true;
      }
    }
  }
  // Blocks from which the end is never reached (endless loops) meet nowhere.
  return Array.from({ length: count }, (_, b) => (dominator[b] === END || dominator[b]! < 0 ? -1 : dominator[b]!));
}

function intersect(a: number, b: number, dominator: Int32Array, position: Int32Array): number {
  while (a !== b) {
    while (position[a]! > position[b]!) a = dominator[a]!;
    while (position[b]! > position[a]!) b = dominator[b]!;
  }
  return a;
}

function reversePostorder(start: number, edges: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const visited = new Uint8Array(edges.length);
  const stack: [node: number, next: number][] = [[start, 0]];
  visited[start] = 1;
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    const next = edges[top[0]]![top[1]++];
    if (next === undefined) {
      order.push(top[0]);
      stack.pop();
    } else if (!visited[next]) {
      visited[next] = 1;
      stack.push([next, 0]);
    }
  }
  return order.reverse();
}
