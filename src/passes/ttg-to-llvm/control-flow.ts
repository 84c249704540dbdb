/**
 * Branches, calls, returns, and the calling convention: device functions get their shared memory, and all functions the pointers
 * to global and profiling scratch memory, as last arguments.
 * Source: lib/Conversion/TritonGPUToLLVM/ControlFlowOpToLLVM.cpp, FuncOpToLLVM.cpp; mlir/lib/Conversion/ControlFlowToLLVM.
 */

import { ALLOCATION_OFFSET, givenOffset } from "../../analysis/allocation.js";
import { BranchOp, CondBranchOp } from "../../dialects/cf/ops/branch.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { isCompatibleType } from "../../dialects/llvm/types/compatible.js";
import { LLVMArrayType, LLVMFunctionType, ptrType, structType } from "../../dialects/llvm/types/types.js";
import { isKernel } from "../../dialects/tt/kernel.js";
import { CallOp, FuncOp, ReturnOp } from "../../dialects/tt/ops/function.js";
import { PointerType } from "../../dialects/tt/types.js";
import { NUM_WARPS } from "../../dialects/ttg/num-warps.js";
import { isAnyTensorDesc } from "../../dialects/ttng/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { buildOperation } from "../../ir/builder.js";
import {
  ArrayAttr,
  arrayAttr,
  type DictAttr,
  dictAttr,
  dictEntries,
  emptyDict,
  IntegerAttr,
  i32ArrayAttr,
  i32Attr,
  intOf,
  stringAttr,
  typeAttr,
  unitAttr,
} from "../../ir/builtin-attrs.js";
import { FunctionType, IntegerType, i8, i64 } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { PassError } from "../../pass/pass-error.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { voidOr } from "./type-converter.js";

// --- functions ----------------------------------------------------------------------------------

const NOT_COPIED: ReadonlySet<string> = new Set(["sym_name", "function_type", "arg_attrs", "std.varargs", NUM_WARPS]);

/** Makes the empty LLVM function for `func`, its entry block with arguments, in front of it. */
export function makeLLVMFunc(lo: Lowering, func: Operation): Operation {
  const { ctx } = lo;
  const kernel = isKernel(func);
  const { sym_name, function_type, arg_attrs } = FuncOp.match(func)!;
  if (!FunctionType.is(function_type)) throw new Error("a tt.func has a function type");
  const { inputs, results } = function_type.params;
  const added = [...(kernel ? [] : [ptrType(ctx, 3)]), ptrType(ctx, 1), ptrType(ctx, 1)];
  const params = [...inputs.map((type) => lo.typeOf(type)), ...added];
  const odd = params.findIndex((type) => !isCompatibleType(type));
  if (odd >= 0)
    throw new PassError(
      func,
      `its argument #${odd} is of type '${typeText(inputs[odd]!)}', which LLVM has no type for`,
      "lower.unsupported",
    );
  const returnType = voidOr(lo.typeOfResults(results), ctx);

  const attrs = dictEntries(func.attrs).filter(([name]) => !NOT_COPIED.has(name) && !(kernel && name === "sym_visibility"));
  const pointees = lo.forms.pointeeTypes && inputs.some((t) => PointerType.is(t));
  if (arg_attrs || pointees || inputs.some((t) => isAnyTensorDesc(t)))
    attrs.push([
      "arg_attrs",
      arrayAttr(
        ctx,
        params.map((_, i) => argAttrs(lo, inputs[i], arg_attrs?.[i] as DictAttr | undefined)),
      ),
    ]);
  if (kernel)
    attrs.push(["nvvm.kernel", IntegerAttr.get(ctx, { value: 1n, type: IntegerType.get(ctx, { width: 1, signedness: "unsigned" }) })]);
  else attrs.push(["passthrough", arrayAttr(ctx, [stringAttr(ctx, "noinline")])]);
  if (kernel || !lo.forms.launchesKernelsAlone) attrs.push(...launchAttrs(lo, func));
  else if (func.attr(NUM_WARPS)) attrs.push(["ws_num_warps", func.attr(NUM_WARPS)!]);

  const made = buildOperation(
    ctx,
    ll.LLVMFuncOp,
    {
      sym_name,
      function_type: LLVMFunctionType.get(ctx, { returnType, params, varArg: false }),
      linkage: kernel ? "external" : "internal",
    },
    func.locRef,
    [],
    attrs,
  );
  func.block!.insert(made, func);
  const entry = made.regions[0]!.addBlock();
  const old = func.regions[0]!.firstBlock!;
  params.forEach((type, i) => entry.addArgument(type, old.args[i]?.argLoc ?? func.locRef));
  return made;
}

