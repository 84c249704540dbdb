/**
 * Printing and assertions on the device, by CUDA's vprintf and __assertfail.
 * Source: lib/Conversion/TritonGPUToLLVM/PrintOpToLLVM.cpp, AssertOpToLLVM.cpp, nvidia TargetInfo.cpp (printf, assertFail).
 */

import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMArrayType, LLVMFunctionType, LLVMPointerType, structType, voidType } from "../../dialects/llvm/types/types.js";
import { AssertOp, PrintOp } from "../../dialects/tt/ops/debug.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { buildOperation } from "../../ir/builder.js";
import { arrayAttr, stringAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, FloatType, floatType, i8, i32, i64, isFloat, isInteger, RankedTensorType } from "../../ir/builtin-types.js";
import { CallSiteLoc, FileLineColLoc, NameLoc, unknownLoc } from "../../ir/location.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import { barrier } from "./barrier.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { getProgramId } from "./program-ids.js";
import { emitIndices } from "./thread-indices.js";

// --- the module's strings and functions ------------------------------------------------------------

/** A string of the module, with the first free name of `key0`, `key1`, ...: its address. */
function addString(lo: Lowering, key: string, content: string): Value {
  const { b, ctx, module } = lo;
  let number = 0;
  while (lookupSymbol(module, `${key}${number}`)) number++;
  const name = `${key}${number}`;
  const args = {
    global_type: LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: content.length }),
    sym_name: name,
    linkage: "internal",
    constant: true,
    value: stringAttr(ctx, content),
  };
  atModuleStart(lo, buildOperation(ctx, ll.GlobalOp, args, 0, []));
  const zero = b.i32(0);
  return b.gep(b.ptr(), i8(ctx), b.addressOf(name, b.ptr()), [zero]);
}
function atModuleStart(lo: Lowering, op: ReturnType<typeof buildOperation>): void {
  const block = lo.module.regions[0]!.firstBlock!;
  block.insert(op, block.firstOp);
}
function declare(lo: Lowering, name: string, returnType: Type, params: readonly Type[], noreturn: boolean): void {
  const { ctx } = lo;
  if (lookupSymbol(lo.module, name)) return;
  const function_type = LLVMFunctionType.get(ctx, { returnType, params, varArg: false });
  const passthrough = noreturn ? { passthrough: arrayAttr(ctx, [stringAttr(ctx, "noreturn")]) } : {};
  atModuleStart(lo, buildOperation(ctx, ll.LLVMFuncOp, { sym_name: name, function_type, ...passthrough }, 0, []));
}

// --- print --------------------------------------------------------------------------------------

interface Printed {
  readonly value: Value;
  readonly signed: boolean;
}
/** Calls vprintf with the arguments in a struct on the stack, promoted as in C; returns the format as a value. No op has a location. */
function printf(lo: Lowering, text: string | Value, args: readonly Printed[]): Value {
  const { b, ctx } = lo;
  const { loc } = b;
  b.loc = unknownLoc(ctx);
  const format = typeof text === "string" ? addString(lo, "printfFormat_", `${text}\n\0`) : text;
  declare(lo, "vprintf", i32(ctx), [b.ptr(), b.ptr()], false);
  const one = b.i32(1);
  const zero = b.i32(0);
  let buffer = b.zero(b.ptr());
  if (args.length > 0) {
    const promoted = args.map(({ value, signed }) => {
      const { type } = value;
      if (isInteger(type) && bitWidth(type)! < 32) return signed ? b.sext(value, i32(ctx)) : b.zext(value, i32(ctx));
      return FloatType.is(type) && !isFloat(type, "f64") ? b.fpext(value, floatType(ctx, "f64")) : value;
    });
    const struct = structType(
      ctx,
      promoted.map((v) => v.type),
    );
    const allocated = b.value(ll.AllocaOp, { arraySize: one, elem_type: struct }, b.ptr());
    promoted.forEach((value, i) => {
      b.store(value, b.gep(b.ptr(), struct, allocated, [zero, i]));
    });
    buffer = b.bitcast(allocated, b.ptr());
  }
  b.call("vprintf", i32(ctx), [format, buffer]);
  b.loc = loc;
  return format;
}

