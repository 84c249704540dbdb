/** Printing and assertions by CUDA's vprintf and __assertfail. Source: nvidia TargetInfo.cpp, printf, assertFail. */
import * as ll from "../../../dialects/llvm/ops/index.js";
import { structType, voidType } from "../../../dialects/llvm/types/types.js";
import { arrayAttr, stringAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, FloatType, floatType, i32, i64, isFloat, isInteger } from "../../../ir/builtin-types.js";
import { unknownLoc } from "../../../ir/location.js";
import { addFormat, addString, declare } from "../../ttg-to-llvm/device-strings.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import type { Format, Printed } from "../../ttg-to-llvm/target-code.js";

/** Calls vprintf with the arguments in a struct on the stack, promoted as in C. No op has a location. */
export function printf(lo: Lowering, text: string | Format, args: readonly Printed[]): Format {
  const { b, ctx } = lo;
  const { loc } = b;
  b.loc = unknownLoc(ctx);
  const format = typeof text === "string" ? addFormat(lo, `${text}\n\0`) : text;
  declare(lo, "vprintf", i32(ctx), [b.ptr(), b.ptr()]);
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
  b.call("vprintf", i32(ctx), [format.address, buffer]);
  b.loc = loc;
  return format;
}

/** Calls __assertfail, which ends the program. */
export function assertFail(lo: Lowering, message: string, file: string, line: number): void {
  const { b, ctx } = lo;
  const passthrough = arrayAttr(ctx, [stringAttr(ctx, "noreturn")]);
  declare(lo, "__assertfail", voidType(ctx), [b.ptr(), b.ptr(), i32(ctx), b.ptr(), i64(ctx)], { passthrough });
  const text = addString(lo, "assertMessage_", `${message}\0`);
  const fileText = addString(lo, "assertFile_", `${file}\0`);
  const func = addString(lo, "assertFunc_", "unknown\0");
  b.call("__assertfail", undefined, [text, fileText, b.i32(line), func, b.i64(1)]);
}
