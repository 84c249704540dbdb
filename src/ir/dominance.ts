import type { Block } from "./block.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import { HasOnlyGraphRegion } from "./traits.js";
import type { Value } from "./value.js";

/** A block's place in the dominator tree: those that it dominates are entered after it and left before it. */
interface TreeNode {
  readonly idom: Block;
  readonly enter: number;
  readonly leave: number;
}

/**
 * Dominator trees of regions, made when asked for and kept until `invalidate`.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
 */
export class Dominance {
  readonly #trees = new Map<Region, Map<Block, TreeNode>>();

  invalidate(): void {
    this.#trees.clear();
  }

  /** Whether block `a` dominates block `b` of the same region (reflexively). Unreachable blocks are dominated by all. */
  blockDominates(a: Block, b: Block): boolean {
    if (a === b) return true;
    const region = a.region!;
    if (region.hasOneBlock) return false;
    const tree = this.tree(region);
    const below = tree.get(b);
    if (!below) return true;
    const above = tree.get(a);
    return above !== undefined && above.enter <= below.enter && below.leave <= above.leave;
  }
  isReachable(block: Block): boolean {
    const region = block.region!;
    return region.firstBlock === block || this.tree(region).has(block);
  }
  immediateDominator(block: Block): Block | undefined {
    const idom = this.tree(block.region!).get(block)?.idom;
    return idom === block ? undefined : idom;
  }

  /** Whether `a` comes before `b` on every path to `b`. `b` may be nested in a region beside or below `a`. */
  properlyDominates(a: Operation, b: Operation, enclosingOk = true): boolean {
    if (a === b) return false;
    const inner = ancestorInRegion(b, a.region!);
    if (!inner) return false;
    if (inner === a) return enclosingOk && a !== b;
    if (a.block === inner.block) return a.isBeforeInBlock(inner) || a.parentOp?.def.traits.has(HasOnlyGraphRegion) === true;
    return this.blockDominates(a.block!, inner.block!);
  }
  dominates(a: Operation, b: Operation): boolean {
    return a === b || this.properlyDominates(a, b);
  }
  /** Whether `value` can be used by `user`. */
  valueDominates(value: Value, user: Operation): boolean {
    const op = value.definingOp;
    if (op) return this.properlyDominates(op, user, false);
    const block = value.argOwner!;
    const inner = ancestorInRegion(user, block.region!);
    return inner !== undefined && this.blockDominates(block, inner.block!);
  }

  private tree(region: Region): Map<Block, TreeNode> {
    let tree = this.#trees.get(region);
    if (!tree) this.#trees.set(region, (tree = computeTree(region)));
    return tree;
  }
}

/** The ancestor of `op` (or itself) that lies directly in `region`. */
export function ancestorInRegion(op: Operation, region: Region): Operation | undefined {
  for (let at: Operation | null = op; at; at = at.parentOp) if (at.region === region) return at;
  return undefined;
}

function computeTree(region: Region): Map<Block, TreeNode> {
  const order = reversePostOrder(region);
  const number = new Map(order.map((block, i) => [block, i]));
  const idom = new Int32Array(order.length).fill(-1);
  idom[0] = 0;
  const predecessors = order.map((block) =>
    block
      .predecessors()
      .map((p) => number.get(p) ?? -1)
      .filter((p) => p >= 0),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 1; i < order.length; i++) {
      let best = -1;
      for (const p of predecessors[i]!) {
        if (idom[p] === -1) continue;
        if (best < 0) best = p;
        else {
          let a = best;
          let b = p;
          while (a !== b) {
            while (a > b) a = idom[a]!;
            while (b > a) b = idom[b]!;
          }
          best = a;
        }
      }
      if (idom[i] !== best) {
        idom[i] = best;
        changed = true;
      }
    }
  }
  // A block comes after its dominator in `order`: sizes of subtrees from the last, then intervals from the first.
  const size = new Int32Array(order.length).fill(1);
  for (let i = order.length - 1; i > 0; i--) size[idom[i]!]! += size[i]!;
  const enter = new Int32Array(order.length);
  const free = new Int32Array(order.length).fill(1);
  for (let i = 1; i < order.length; i++) {
    const above = idom[i]!;
    enter[i] = free[above]!;
    free[above]! += size[i]!;
    free[i] = enter[i]! + 1;
  }
  return new Map(order.map((block, i) => [block, { idom: order[idom[i]!]!, enter: enter[i]!, leave: enter[i]! + size[i]! }]));
}

/** The blocks reachable from the entry, each before the blocks it dominates. */
export function reversePostOrder(region: Region): Block[] {
  if (!region.firstBlock) return [];
  const seen = new Set<Block>([region.firstBlock]);
  const post: Block[] = [];
  const stack = [{ block: region.firstBlock, successors: region.firstBlock.successors(), at: 0 }];
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    const next = top.successors[top.at++];
    if (!next) {
      post.push(top.block);
      stack.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      stack.push({ block: next, successors: next.successors(), at: 0 });
    }
  }
  return post.reverse();
}
