/**
 * Atomic reads, modifications and writes of global memory, by one thread of those that hold the same element. The value read goes to
 * the others through shared memory where they need it.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp, AtomicCASOpConversion, AtomicRMWOpConversion.
 */

import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { ptrType, structType, voidType } from "../../../dialects/llvm/types/types.js";
import { LoadAcquireOp } from "../../../dialects/nvgpu/ops/index.js";
import { AtomicCASOp, AtomicRMWOp } from "../../../dialects/tt/ops/memory.js";
import { targetOf } from "../../../dialects/ttg/target.js";
import type { Type } from "../../../ir/attribute.js";
import { FloatAttr, floatValue, IntegerAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, isFloat, RankedTensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { shareAtomicResults } from "../../ttg-to-llvm/atomic-results.js";
import { sharedMemoryBase } from "../../ttg-to-llvm/control-flow.js";
import { freeVariableMasks, vectorSize } from "../../ttg-to-llvm/global-access.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import { maybeAnd, redundantThreadPredicate } from "./load-store.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder, registerSizeCode } from "./ptx-builder.js";

/** Hands the scalar that one thread read to all: `store` writes it where all can read it. */
function shareScalar(lo: Lowering, op: Operation, element: Type, store: (at: Value) => void): void {
  const { b, ctx } = lo;
  const at = sharedMemoryBase(lo, op);
  const pointer = lo.folding ? at : b.bitcast(at, ptrType(ctx, 3));
  store(pointer);
  if (lo.target.numCTAs === 1) lo.code.barrier(lo);
  else lo.code.clusterBarrier(lo);
  // The first CTA has it.
  const ctaId = lo.forms.atomicsInOrder && lo.target.numCTAs > 1 ? b.i32(0) : undefined;
  lo.setValue(op.result(0), ctaId ? lo.code.loadShared(lo, pointer, element, { ctaId }) : b.load(element, pointer));
}

// --- compare and swap -----------------------------------------------------------------------------

function lowerCAS(view: View<typeof AtomicCASOp>, lo: Lowering): void {
  const { op, ptr, cmp, val, result, sem, scope } = view;
  const { b, ctx } = lo;
  const pointers = lo.elements(ptr);
  const compares = lo.elements(cmp);
  const values = lo.elements(val);
  const isTensor = RankedTensorType.is(result.type);
  const element = convertType(elementTypeOrSelf(result.type));
  const bits = scalarBits(element);
  const free = freeVariableMasks(ptr.type);
  const predicate = redundantThreadPredicate(lo, free);
  const code = bits === 64 ? "l" : bits === 32 ? "r" : "h";
  const results: Value[] = [];
  for (let i = 0; i < elementsPerThread(val.type); i++) {
    const canonical = i & ~free.register;
    if (canonical !== i) {
      results.push(results[canonical]!);
      continue;
    }
    const ptx = new PtxBuilder();
    const old = ptx.output(`=${code}`, { init: true });
    const address = ptx.address(pointers[i]!, "l");
    const operands = [old, address, ptx.input(compares[i]!, code), ptx.input(values[i]!, code)];
    const guard = predicate && ptx.input(predicate, "b");
    ptx.instruction(["atom", "global", sem, scope, "cas", `b${bits}`], operands, guard);
    const read = ptx.launch(b, element);
    if (isTensor) {
      results.push(read);
      continue;
    }
    if (!result.hasUses()) return lo.setValue(result, read);
    return shareScalar(lo, op, element, (at) => {
      const store = new PtxBuilder();
      const to = store.address(at, "r");
      const from = store.input(read, code);
      store.instruction(["st", "shared", `b${bits}`], [to, from], predicate && store.input(predicate, "b"));
      store.launch(b, voidType(ctx));
    });
  }
  shareAtomicResults(lo, op, results, element, predicate);
}

// --- read, modify, write ----------------------------------------------------------------------------

type RMW = View<typeof AtomicRMWOp>;

/** How PTX names the operation and its type. */
export function rmwText(op: string, type: Type, packed: number): { readonly name: string; readonly type: string } {
  const bits = scalarBits(type);
  switch (op) {
    case "and":
    case "or":
    case "xor":
    case "exch":
      return { name: op, type: `b${bits}` };
    case "add":
      return { name: op, type: `u${bits}` };
    case "fadd":
      return {
        name: bits === 16 ? "add.noftz" : "add",
        type: `${isFloat(type, "bf16") ? "bf" : "f"}${bits}${packed === 2 && bits === 16 ? "x2" : ""}`,
      };
    case "max":
    case "min":
      return { name: op, type: `s${bits}` };
    default:
      // umax and umin
      return { name: op.slice(1), type: `u${bits}` };
  }
}
/** LLVM's name of the operation. */
const LLVM_RMW: Readonly<Record<string, string>> = { and: "_and", or: "_or", xor: "_xor", exch: "xchg" };
const LLVM_ORDERING: Readonly<Record<string, string>> = {
  relaxed: "monotonic",
  acquire: "acquire",
  release: "release",
  acq_rel: "acq_rel",
};

/** Adding zero to a scalar only reads it: a load with the memory order does. */
function isLoadAcquire({ val, result, atomic_rmw_op, sem }: RMW): boolean {
  if (RankedTensorType.is(result.type) || (sem !== "acquire" && sem !== "relaxed")) return false;
  if (atomic_rmw_op !== "add" && atomic_rmw_op !== "fadd") return false;
  const constant = ConstantOp.match(val.definingOp)?.value;
  if (IntegerAttr.is(constant)) return constant.params.value === 0n;
  return FloatAttr.is(constant) && floatValue(constant) === 0;
}

