import type { Block } from "./block.js";
import { Operation } from "./operation.js";
import type { Region } from "./region.js";
import type { Value } from "./value.js";

/** From values, blocks (and ops) of the original to those of the copy. Values without an entry stand for themselves. */
export class Mapping {
  readonly values = new Map<Value, Value>();
  readonly blocks = new Map<Block, Block>();
  readonly ops = new Map<Operation, Operation>();
  map(from: Value, to: Value): this {
    this.values.set(from, to);
    return this;
  }
  mapAll(from: readonly Value[], to: readonly Value[]): this {
    from.forEach((value, i) => this.values.set(value, to[i]!));
    return this;
  }
  get(value: Value): Value {
    return this.values.get(value) ?? value;
  }
}

/** A detached copy of an op and what is nested in it. Its origin is the op it was made from. */
export function cloneOperation(op: Operation, mapping: Mapping = new Mapping(), options: { readonly regions?: boolean } = {}): Operation {
  const saved = op.ctx.origin;
  op.ctx.origin = op.id;
  const copy = new Operation(op.ctx, op.def, {
    loc: op.locRef,
    operands: op.operands.map((v) => mapping.get(v)),
    resultTypes: op.resultTypes,
    attrs: op.attrs,
    successors: op.successors.map((s) => mapping.blocks.get(s.block) ?? s.block),
    numRegions: op.regions.length,
  });
  op.ctx.origin = saved;
  op.results.forEach((result, i) => mapping.values.set(result, copy.result(i)));
  mapping.ops.set(op, copy);
  if (options.regions !== false) op.regions.forEach((region, i) => cloneRegionInto(region, copy.regions[i]!, mapping));
  return copy;
}

/** Copies the blocks of `from` to the end of `to`, or before `before`. */
export function cloneRegionInto(from: Region, to: Region, mapping: Mapping = new Mapping(), before: Block | null = null): void {
  const pairs: [Block, Block][] = [];
  for (const block of from.blocks()) {
    const copy = to.addBlock();
    if (before) copy.moveTo(to, before);
    mapping.blocks.set(block, copy);
    for (const arg of block.args) if (!mapping.values.has(arg)) mapping.map(arg, copy.addArgument(arg.type, arg.argLoc!));
    pairs.push([block, copy]);
  }
  // Operands may refer to values of blocks further down: copy first, then map what was not there yet.
  const pending: Operation[] = [];
  for (const [block, copy] of pairs)
    for (const op of block.ops()) {
      const made = cloneOperation(op, mapping);
      copy.append(made);
      if (pairs.length > 1) pending.push(made);
    }
  for (const op of pending) op.walk((inner) => inner.operandUses.forEach((use) => use.set(mapping.get(use.value))));
}