/** How a kernel is launched: registers, CTAs of a cluster and threads. */
function launchAttrs({ ctx, target: { numCTAs } }: Lowering, func: Operation): [string, Attribute][] {
  const module = func.parentOp!;
  const maxnreg = module.attr("ttg.maxnreg");
  const numWarps = intOf(module.attr("ttg.total-num-warps")) ?? intOf(func.attr(NUM_WARPS)) ?? intOf(module.attr(NUM_WARPS)) ?? 4;
  return [
    ...(maxnreg ? [["nvvm.maxnreg", maxnreg] as [string, Attribute]] : []),
    ...(numCTAs > 1 ? [["nvvm.cluster_dim", i32ArrayAttr(ctx, [numCTAs])] as [string, Attribute]] : []),
    ["nvvm.reqntid", i32ArrayAttr(ctx, [32 * numWarps])],
  ];
}

/** A descriptor, or a pointer that is marked as one, is passed by value, in constant memory: 128 bytes. */
function argAttrs({ ctx, forms }: Lowering, type: Type | undefined, given: DictAttr | undefined): Attribute {
  const own = given ?? emptyDict(ctx);
  const attrs =
    forms.pointeeTypes && PointerType.is(type)
      ? dictAttr(ctx, [...dictEntries(own), ["tt.pointee_type", typeAttr(type.params.pointeeType)]])
      : own;
  const others = dictEntries(attrs).filter(([name]) => name !== "tt.nv_tma_desc");
  if (others.length === dictEntries(attrs).length && !isAnyTensorDesc(type)) return attrs;
  return dictAttr(ctx, [
    ...others,
    ["tt.nv_tma_desc", i32Attr(ctx, 1)],
    ["llvm.byval", typeAttr(LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: 128 }))],
    ["nvvm.grid_constant", unitAttr(ctx)],
    ["llvm.align", i32Attr(ctx, 64)],
  ]);
}

// --- memory of functions ------------------------------------------------------------------------

/** The argument of the new function that is `fromEnd` places from the end. */
const lastArgument = (lo: Lowering, fromEnd: number): Value => lo.newFunc.regions[0]!.firstBlock!.args.at(-fromEnd)!;

/** Where the function's shared memory begins. */
export function stackPointer(lo: Lowering): Value {
  return isKernel(lo.func) ? lo.b.addressOf("global_smem", ptrType(lo.ctx, 3)) : lastArgument(lo, 3);
}
/** The shared memory that was allocated for `op` (its `allocation.offset`), `within` bytes into it. */
export function sharedMemoryBase(lo: Lowering, op: Operation, within = 0): Value {
  return sharedBytes(lo, givenOffset(op) + within);
}
/** As `sharedMemoryBase` for a buffer that may have parts: where each of them begins. */
export function sharedMemoryBases(lo: Lowering, op: Operation): Value[] {
  const attr = op.attr(ALLOCATION_OFFSET);
  if (!lo.ctx.triton.buffersHaveParts || !ArrayAttr.is(attr) || attr.params.elements.length === 0) return [sharedMemoryBase(lo, op)];
  return attr.params.elements.map((offset) => sharedBytes(lo, givenOffset(op, offset)));
}
/** The function's shared memory, `offset` bytes into it. */
export function sharedBytes(lo: Lowering, offset: number): Value {
  const { b, ctx } = lo;
  const at = b.i32(offset);
  return b.gep(ptrType(ctx, 3), i8(ctx), stackPointer(lo), [at]);
}
/** The program's part of global scratch memory, `allocOffset` bytes into it. */
export const globalScratchPtr = (lo: Lowering, allocOffset?: Value): Value => scratchPtr(lo, "global", allocOffset);
/** The same in memory of a profiler or another tool; that of the whole cluster unless it is `ownCTA`'s. */
export const profileScratchPtr = (lo: Lowering, allocOffset?: Value, ownCTA = true): Value =>
  scratchPtr(lo, "profile", allocOffset, ownCTA);