function lowerRMW(view: RMW, lo: Lowering): void {
  const { op, ptr, val, mask, result, atomic_rmw_op: kind, sem, scope } = view;
  const { b } = lo;
  const values = lo.elements(val);
  const pointers = lo.elements(ptr);
  const masks = mask ? lo.elements(mask) : undefined;
  const isTensor = RankedTensorType.is(result.type);
  const element = convertType(elementTypeOrSelf(result.type));
  const bits = scalarBits(element);
  const { vec, packed } = widths(lo, view, element);
  const free = freeVariableMasks(ptr.type);
  const thread = redundantThreadPredicate(lo, free);
  const results: Value[] = [];

  for (let i = 0; i < elementsPerThread(val.type); i += vec * packed) {
    const canonical = i & ~free.register;
    if (canonical !== i) {
      for (let j = 0; j < vec * packed; j++) results.push(results[canonical + j]!);
      continue;
    }
    const predicate = masks ? maybeAnd(lo, thread, masks[i]) : thread;
    if (vec === 1 && packed === 1 && isLoadAcquire(view)) {
      const read = b.value(LoadAcquireOp, { addr: pointers[i]!, mask: predicate, sem, scope }, element);
      if (!result.hasUses()) return lo.setValue(result, read);
      return shareScalar(lo, op, element, (at) => lo.code.storeShared(lo, at, read, { predicate }));
    }
    // Upstream goes by the target that the module names, not by the option of the pass.
    if (isFloat(element, "bf16") && !(targetOf(op) ?? lo.target.gpu).vectorAtomics) {
      const read = byLLVM(lo, view, pointers[i]!, values[i]!, element, predicate);
      if (!read) return;
      results.push(read);
      continue;
    }
    const ptx = new PtxBuilder();
    const code = registerSizeCode(bits * packed, false);
    const outputs = Array.from({ length: vec }, () => ptx.output(`=${code}`, { init: true }));
    const address = ptx.address(pointers[i]!, "l");
    const inputs =
      packed > 1
        ? [ptx.input(b.packVector(values.slice(i, i + packed)), code)]
        : values.slice(i, i + vec).map((value) => ptx.input(value, code));
    const text = rmwText(kind, element, packed);
    const parts = ["atom", "global", scope, sem, text.name, vec > 1 ? `v${vec}` : "", text.type];
    const operands = vec > 1 ? [ptx.list(outputs), address, ptx.list(inputs)] : [outputs[0]!, address, inputs[0]!];
    ptx.instruction(parts, operands, predicate && ptx.input(predicate, "b"));
    if (!isTensor) {
      const read = ptx.launch(b, element);
      if (!result.hasUses()) return lo.setValue(result, read);
      return shareScalar(lo, op, element, (at) => lo.code.storeShared(lo, at, read, { predicate }));
    }
    const type = vec > 1 ? structType(lo.ctx, new Array<Type>(vec).fill(element)) : packed > 1 ? vecType(element, packed) : element;
    const read = ptx.launch(b, type);
    results.push(...(vec > 1 ? b.unpackStruct(read) : b.unpackVector(read)));
  }
  shareAtomicResults(lo, op, results, element, thread);
}

/** Elements in one instruction: as a vector (from sm_90 on), or packed in one register. */
function widths(lo: Lowering, { ptr, mask, atomic_rmw_op, result }: RMW, element: Type): { readonly vec: number; readonly packed: number } {
  if (!RankedTensorType.is(result.type)) return { vec: 1, packed: 1 };
  let vec = vectorSize(lo, ptr);
  if (mask) vec = Math.min(vec, lo.axisInfo.getMaskAlignment(mask));
  const { gpu, ptxVersion } = lo.target;
  const vectorized = gpu.vectorAtomics && ptxVersion >= 81 && atomic_rmw_op === "fadd";
  if (vectorized && (isFloat(element, "f16") || isFloat(element, "bf16") || isFloat(element, "f32"))) return { vec, packed: 1 };
  return { vec: 1, packed: Math.min(vec, isFloat(element, "f16") ? 2 : 1) };
}

/**
 * bf16 before sm_90: LLVM makes a loop of compare and swap of it, which is branched around where the predicate does not hold.
 * Returns the value read; undefined for a scalar, whose result is set here.
 */
function byLLVM(lo: Lowering, view: RMW, pointer: Value, value: Value, element: Type, predicate: Value | undefined): Value | undefined {
  const { op, result, atomic_rmw_op, sem } = view;
  const { b } = lo;
  const undef = b.undef(element);
  const from = b.block;
  const run = lo.addBlockAfter(from);
  const after = lo.addBlockAfter(run, [element]);
  const isTensor = RankedTensorType.is(result.type);
  const wanted = !isTensor && result.hasUses();
  const at = wanted ? sharedMemoryBase(lo, op) : undefined;
  b.create(ll.CondBrOp, {
    condition: predicate ?? b.i1(true),
    trueDest: run,
    trueDestOperands: [],
    falseDest: after,
    falseDestOperands: [undef],
  });
  b.setEnd(run);
  const attrs = { bin_op: LLVM_RMW[atomic_rmw_op] ?? atomic_rmw_op, ordering: LLVM_ORDERING[sem], syncscope: "device" };
  const read = b.value(ll.AtomicRMWOp, { ...attrs, ptr: pointer, val: value }, element);
  if (at) b.store(read, at);
  lo.branch(after, [read]);
  b.setEnd(after);
  if (isTensor) return after.args[0];
  if (at) {
    lo.code.barrier(lo);
    lo.setValue(result, b.load(element, at));
  } else lo.setValue(result, after.args[0]!);
  return undefined;
}

export const ATOMICS: readonly LoweringRule[] = [rule(AtomicCASOp, lowerCAS), rule(AtomicRMWOp, lowerRMW)];
