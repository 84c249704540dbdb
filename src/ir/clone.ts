import type { Type } from "./attribute.js";
import type { Block } from "./block.js";
import { Operation } from "./operation.js";
import type { Region } from "./region.js";
import type { OpOperand, Value } from "./value.js";

/** From values, blocks (and ops) of the original to those of the copy. Values without an entry are their own copies. */
export class Mapping {
  readonly values = new Map<Value, Value>();
  readonly blocks = new Map<Block, Block>();
  /** Kept when asked for. */
  readonly ops: Map<Operation, Operation> | undefined;
  /** While a region of several blocks is copied: operands whose value had no copy yet. */
  pending: OpOperand[] | undefined = undefined;
  constructor(options: { readonly ops?: boolean } = {}) {
    this.ops = options.ops ? new Map() : undefined;
  }
  map(from: Value, to: Value): this {
    this.values.set(from, to);
    return this;
  }
  mapAll(from: readonly Value[], to: readonly Value[]): this {
    for (let i = 0; i < from.length; i++) this.values.set(from[i]!, to[i]!);
    return this;
  }
  get(value: Value): Value {
    return this.values.get(value) ?? value;
  }
}

/** A detached copy of an op and what is nested in it. Its origin is the op it was made from. */
export function cloneOperation(op: Operation, mapping: Mapping = new Mapping(), options: { readonly regions?: boolean } = {}): Operation {
  const { ctx, operandUses, results, successors, regions } = op;
  const { values, pending } = mapping;
  const operands = new Array<Value>(operandUses.length);
  let missing = false;
  for (let i = 0; i < operands.length; i++) {
    const { value } = operandUses[i]!;
    const copy = values.get(value);
    if (copy === undefined) missing = true;
    operands[i] = copy ?? value;
  }
  const resultTypes = new Array<Type>(results.length);
  for (let i = 0; i < resultTypes.length; i++) resultTypes[i] = results[i]!.type;
  const saved = ctx.origin;
  ctx.origin = op.id;
  const copy = new Operation(ctx, op.def, {
    loc: op.locRef,
    operands,
    resultTypes,
    attrs: op.attrs,
    successors: successors.length === 0 ? NO_BLOCKS : successors.map((s) => mapping.blocks.get(s.block) ?? s.block),
    numRegions: regions.length,
  });
  ctx.origin = saved;
  if (missing && pending) for (const use of copy.operandUses) if (!values.has(use.value)) pending.push(use);
  for (let i = 0; i < results.length; i++) values.set(results[i]!, copy.results[i]!);
  mapping.ops?.set(op, copy);
  if (options.regions !== false) for (let i = 0; i < regions.length; i++) cloneRegionInto(regions[i]!, copy.regions[i]!, mapping);
  return copy;
}
const NO_BLOCKS: readonly Block[] = [];

/** Copies the blocks of `from` to the end of `to`, or before `before`. */
export function cloneRegionInto(from: Region, to: Region, mapping: Mapping = new Mapping(), before: Block | null = null): void {
  const copies: Block[] = [];
  for (let block = from.firstBlock; block; block = block.next) {
    const copy = to.addBlock();
    if (before) copy.moveTo(to, before);
    mapping.blocks.set(block, copy);
    for (const arg of block.args) if (!mapping.values.has(arg)) mapping.map(arg, copy.addArgument(arg.type, arg.argLoc!));
    copies.push(copy);
  }
  // Operands may refer to values of blocks further down: these are set when all are copied.
  const outermost = copies.length > 1 && mapping.pending === undefined;
  if (outermost) mapping.pending = [];
  let i = 0;
  for (let block = from.firstBlock; block; block = block.next) {
    const copy = copies[i++]!;
    for (let op = block.firstOp; op; op = op.next) copy.append(cloneOperation(op, mapping));
  }
  if (!outermost) return;
  const pending = mapping.pending!;
  mapping.pending = undefined;
  for (const use of pending) use.set(mapping.get(use.value));
}
