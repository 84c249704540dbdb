/**
 * Atomics on global memory, by pointers and by a buffer's descriptor. Source: third_party/amd/lib/TritonAMDGPUToLLVM/LoadStoreOpToLLVM.cpp.
 */

import { vectorSizeAt } from "../../../analysis/amd-vector-size.js";
import { BufferAtomicCASOp, BufferAtomicRMWOp } from "../../../dialects/amdg/ops/buffer.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { structType, voidType } from "../../../dialects/llvm/types/types.js";
import { RawPtrBufferAtomicCmpSwap } from "../../../dialects/rocdl/ops/buffer.js";
import { AtomicCASOp, AtomicRMWOp } from "../../../dialects/tt/ops/memory.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, elementTypeOrSelf, isFloat, RankedTensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getThreadOrder } from "../../../layout/encoding-queries.js";
import { shareAtomicResults } from "../../ttg-to-llvm/atomic-results.js";
import { sharedMemoryBase } from "../../ttg-to-llvm/control-flow.js";
import { freeVariableMasks, vectorSize } from "../../ttg-to-llvm/global-access.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { type Atomic, addByPairs, atomicRmw, gatherActive, reduceInWave } from "./atomic-waves.js";
import { bufferArgs, bufferAt } from "./buffer.js";
import { SC0 } from "./cache-policy.js";
import { masksOf, redundantThreadPredicate, unpackRange } from "./load-store.js";
import { inBranch } from "./masked-memory.js";

/** LLVM's names of operations, memory orders and scopes that differ from Triton's. */
const LLVM_RMW: Readonly<Record<string, string>> = { and: "_and", or: "_or", xor: "_xor", exch: "xchg" };
const orderingOf = (sem: string): string => (sem === "relaxed" ? "monotonic" : sem);
/** None is the whole system. */
const SCOPES: Readonly<Record<string, string | undefined>> = { gpu: "agent", cta: "workgroup" };

// --- compare and swap -----------------------------------------------------------------------------

function compareAndSwap(lo: Lowering, ptr: Value, cmp: Value, val: Value, success: string, syncscope: string | undefined): Value {
  const { b, ctx } = lo;
  const attrs = { success_ordering: success, failure_ordering: "monotonic", syncscope };
  const pair = b.value(ll.AtomicCmpXchgOp, { ptr, cmp, val, ...attrs }, structType(ctx, [val.type, b.int1()]));
  return b.extractValue(pair, 0);
}

function lowerCAS({ op, ptr, cmp, val, result, sem, scope }: View<typeof AtomicCASOp>, lo: Lowering): false | void {
  const { b, ctx } = lo;
  const [pointers, compares, values] = [ptr, cmp, val].map((value) => lo.elements(value)) as [
    readonly Value[],
    readonly Value[],
    readonly Value[],
  ];
  const element = convertType(elementTypeOrSelf(result.type));
  if (RankedTensorType.is(result.type)) {
    if (pointers.length > 1)
      return lo.fail(op, `a compare-and-swap of a tensor can be lowered for one element of each thread, and here are ${pointers.length}`);
    const old = compareAndSwap(lo, pointers[0]!, compares[0]!, values[0]!, orderingOf(sem), SCOPES[scope]);
    return shareAtomicResults(lo, op, [old], element, b.i1(true));
  }
  const isFirst = b.icmp("eq", threadId(lo), b.i32(0));
  inBranch(lo, isFirst, () => {
    // Whatever the op says of order and scope.
    const old = compareAndSwap(lo, pointers[0]!, compares[0]!, values[0]!, "acq_rel", "agent");
    if (result.hasUses()) b.store(old, sharedMemoryBase(lo, op));
  });
  if (!result.hasUses()) return lo.setValue(result, b.undef(element));
  b.inlineAsm("s_waitcnt lgkmcnt(0) ", "", [], voidType(ctx));
  return loadShared(lo, op, element);
}
/** All threads get the scalar that one of them stored. */
function loadShared(lo: Lowering, op: Operation, element: Type): void {
  const { b } = lo;
  lo.code.barrier(lo);
  lo.setValue(op.result(0), b.load(element, sharedMemoryBase(lo, op)));
}

// --- read, modify, write ----------------------------------------------------------------------------

