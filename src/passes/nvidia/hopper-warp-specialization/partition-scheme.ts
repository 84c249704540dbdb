/**
 * How each op is cut when the tensors of dots are cut in as many parts as there are consumers: along M, or else along N.
 *
 *     %a = descriptor_load            // dim 0
 *     %m = local_alloc %a             // dim 0
 *     %d = warp_group_dot %m, %b, %c  // dim 0, by operand 0: %b stays whole
 *     %t = truncf %d                  // dim 0
 *     descriptor_store %t             // dim 0
 *
 * Source: WarpSpecialization/WSDataPartition.cpp, computePartitionScheme.
 */
import { getBackwardSlice, getForwardSlice } from "../../../analysis/slices.js";
import { ExtFOp, ExtSIOp, ExtUIOp } from "../../../dialects/arith/ops/cast.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DescriptorLoadOp, DescriptorReduceOp, DescriptorStoreOp } from "../../../dialects/tt/ops/descriptor.js";
import { FuncOp, ReturnOp } from "../../../dialects/tt/ops/function.js";
import { AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { AddPtrOp, MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { BroadcastOp, ExpandDimsOp, JoinOp, ReshapeOp, SplatOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { PointerType, TensorDescType } from "../../../dialects/tt/types.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { MemDescType } from "../../../dialects/ttg/types.js";
import { ReinterpretTensorDescOp } from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Type } from "../../../ir/attribute.js";
import { RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { refuse } from "../not-specializable.js";
import { getAsyncTaskIds } from "./async-task-ids.js";

/** The op is copied for each part, its type as it is. */
export const WHOLE = 0xfffffffd;

const isOneOf = (op: Operation, defs: readonly OpDef[]): boolean => defs.includes(op.def);
export const isTransposition = (op: Operation): boolean => TransOp.is(op) || MemDescTransOp.is(op);
const CONTROL_FLOW: readonly OpDef[] = [ReturnOp, FuncOp, YieldOp, ForOp, IfOp];
const BY_OPERANDS: readonly OpDef[] = [
  ...[ConstantOp, ExtSIOp, ExtUIOp, ExtFOp, BroadcastOp, ExpandDimsOp, MakeRangeOp, SplatOp, ConvertLayoutOp, LocalAllocOp],
  ...[LoadOp, TransOp, MemDescTransOp, AtomicRMWOp, AddPtrOp, DescriptorLoadOp, FpToFpOp],
];
const SPLITS: readonly OpDef[] = [SplitOp, JoinOp, ReshapeOp];
/** Whether an op is divided as its operands are only since 3.7. */
export const isDividedSplit = (op: Operation): boolean => op.ctx.triton.dividesThroughSplits && isOneOf(op, SPLITS);

export class PartitionScheme {
  numPartitions = 0;
  /** The ops that are cut (or copied), in the order found. */
  ops = new Set<Operation>();
  readonly #dims = new Map<Operation, number>();
  /** For each dot, the index of the operand that is cut. The cut is along K where the index differs from the dot's dimension. */
  readonly #dotOperands = new Map<Operation, number>();
  /** Ops of which there is one for each of these dimensions. */
  readonly rematerialized = new Map<Operation, Set<number>>();
  /** Dots that are left as they are since others needed it. */
  readonly skipped = new Set<Operation>();

  copy(): PartitionScheme {
    const copy = new PartitionScheme();
    copy.numPartitions = this.numPartitions;
    copy.append(this);
    return copy;
  }
  /** Adds what another scheme has; what this one says already stays. */
  append(other: PartitionScheme): void {
    for (const op of other.ops) this.ops.add(op);
    for (const op of other.skipped) this.skipped.add(op);
    for (const [op, dim] of other.#dims) if (!this.#dims.has(op)) this.#dims.set(op, dim);
    for (const [op, index] of other.#dotOperands) if (!this.#dotOperands.has(op)) this.#dotOperands.set(op, index);
    for (const [op, dims] of other.rematerialized) if (!this.rematerialized.has(op)) this.rematerialized.set(op, new Set(dims));
  }

  /** Along which dimension of its result (stores: of what is stored) an op is cut; of ops with several results no matter which, 0. */
  dimOf(op: Operation): number {
    return this.#dims.get(op) ?? 0;
  }
  setDim(op: Operation, dim: number): void {
    this.#dims.set(op, dim);
  }
  dotOperandOf(op: Operation): number {
    return this.#dotOperands.get(op) ?? 0;
  }
  isPartitioned(op: Operation): boolean {
    return this.#dims.has(op) || this.rematerialized.has(op);
  }
  /** Whether a dot computes partial sums: its operands are cut along K. */
  isAlongK(dot: Operation): boolean {
    const dim = this.dimOf(dot);
    return dim !== WHOLE && dim !== this.dotOperandOf(dot);
  }
  /** The dimension before a transposition, or after it (`forward`), as far as upstream's use of its order goes. */
  through(op: Operation, dim: number, forward: boolean): number {
    const order = dim === WHOLE ? undefined : (TransOp.match(op) ?? MemDescTransOp.match(op))?.order;
    if (!order) return dim;
    if (!op.ctx.triton.dividesThroughSplits) return this.numPartitions - 1 - dim;
    return forward ? order[dim]! : order.indexOf(dim);
  }
  needsSlice(value: Value, dim: number): boolean {
    return dim === WHOLE || shapeOf(value.type)[dim]! > this.numPartitions;
  }

  /** Makes a copy of an op for each dimension; returns whether that is possible. */
  #rematerialize(op: Operation, dim: number): boolean {
    const dims = this.rematerialized.get(op);
    if (dims) return dims.add(dim) !== undefined;
    if (!LocalAllocOp.is(op) && !ConstantOp.is(op)) return false;
    this.rematerialized.set(op, new Set([this.dimOf(op), dim]));
    // The values that it is made from are needed whole.
    for (const above of getBackwardSlice(op))
      if (this.#dims.delete(above)) {
        this.ops.delete(above);
        this.skipped.add(above);
      }
    return true;
  }

  /** Adds what a value is computed from. Returns whether it can be cut so. */
  addBackward(value: Value, dim: number): boolean {
    if (!this.needsSlice(value, dim)) return true;
    const op = value.definingOp;
    if (!op) {
      const loop = ForOp.match(value.argOwner!.parentOp);
      if (!loop) return true;
      if (value.index === 0) return true;
      return (
        this.addBackward(loop.initArgs[value.index - 1]!, dim) && this.addBackward(value.argOwner!.lastOp!.operand(value.index - 1), dim)
      );
    }
    if (this.ops.has(op)) return isOneOf(op, CONTROL_FLOW) || this.dimOf(op) === dim || this.#rematerialize(op, dim);
    this.ops.add(op);
    this.setDim(op, dim);
    const dot = WarpGroupDotOp.match(op);
    const branch = IfOp.match(op);
    if (op.def.traits.has(Elementwise) || isOneOf(op, BY_OPERANDS) || isDividedSplit(op)) {
      let inner = this.through(op, dim, false);
      const expand = ExpandDimsOp.match(op);
      if (expand && expand.axis < inner) inner--;
      return op.operands.every((operand) => this.addBackward(operand, inner));
    }
    if (dot) {
      if (!this.addBackward(dim === 0 ? dot.a : dot.b, dim) || !this.addBackward(dot.c, dim)) return false;
      this.#dotOperands.set(op, dim === 0 ? 0 : 1);
      return true;
    }
    if (MakeTensorDescOp.is(op) || ReinterpretTensorDescOp.is(op)) return true;
    if (!branch) refuse(op, `'${op.name}' cannot be cut in ${this.numPartitions} parts for as many warp groups`);
    const yields = [branch.thenRegion, branch.elseRegion].map((region) => region.firstBlock!.lastOp!);
    for (const end of yields) {
      this.ops.add(end);
      this.setDim(end, dim);
    }
    // Upstream gives up where the branches can be cut.
    return !this.addBackward(yields[0]!.operand(value.index), dim) && this.addBackward(yields[1]!.operand(value.index), dim);
  }

  /** Adds what is computed from a value. Returns whether it can be cut so. */
  addForward(value: Value, dim: number, seen: Set<Value>): boolean {
    if (seen.has(value)) return true;
    seen.add(value);
    if (!this.needsSlice(value, dim)) return true;
    for (const user of value.users()) {
      let own = this.through(user, dim, true);
      if (!this.ops.has(user)) this.ops.add(user);
      else if (!isOneOf(user, CONTROL_FLOW) && this.dimOf(user) !== own) return false;
      // A yield is met once for each of its operands.
      else if (!YieldOp.is(user)) continue;
      this.setDim(user, own);
      const dot = WarpGroupDotOp.match(user);
      if (dot && ((own === 0 && value === dot.b) || (own === 1 && value === dot.a))) {
        // Partial sums are right where an atomic adds them up.
        if (!isOnlyUsedByAtomic(dot.d)) return false;
        this.#dotOperands.set(user, value === dot.a ? 0 : 1);
        own = WHOLE;
      } else if (dot) this.#dotOperands.set(user, own === 0 ? 0 : 1);
      for (const result of user.results) if (!this.addForward(result, own, seen)) return false;
      if (!YieldOp.is(user)) continue;
      const parent = user.parentOp!;
      for (const use of user.operandUses) {
        if (use.value !== value) continue;
        this.ops.add(parent);
        if (!this.addForward(parent.result(use.index), own, seen)) return false;
      }
    }
    return true;
  }

  /** Adds all that has to do with the result of a dot. */
  addClosure(root: Value, rootDim: number): boolean {
    if (!this.addBackward(root, rootDim)) return false;
    const forward = this.copy();
    const possible = forward.addForward(root, rootDim, new Set());
    this.append(forward);
    if (!possible) return false;
    for (const op of forward.ops) {
      const dim = this.dimOf(op);
      if (dim === WHOLE) continue;
      if (op.def.traits.has(Elementwise) || StoreOp.is(op) || DescriptorStoreOp.is(op) || AtomicRMWOp.is(op)) {
        if (!op.operands.every((operand) => this.addBackward(operand, dim))) return false;
      } else if (WarpGroupDotOp.is(op)) {
        const cut = this.dotOperandOf(op);
        const accumulator = op.operand(2);
        if (!this.addBackward(op.operand(cut), dim)) return false;
        if (dim === cut) {
          if (!this.addBackward(accumulator, dim)) return false;
        } else if (!this.addBackward(op.operand(1 - cut), 1 - dim) || !this.addBackward(accumulator, WHOLE)) return false;
      }
    }
    return true;
  }
}

/** The extents of a tensor, buffer, or block of a descriptor; none of anything else. */
export function shapeOf(type: Type): readonly number[] {
  if (MemDescType.is(type) || RankedTensorType.is(type)) return type.params.shape;
  if (TensorDescType.is(type)) return type.params.blockType.params.shape;
  return PointerType.is(type) ? shapeOf(type.params.pointeeType) : [];
}

/** Whether a value leads to one atomic, and nothing it leads to is not on the way there. */
function isOnlyUsedByAtomic(value: Value): boolean {
  const rest = new Set(getForwardSlice(value));
  const atomic = [...rest].find((op) => AtomicRMWOp.is(op) || DescriptorReduceOp.is(op));
  if (!atomic) return false;
  rest.delete(atomic);
  const queue = [atomic];
  for (let op = queue.pop(); op; op = queue.pop())
    for (const { definingOp } of op.operands) if (definingOp && rest.delete(definingOp)) queue.push(definingOp);
  return rest.size === 0;
}

/** How to cut the dots of a function that several tasks do; undefined when not all can be. Empty when there are none. */
export function computePartitionScheme(func: Operation): PartitionScheme | undefined {
  const dots: Operation[] = [];
  func.walkPostOrder((op) => {
    if (WarpGroupDotOp.is(op) && getAsyncTaskIds(op).length > 1) dots.push(op);
  });
  let scheme = new PartitionScheme();
  for (const dot of dots) {
    if (scheme.isPartitioned(dot) || scheme.skipped.has(dot)) continue;
    const type = dot.result(0).type as TensorType;
    const shape = getShapePerCTAOf(encodingParams(type.params.encoding)!, type.params.shape);
    const count = getAsyncTaskIds(dot).length;
    if (shape.length !== 2) return undefined;
    // Each part must be large enough to keep a warp group's dot busy.
    const dims = [64, 128].flatMap((least, dim) => (Math.trunc(shape[dim]! / count) >= least ? [dim] : []));
    if (scheme.numPartitions === 0) scheme.numPartitions = count;
    else if (scheme.numPartitions !== count) return undefined;
    const trials = dims.map((dim) => ({ dim, trial: scheme.copy() }));
    const found = trials.find(({ dim, trial }) => trial.addClosure(dot.result(0), dim));
    if (!found) return undefined;
    scheme = found.trial;
  }
  return dots.length > 0 && scheme.ops.size === 0 ? undefined : scheme;
}
