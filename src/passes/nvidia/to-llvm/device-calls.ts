/** Printing and assertions by CUDA's vprintf and __assertfail. Source: nvidia TargetInfo.cpp, printf, assertFail. */
import * as ll from "../../../dialects/llvm/ops/index.js";
import { LLVMArrayType, LLVMFunctionType, structType, voidType } from "../../../dialects/llvm/types/types.js";
import type { Type } from "../../../ir/attribute.js";
import { buildOperation } from "../../../ir/builder.js";
import { arrayAttr, stringAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, FloatType, floatType, i8, i32, i64, isFloat, isInteger } from "../../../ir/builtin-types.js";
import { unknownLoc } from "../../../ir/location.js";
import { lookupSymbol } from "../../../ir/symbol-table.js";
import type { Value } from "../../../ir/value.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import type { Printed } from "../../ttg-to-llvm/target-code.js";

/** A string of the module, with the first free name of `key0`, `key1`, ...: its address. */
function addString(lo: Lowering, key: string, content: string): Value {
  const { b, ctx } = lo;
  const name = (lo.forms.sharesStrings ? nameOfString(lo, content) : undefined) ?? newString(lo, key, content);
  const zero = b.i32(0);
  return b.gep(b.ptr(), i8(ctx), b.addressOf(name, b.ptr()), [zero]);
}
function newString(lo: Lowering, key: string, content: string): string {
  const { ctx, module } = lo;
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
  return name;
}
/** A string of the module that has these contents. */
function nameOfString({ module, ctx }: Lowering, content: string): string | undefined {
  const value = stringAttr(ctx, content);
  for (const op of module.regions[0]!.firstBlock!.ops()) {
    const global = ll.GlobalOp.match(op);
    if (global?.constant && global.linkage === "internal" && global.value === value) return global.sym_name;
  }
  return undefined;
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

/** Calls vprintf with the arguments in a struct on the stack, promoted as in C; returns the format as a value. No op has a location. */
export function printf(lo: Lowering, text: string | Value, args: readonly Printed[]): Value {
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

/** Calls __assertfail, which ends the program. */
export function assertFail(lo: Lowering, message: string, file: string, line: number): void {
  const { b, ctx } = lo;
  declare(lo, "__assertfail", voidType(ctx), [b.ptr(), b.ptr(), i32(ctx), b.ptr(), i64(ctx)], true);
  const text = addString(lo, "assertMessage_", `${message}\0`);
  const fileText = addString(lo, "assertFile_", `${file}\0`);
  const func = addString(lo, "assertFunc_", "unknown\0");
  b.call("__assertfail", undefined, [text, fileText, b.i32(line), func, b.i64(1)]);
}