/** Several atomics of one op with order: the first releases and the last acquires, which is enough for all. */
function orderingAt(sem: string, start: number, vec: number, count: number): string {
  if (count === 1 || sem !== "acq_rel") return orderingOf(sem);
  if (start === 0) return "release";
  return start === count - vec ? "acquire" : "monotonic";
}

/** How the lanes work together: 16-bit floats added by pairs, or lanes at one address reduced, which must not want the results. */
function cooperation({ ptr, result, atomic_rmw_op: kind }: View<typeof AtomicRMWOp>, lo: Lowering, element: Type) {
  const { family } = lo.target;
  const { type } = result;
  if (!RankedTensorType.is(type)) return { vec: 1 };
  const isHalf = isFloat(element, "f16") || isFloat(element, "bf16");
  const vec = Math.min(vectorSize(lo, ptr), isHalf ? 2 : 1);
  const isCdna3 = family === "CDNA3" || family === "CDNA4";
  const reduces = isCdna3 && !result.hasUses() && bitWidth(element)! >= 32;
  const fast = getThreadOrder(distributedParams(type.params.encoding!)!, type.params.shape)[0]!;
  const isSpread = lo.axisInfo.getOrWorst(ptr).contiguity[fast] === 1;
  const pairs = (isCdna3 || family === "CDNA1" || family === "CDNA2") && vec === 1 && isHalf && kind === "fadd";
  return { vec, pairs, reduces: reduces && isSpread };
}

function lowerRMW(view: View<typeof AtomicRMWOp>, lo: Lowering): void {
  const { op, ptr, val, mask, result, atomic_rmw_op: rmw, sem, scope } = view;
  const { b } = lo;
  const [values, pointers] = [lo.elements(val), lo.elements(ptr)];
  const masks = mask && lo.elements(mask);
  const isTensor = RankedTensorType.is(result.type);
  const element = convertType(elementTypeOrSelf(result.type));
  const { vec, pairs, reduces } = cooperation(view, lo, element);
  const thread = redundantThreadPredicate(lo, freeVariableMasks(ptr.type));
  const shared = !isTensor && result.hasUses() ? sharedMemoryBase(lo, op) : undefined;
  const results: Value[] = [];
  for (let i = 0; i < values.length; i += vec) {
    const predicate = masks ? b.and(thread, masks[i]!) : thread;
    const atomic: Atomic = { kind: LLVM_RMW[rmw] ?? rmw, ordering: orderingAt(sem, i, vec, values.length), syncscope: SCOPES[scope] };
    if (pairs) {
      results.push(addByPairs(lo, { ...atomic, ordering: orderingOf(sem) }, pointers[i]!, values[i]!, predicate));
      continue;
    }
    const value = vec === 1 ? values[i]! : b.packVector(values.slice(i, i + vec));
    const make = () => whereActive(lo, atomic, pointers[i]!, value, predicate, shared, reduces === true);
    // The pointers of a tensor are taken out of a struct here, so their location is this op's.
    const old = isTensor ? make() : b.atValue(pointers[i]!, make);
    results.push(...b.unpackVector(old));
  }
  if (isTensor) return shareAtomicResults(lo, op, results, element, thread);
  if (shared) return loadShared(lo, op, element);
  lo.setValue(result, results[0]!);
}

/** An atomic in a branch; the value read is stored at `shared` too. */
function whereActive(
  lo: Lowering,
  atomic: Atomic,
  pointer: Value,
  value: Value,
  predicate: Value,
  shared: Value | undefined,
  reduces: boolean,
): Value {
  const { b } = lo;
  const undef = b.undef(value.type);
  const after = lo.addBlockAfter(b.block, [value.type]);
  const access = lo.addBlockAfter(b.block);
  const active = reduces ? gatherActive(lo, pointer, value, predicate) : { pointer, value, isActive: predicate };
  const dests = { trueDest: access, trueDestOperands: [], falseDest: after, falseDestOperands: [undef] };
  b.create(ll.CondBrOp, { condition: active.isActive, ...dests });
  b.setEnd(access);
  const old = (reduces ? reduceInWave : atomicRmw)(lo, atomic, active.pointer, active.value);
  if (shared) b.store(old, shared);
  lo.branch(after, [old]);
  b.setEnd(after);
  return after.args[0]!;
}