/** How one value is printed: `%p`, `%f`, `%3i`, `%llu`, `0x%08x`. */
function formatOf(
  type: Type,
  { hex = false, width = "", signed = false }: { hex?: boolean; width?: number | ""; signed?: boolean } = {},
): string {
  if (LLVMPointerType.is(type)) return "%p";
  const bits = bitWidth(type)!;
  if (hex) return `0x%0${Math.floor(bits / 4)}${bits > 32 ? "ll" : ""}x`;
  if (FloatType.is(type)) return `%${width}f`;
  return `%${width}${bits === 64 ? "ll" : ""}${signed ? "i" : "u"}`;
}
/** vprintf takes no more arguments than this. */
const MAX_OPERANDS = 32;

const PRINT = rule(PrintOp, ({ op, prefix, hex, isSigned }, lo) => {
  const pid = [0, 1, 2].map((axis) => getProgramId(lo, axis));
  const pidText = `pid (${pid.map((v) => formatOf(v.type)).join(", ")})`;
  if (op.numOperands === 0) {
    printf(
      lo,
      `${pidText}${prefix}`,
      pid.map((value) => ({ value, signed: true })),
    );
    return;
  }
  op.operands.forEach((operand, i) => {
    const signed = isSigned[i]! > 0;
    const elements = lo.elements(operand);
    const { type } = operand;
    const tensor = RankedTensorType.is(type) ? type : undefined;
    const indices = tensor ? emitIndices(lo, tensor, true) : [[]];
    const widths = tensor ? tensor.params.shape.map((extent) => (extent > 0 ? Math.ceil(Math.log10(extent)) : 0)) : [];
    let format: Value | undefined;
    elements.forEach((element, e) => {
      const index = indices[e]!;
      const shown = index.slice(0, MAX_OPERANDS - pid.length - 2);
      const texts = shown.map((v, d) => formatOf(v.type, { width: widths[d]! }));
      if (shown.length < index.length) texts.push("... (truncated)");
      const which = op.numOperands > 1 ? `(operand ${i}) ` : "";
      const text = `${pidText} idx (${texts.join(", ")})${prefix}${which}${formatOf(element.type, { hex, signed })}`;
      format = printf(
        lo,
        format ?? text,
        [...pid, ...shown, element].map((value) => ({ value, signed })),
      );
    });
  });
});

// --- assert -------------------------------------------------------------------------------------

/** The line that an assertion is on: in the function called, not in its callers. */
function sourceLine(loc: Attribute): { readonly file: string; readonly line: number } {
  let at = loc;
  while (CallSiteLoc.is(at)) at = at.params.callee;
  while (NameLoc.is(at)) at = at.params.child;
  return FileLineColLoc.is(at) ? at.params : { file: "unknown", line: 0 };
}

const ASSERT = rule(AssertOp, ({ op, condition, message }, lo) => {
  const { b, ctx } = lo;
  const elements = lo.elements(condition);
  const { type } = elements[0]!;
  let failed = b.int(type, 0);
  for (const element of elements) failed = b.or(failed, b.icmp("eq", element, b.int(type, 0)));

  const from = b.block;
  const ifBlock = lo.addBlockAfter(from);
  const thenBlock = lo.addBlockAfter(ifBlock);
  b.setEnd(ifBlock);
  const { file, line } = sourceLine(op.loc);
  declare(lo, "__assertfail", voidType(ctx), [b.ptr(), b.ptr(), i32(ctx), b.ptr(), i64(ctx)], true);
  const text = addString(lo, "assertMessage_", `${message}\0`);
  const fileText = addString(lo, "assertFile_", `${file}\0`);
  const func = addString(lo, "assertFunc_", "unknown\0");
  b.call("__assertfail", undefined, [text, fileText, b.i32(line), func, b.i64(1)]);
  lo.branch(thenBlock, []);
  b.setEnd(from);
  lo.condBranch(failed, ifBlock, thenBlock);
  b.setEnd(thenBlock);
  // Threads hold other elements in other layouts: none goes on before all have checked theirs.
  if (RankedTensorType.is(condition.type)) barrier(lo);
});

export const DEBUG: readonly LoweringRule[] = [PRINT, ASSERT];