function scratchPtr(lo: Lowering, memory: "global" | "profile", allocOffset: Value | undefined, ownCTA = true): Value {
  const { b, ctx } = lo;
  const base = lastArgument(lo, memory === "global" ? 2 : 1);
  const pointer = ptrType(ctx, 1);
  const within = (): Value => (allocOffset ? b.gep(pointer, i8(ctx), base, [allocOffset]) : base);
  if (!isKernel(lo.func)) return within();
  const size = intOf(lo.module.attr(`ttg.${memory}_scratch_memory_size`));
  if (size === undefined || (size === 0 && lo.ctx.triton.sizesProfileScratch)) return memory === "global" ? base : within();
  const ids = [0, 1, 2].map((axis) => lo.code.programId(lo, axis));
  const dims = [0, 1].map((axis) => lo.code.numPrograms(lo, axis));
  const wide = lo.forms.wideScratchOffsets;
  const widen = (value: Value): Value => (wide ? b.zext(value, i64(ctx)) : value);
  const constant = (value: number): Value => (wide ? b.i64(value) : b.i32(value));
  let linear = widen(ids[2]!);
  for (const axis of [1, 0]) {
    const id = widen(ids[axis]!);
    linear = b.add(id, b.mul(linear, widen(dims[axis]!)));
  }
  if (lo.target.numCTAs > 1) {
    linear = b.mul(linear, constant(lo.target.numCTAs));
    if (ownCTA) linear = b.add(linear, widen(lo.code.clusterCTAId(lo)));
  }
  let offset = b.mul(linear, constant(size));
  if (allocOffset) offset = b.add(offset, widen(allocOffset));
  return b.gep(pointer, i8(ctx), base, [offset]);
}

// --- rules --------------------------------------------------------------------------------------

/** Translation to LLVM IR reads `loop_annotation`, the branch's own attribute; it is set in addition to `llvm.loop_annotation`. */
function keepAttrs(from: Operation, to: Operation): void {
  for (const [name, value] of dictEntries(from.attrs)) {
    if (name !== "operandSegmentSizes") to.setAttr(name, value);
    if (name === "llvm.loop_annotation") to.setAttr("loop_annotation", value);
  }
}

function lowerReturn(op: Operation, lo: Lowering): false | void {
  const { b } = lo;
  const extra = dictEntries(op.attrs);
  if (isKernel(lo.func)) {
    if (op.numOperands > 0) return lo.fail(op, "Kernel functions do not support return with operands");
    b.create(ll.ReturnOp, {}, [], extra);
    return;
  }
  const values = lo.allValues(op.operands);
  if (values.length < 2) b.create(ll.ReturnOp, { arg: values[0] }, [], extra);
  else {
    const struct = structType(
      lo.ctx,
      values.map((v) => v.type),
    );
    b.create(ll.ReturnOp, { arg: b.packStruct(struct, values) }, [], extra);
  }
}

function lowerCall(op: Operation, lo: Lowering): void {
  const { b } = lo;
  const view = CallOp.match(op)!;
  const args = lo.allValues(op.operands);
  args.push(lo.func.hasAttr(ALLOCATION_OFFSET) && op.hasAttr(ALLOCATION_OFFSET) ? sharedMemoryBase(lo, op) : stackPointer(lo));
  const offset = (memory: string): Value | undefined => {
    const bytes = intOf(op.attr(`ttg.${memory}_scratch_memory_offset`));
    return bytes === undefined ? undefined : b.i32(bytes);
  };
  args.push(globalScratchPtr(lo, offset("global")));
  args.push(lo.ctx.triton.sizesProfileScratch ? profileScratchPtr(lo, offset("profile")) : lastArgument(lo, 1));
  const type = lo.typeOfResults(op.resultTypes);
  const extra = dictEntries(op.attrs).filter(([name]) => name !== "callee" && !(name.endsWith("_attrs") && ArrayAttr.is(op.attr(name))));
  const call = b.create(
    ll.CallOp,
    { callee: view.callee, callee_operands: args, op_bundle_operands: [], op_bundle_sizes: [] },
    type ? [type] : [],
    extra,
  );
  if (op.numResults === 1) lo.setValue(op.result(0), call.result(0));
  else op.results.forEach((result, i) => lo.setValue(result, b.extractValue(call.result(0), i)));
}

export const CONTROL_FLOW: readonly LoweringRule[] = [
  rule(BranchOp, ({ op, dest, destOperands }, lo) => {
    const made = lo.b.create(ll.BrOp, { dest: lo.newBlock(dest), destOperands: lo.allValues(destOperands) });
    keepAttrs(op, made);
  }),
  rule(CondBranchOp, ({ op, condition, trueDest, trueDestOperands, falseDest, falseDestOperands }, lo) => {
    const made = lo.b.create(ll.CondBrOp, {
      condition: lo.value(condition),
      trueDest: lo.newBlock(trueDest),
      trueDestOperands: lo.allValues(trueDestOperands),
      falseDest: lo.newBlock(falseDest),
      falseDestOperands: lo.allValues(falseDestOperands),
    });
    keepAttrs(op, made);
  }),
  rule(ReturnOp, ({ op }, lo) => lowerReturn(op, lo)),
  rule(CallOp, ({ op }, lo) => lowerCall(op, lo)),
];