// --- by a buffer's descriptor ---------------------------------------------------------------------------

/**
 * Accesses of buffers have no order of their own: fences before and after them give it. As upstream, which mixes the two up: an atomic
 * that acquires has the fence that releases before it, and one that releases the fence that acquires after it.
 */
function fence({ b }: Lowering, sem: string, scope: string, isBefore: boolean): void {
  const wanted = isBefore ? sem === "acquire" || sem === "acq_rel" : sem === "release" || sem === "acq_rel";
  if (wanted) b.create(ll.FenceOp, { ordering: isBefore ? "release" : "acquire", syncscope: SCOPES[scope] });
}
const NO_SYSTEM_SCOPE = "System memory scope is not supported for Buffer Atomic Ops";

const BUFFER_RMW: LoweringRule = rule(BufferAtomicRMWOp, (view, lo: Lowering) => {
  const { op, ptr, offsets, value, mask, result, atomic_rmw_op: kind, sem, scope } = view;
  const { b } = lo;
  if (scope === "sys") return lo.fail(op, NO_SYSTEM_SCOPE);
  const element = convertType(elementTypeOrSelf(value.type));
  const [base, places, values] = [lo.value(ptr), lo.elements(offsets), lo.elements(value)];
  const isHalf = isFloat(element, "f16") || isFloat(element, "bf16");
  const most = isHalf ? 2 : bitWidth(element)! >= 32 ? 1 : vectorSizeAt(ptr, offsets, lo.axisInfo);
  const { masks, vec } = masksOf(lo, mask, most);
  const rsrc = bufferAt(lo, base);
  fence(lo, sem, scope, true);
  const thread = redundantThreadPredicate(lo, freeVariableMasks(value.type));
  const type = vecType(element, vec);
  const results: Value[] = [];
  for (let start = 0; start < values.length; start += vec) {
    const predicate = mask ? b.and(thread, masks[start]!) : thread;
    const packed = b.packVector(values.slice(start, start + vec));
    const data = vec === 1 ? b.bitcast(packed, element) : packed;
    const { offset, soffset } = bufferArgs(lo, type, rsrc, places[start]!, predicate);
    const args = [data, rsrc, offset, soffset, b.i32(result.hasUses() ? SC0 : 0)];
    const old = b.intrinsic(`llvm.amdgcn.raw.ptr.buffer.atomic.${kind}`, data.type, args)!;
    results.push(...unpackRange(lo, b.bitcast(old, type), vec));
  }
  fence(lo, sem, scope, false);
  return shareAtomicResults(lo, op, results, element, thread);
});

const BUFFER_CAS: LoweringRule = rule(BufferAtomicCASOp, (view, lo: Lowering) => {
  const { op, ptr, offsets, cmp, val, result, sem, scope } = view;
  const { b } = lo;
  if (scope === "sys") return lo.fail(op, NO_SYSTEM_SCOPE);
  const element = convertType(elementTypeOrSelf(val.type));
  const [base, places, values, compares] = [lo.value(ptr), lo.elements(offsets), lo.elements(val), lo.elements(cmp)];
  const rsrc = bufferAt(lo, base);
  fence(lo, sem, scope, true);
  const thread = redundantThreadPredicate(lo, freeVariableMasks(val.type));
  const type = vecType(element, 1);
  const results: Value[] = [];
  for (let i = 0; i < elementsPerThread(val.type); i++) {
    const vectors = [values, compares].map((list) => b.packVector([list[i]!]));
    const [src, compare] = vectors.map((vector) => b.bitcast(vector, element));
    const { offset, soffset } = bufferArgs(lo, type, rsrc, places[i]!, thread);
    const aux = b.i32(result.hasUses() ? SC0 : 0);
    const old = b.value(RawPtrBufferAtomicCmpSwap, { src, cmp: compare, rsrc, offset, soffset, aux }, element);
    results.push(...unpackRange(lo, b.bitcast(old, type), 1));
  }
  fence(lo, sem, scope, false);
  return shareAtomicResults(lo, op, results, element, thread);
});

export const ATOMICS: readonly LoweringRule[] = [rule(AtomicCASOp, lowerCAS), rule(AtomicRMWOp, lowerRMW), BUFFER_RMW, BUFFER_CAS];
