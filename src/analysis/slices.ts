/**
 * The ops that a value depends on, and those that depend on it.
 * Source: mlir/lib/Analysis/SliceAnalysis.cpp, TopologicalSortUtils.cpp.
 */
import type { Block } from "../ir/block.js";
import { reversePostOrder } from "../ir/dominance.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";

export interface ForwardSliceOptions {
  /** Ops for which it is false are left out, and what only they lead to. */
  readonly filter?: (op: Operation) => boolean;
}
export interface BackwardSliceOptions extends ForwardSliceOptions {
  /** Stop at block arguments, instead of going on with the op around. */
  readonly omitBlockArguments?: boolean;
  /** Go on with what the regions of an op use from outside of them, too. */
  readonly usesFromAbove?: boolean;
}

/** The ops that depend on a value: its users, theirs, and what is nested in them; in an order in which each follows what it uses. */
export function getForwardSlice(root: Value | Operation, { filter }: ForwardSliceOptions = {}): Operation[] {
  const roots = "isOperation" in root ? [root as Operation] : (root as Value).users();
  const post = postOrder(roots, filter ?? (() => true), forwardOf);
  return post.filter((op) => op !== root).reverse();
}

/** The ops that an op depends on, by operands and block arguments, each after what it uses; the op itself left out. */
export function getBackwardSlice(root: Operation, options: BackwardSliceOptions = {}): Operation[] {
  const accepts = (op: Operation): boolean => !op.def.isIsolated && (!options.filter || options.filter(op));
  return postOrder([root], accepts, (op) => backwardOf(op, options)).filter((op) => op !== root);
}

/** The ops reached from `roots`, each after those that it leads to. */
function postOrder(
  roots: readonly Operation[],
  accepts: (op: Operation) => boolean,
  next: (op: Operation) => Iterable<Operation>,
): Operation[] {
  const post: Operation[] = [];
  const seen = new Set<Operation>();
  for (const root of roots) {
    const stack: { readonly op: Operation; readonly next: Iterator<Operation> }[] = [];
    const enter = (op: Operation): void => {
      if (seen.has(op)) return;
      seen.add(op);
      if (accepts(op)) stack.push({ op, next: next(op)[Symbol.iterator]() });
    };
    enter(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { value, done } = top.next.next();
      if (!done) enter(value);
      else {
        post.push(top.op);
        stack.pop();
      }
    }
  }
  return post;
}

/** All that is connected with an op by backward and forward slices of what is found, the op included; in program order. */
export function getSlice(root: Operation, backward: BackwardSliceOptions = {}, forward: ForwardSliceOptions = {}): Operation[] {
  const found = new Set([root]);
  for (const op of found) {
    if (!op.def.isIsolated && (!backward.filter || backward.filter(op)))
      for (const next of backwardOf(op, backward)) if (!next.def.isIsolated && (!backward.filter || backward.filter(next))) found.add(next);
    if (!forward.filter || forward.filter(op))
      for (const next of forwardOf(op)) if (!forward.filter || forward.filter(next)) found.add(next);
  }
  return topologicalSort([...found]);
}

function* forwardOf(op: Operation): Iterable<Operation> {
  for (const region of op.regions) for (const block of region.blocks()) yield* block.ops();
  for (const result of op.results) yield* result.users();
}
function* backwardOf(op: Operation, { omitBlockArguments = false, usesFromAbove = false }: BackwardSliceOptions): Iterable<Operation> {
  const definitionOf = (value: Value): Operation | undefined =>
    value.definingOp ?? (omitBlockArguments ? undefined : ownerOfArgument(value));
  if (usesFromAbove) {
    const outer: Value[] = [];
    op.walkPostOrder((nested) => {
      if (nested === op) return;
      for (const { value } of nested.operandUses) {
        const at = value.definingOp ?? value.argOwner?.parentOp;
        if (!at || !op.isAncestorOf(at)) outer.push(value);
      }
    });
    for (const value of outer) {
      const def = definitionOf(value);
      if (def) yield def;
    }
  }
  for (const { value } of op.operandUses) {
    const def = definitionOf(value);
    if (def) yield def;
  }
}
/** The op around a block argument, when it has but one block. */
export function ownerOfArgument(arg: Value): Operation | undefined {
  const op = arg.argOwner?.parentOp;
  return op?.regions.length === 1 && op.regions[0]!.hasOneBlock ? op : undefined;
}

/** The ops in program order; blocks come after those that dominate them. Each once. */
export function topologicalSort(ops: readonly Operation[]): Operation[] {
  if (ops.length <= 1) return [...ops];
  const wanted = new Set(ops);
  // Regions and blocks on the way to an op; a block counts its ops to visit, in order.
  const inBlock = new Map<Block, Set<Operation>>();
  const tops = new Set<Block>();
  for (const op of ops) {
    let at: Operation = op;
    for (;;) {
      const block = at.block;
      if (!block) break;
      const known = inBlock.get(block);
      if (known) {
        known.add(at);
        break;
      }
      inBlock.set(block, new Set([at]));
      if (!block.parentOp) {
        tops.add(block);
        break;
      }
      at = block.parentOp;
      if (!at.block) tops.add(block);
    }
  }
  const sorted: Operation[] = [];
  const visitBlock = (block: Block): void => {
    const members = [...inBlock.get(block)!].sort((a, b) => (a === b ? 0 : a.isBeforeInBlock(b) ? -1 : 1));
    for (const op of members) {
      if (wanted.has(op)) sorted.push(op);
      for (const region of op.regions) visitRegion(region);
    }
  };
  const visitRegion = (region: Region): void => {
    if (region.hasOneBlock) {
      if (inBlock.has(region.firstBlock!)) visitBlock(region.firstBlock!);
      return;
    }
    const blocks = [...region.blocks()].filter((block) => inBlock.has(block));
    if (blocks.length === 0) return;
    const order = new Map(reversePostOrder(region).map((block, i) => [block, i]));
    for (const block of blocks.sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity))) visitBlock(block);
  };
  const regions = new Set([...tops].map((block) => block.region).filter((region) => region !== null));
  for (const region of regions) visitRegion(region);
  if (regions.size === 0) for (const block of tops) visitBlock(block);
  return sorted;
}
