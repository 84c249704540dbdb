/**
 * Loads and stores that threads make where a predicate holds: a branch around an access of the LLVM dialect, which is volatile or
 * non-temporal as the cache modifier says.
 *
 *     llvm.cond_br %mask, ^load, ^after(%other)
 *   ^load:
 *     %0 = llvm.load %ptr
 *     llvm.br ^after(%0)
 *
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/MaskedOpsToLLVM.cpp; Utility.cpp, getCacheModifierFlagsForLoadStore.
 */
import { ConstantOp } from "../../../dialects/llvm/ops/constants.js";
import { BrOp, CondBrOp } from "../../../dialects/llvm/ops/control-flow.js";
import { LoadOp, StoreOp } from "../../../dialects/llvm/ops/memory.js";
import type { Type } from "../../../ir/attribute.js";
import { denseElements, floatAttr, intAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, isInteger, shapedParams, VectorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";

/** The properties of an access beside its address: the cache modifier of `tt.load` or `tt.store`, and the scopes that its memory is not in. */
export interface Access {
  readonly cache?: string | undefined;
  readonly attrs?: Readonly<Record<string, unknown>> | undefined;
  /** Makes the load where it is no load of the LLVM dialect. */
  readonly load?: (() => Value) | undefined;
}

/** A zero of a scalar or of a vector. */
export function zeroOf(b: LLBuilder, type: Type): Value {
  if (!VectorType.is(type)) return isInteger(type) ? b.int(type, 0) : b.constant(type, floatAttr(type, 0));
  return b.constant(type, denseElements(type, [0n]));
}

const isTrue = (predicate: Value): boolean => {
  const constant = predicate.definingOp && ConstantOp.match(predicate.definingOp);
  return constant !== undefined && constant.value === intAttr(predicate.type, 1);
};

/** Loads where the predicate holds, else `otherwise`. */
export function maskedLoad(
  lo: Lowering,
  pointer: Value,
  type: Type,
  predicate: Value | undefined,
  otherwise: () => Value,
  access: Access = {},
): Value {
  const { b } = lo;
  const { cache, attrs } = access;
  const streams = cache === "cg" || cache === "cs" || cache === "cv";
  const load = access.load ?? (() => b.value(LoadOp, { addr: pointer, volatile_: cache === "cv", nontemporal: streams, ...attrs }, type));
  if (!predicate || isTrue(predicate)) return load();
  const falseDestOperands = [otherwise()];
  const after = lo.addBlockAfter(b.block, [type]);
  const body = lo.addBlockAfter(b.block);
  b.create(CondBrOp, { condition: predicate, trueDest: body, trueDestOperands: [], falseDest: after, falseDestOperands });
  b.setEnd(body);
  b.create(BrOp, { dest: after, destOperands: [load()] });
  b.setEnd(after);
  return after.args[0]!;
}

/** Stores where the predicate holds. */
export function maskedStore(lo: Lowering, pointer: Value, value: Value, predicate: Value | undefined, { cache, attrs }: Access = {}): void {
  const { b } = lo;
  const streams = cache === "cs" || cache === "wt";
  const bytes = VectorType.is(value.type)
    ? Math.floor(bitWidth(shapedParams(value.type).elementType)! / 8) * shapedParams(value.type).shape[0]!
    : 0;
  const alignment = bytes > 0 ? { alignment: BigInt(bytes) } : {};
  const store = (): void => {
    b.create(StoreOp, { value, addr: pointer, ...alignment, volatile_: cache === "wt", nontemporal: streams, ...attrs });
  };
  if (!predicate || isTrue(predicate)) return store();
  inBranch(lo, predicate, store);
}

/** What `body` makes runs only where the predicate holds. */
export function inBranch(lo: Lowering, predicate: Value, body: () => void): void {
  const { b } = lo;
  const after = lo.addBlockAfter(b.block);
  const within = lo.addBlockAfter(b.block);
  lo.condBranch(predicate, within, after);
  b.setEnd(within);
  body();
  lo.branch(after, []);
  b.setEnd(after);
}
