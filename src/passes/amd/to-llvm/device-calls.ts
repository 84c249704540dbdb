/**
 * Printing and assertions by the functions of ROCm's device library (ockl), which send a message piece by piece to the host.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/TargetInfo.cpp, printfImpl, assertFail.
 */
import { Trap } from "../../../dialects/llvm/ops/index.js";
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import { bitWidth, FloatType, floatType, i32, i64, isFloat } from "../../../ir/builtin-types.js";
import { unknownLoc } from "../../../ir/location.js";
import type { Value } from "../../../ir/value.js";
import { addFormat, declare } from "../../ttg-to-llvm/device-strings.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import type { Format, Printed } from "../../ttg-to-llvm/target-code.js";

/** The values that one call takes. */
const AT_ONCE = 7;

/** A value as 64 bits. */
function promote({ b, ctx }: Lowering, { value, signed }: Printed): Value {
  const wide = i64(ctx);
  if (LLVMPointerType.is(value.type)) return b.ptrtoint(value, wide);
  if (FloatType.is(value.type)) {
    const double = floatType(ctx, "f64");
    return b.bitcast(isFloat(value.type, "f64") ? value : b.fpext(value, double), wide);
  }
  if (bitWidth(value.type)! >= 64) return value;
  return signed ? b.sext(value, wide) : b.zext(value, wide);
}

function send(lo: Lowering, format: Format, args: readonly Printed[], toStderr: boolean): void {
  const { b, ctx } = lo;
  const [word, wide, ptr] = [i32(ctx), i64(ctx), b.ptr()];
  const begin = toStderr ? "__ockl_fprintf_stderr_begin" : "__ockl_printf_begin";
  declare(lo, begin, wide, toStderr ? [] : [wide]);
  declare(lo, "__ockl_printf_append_string_n", wide, [wide, ptr, wide, word]);
  if (args.length > 0) declare(lo, "__ockl_printf_append_args", wide, [wide, word, ...new Array(AT_ONCE).fill(wide), word]);
  const zero = b.i64(0);
  let message = b.call(begin, wide, toStderr ? [] : [zero])!;
  const [yes, no] = [b.i32(1), b.i32(0)];
  message = b.call("__ockl_printf_append_string_n", wide, [message, format.address, b.i64(format.bytes), args.length === 0 ? yes : no])!;
  for (let start = 0; start < args.length; start += AT_ONCE) {
    const part = args.slice(start, start + AT_ONCE);
    const values = [b.i32(part.length), ...part.map((arg) => promote(lo, arg))];
    const padding = new Array<Value>(AT_ONCE - part.length).fill(zero);
    const isLast = start + AT_ONCE >= args.length ? yes : no;
    message = b.call("__ockl_printf_append_args", wide, [message, ...values, ...padding, isLast])!;
  }
}

export function printf(lo: Lowering, text: string | Format, args: readonly Printed[]): Format {
  return lo.b.at(unknownLoc(lo.ctx), () => {
    const format = typeof text === "string" ? addFormat(lo, `${text}\n\0`) : text;
    send(lo, format, args, false);
    return format;
  });
}

/** Prints why to stderr, waits until all threads have, and ends the program. */
export function assertFail(lo: Lowering, message: string, file: string, line: number): void {
  const text = `device assertion failed: '${message}', in unknown at ${file}:${line}\n`;
  const format = addFormat(lo, text);
  lo.b.at(unknownLoc(lo.ctx), () => send(lo, format, [], true));
  lo.code.barrier(lo);
  lo.b.create(Trap, {});
}
