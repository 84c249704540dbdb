/**
 * Functions: of libdevice by calls, of the hardware by intrinsics, and what runs a user's own code on every element.
 * Source: ElementwiseOpToLLVM.cpp (lib and nvidia), mlir/lib/Conversion/GPUToNVVM/LowerGpuOpsToNVVMOps.cpp, MathToLLVM, arith's ExpandOps.cpp.
 */

import { isClip } from "../../analysis/clip.js";
import * as div from "../../dialects/arith/ops/division.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMFunctionType, structType } from "../../dialects/llvm/types/types.js";
import * as math from "../../dialects/math/ops/index.js";
import { ClampFOp, MulhiUIOp, PreciseDivFOp, PreciseSqrtOp } from "../../dialects/tt/ops/arithmetic.js";
import { ElementwiseInlineAsmOp, ExternElementwiseOp, MapElementwiseOp } from "../../dialects/tt/ops/elementwise.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { buildOperation } from "../../ir/builder.js";
import { floatAttr, stringAttr } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, f32, isFloat, isInteger, VectorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { PassError } from "../../pass/pass-error.js";
import { elementwise } from "./elementwise.js";
import { scalarBits, vecType } from "./ll-builder.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { convertType, elementsPerThread } from "./type-converter.js";

// --- libdevice ----------------------------------------------------------------------------------

/** Declares a function of the device's library in front of the function that calls it, unless it is known. */
function declareExtern(
  lo: Lowering,
  name: string,
  returnType: Type,
  params: readonly Type[],
  extra: readonly (readonly [string, Attribute])[],
): void {
  const function_type = LLVMFunctionType.get(lo.ctx, { returnType, params, varArg: false });
  const known = lookupSymbol(lo.module, name);
  if (known && ll.LLVMFuncOp.match(known)?.function_type !== function_type)
    throw new PassError(lo.op, `'${name}' is used with another type before: '${typeText(function_type)}' here`, "lower.unsupported");
  if (known) return;
  const made = buildOperation(lo.ctx, ll.LLVMFuncOp, { sym_name: name, function_type }, lo.b.loc, [], extra);
  lo.newFunc.block!.insert(made, lo.newFunc);
}
/** A call of a function that upstream's own patterns declare, with the library it is in. */
function callExtern(lo: Lowering, name: string, type: Type, args: readonly Value[], libname = "", libpath = ""): Value {
  const types = args.map((a) => a.type);
  declareExtern(lo, name, type, types, [
    ["libname", stringAttr(lo.ctx, libname)],
    ["libpath", stringAttr(lo.ctx, libpath)],
  ]);
  return lo.b.call(name, type, args)!;
}

/** The functions of libdevice by op: that of f32; that of f64 lacks the f at the end. */
const LIBDEVICE: readonly (readonly [OpDef, string])[] = [
  [math.AcosOp, "__nv_acosf"],
  [math.AcoshOp, "__nv_acoshf"],
  [math.AsinOp, "__nv_asinf"],
  [math.AsinhOp, "__nv_asinhf"],
  [math.AtanOp, "__nv_atanf"],
  [math.Atan2Op, "__nv_atan2f"],
  [math.AtanhOp, "__nv_atanhf"],
  [math.CbrtOp, "__nv_cbrtf"],
  [math.CeilOp, "__nv_ceilf"],
  [math.CopySignOp, "__nv_copysignf"],
  [math.CosOp, "__nv_cosf"],
  [math.CoshOp, "__nv_coshf"],
  [math.ErfOp, "__nv_erff"],
  [math.ErfcOp, "__nv_erfcf"],
  [math.ExpM1Op, "__nv_expm1f"],
  [math.Exp2Op, "__nv_exp2f"],
  [math.FloorOp, "__nv_floorf"],
  [math.LogOp, "__nv_logf"],
  [math.Log10Op, "__nv_log10f"],
  [math.Log1pOp, "__nv_log1pf"],
  [math.Log2Op, "__nv_log2f"],
  [math.PowFOp, "__nv_powf"],
  [math.RoundOp, "__nv_roundf"],
  [math.RoundEvenOp, "__nv_rintf"],
  [math.RsqrtOp, "__nv_rsqrtf"],
  [math.SinOp, "__nv_sinf"],
  [math.SinhOp, "__nv_sinhf"],
  [math.SqrtOp, "__nv_sqrtf"],
  [math.TanOp, "__nv_tanf"],
  [math.TanhOp, "__nv_tanhf"],
];
/** Calls a function of libdevice; narrower floats are computed as f32. */
function callLibdevice(lo: Lowering, name: string, operands: readonly Value[], type: Type): Value | undefined {
  const { b, ctx } = lo;
  const wide = isFloat(type, "f64") || isFloat(type, "f32") ? type : f32(ctx);
  if (!isFloat(type)) return undefined;
  const callee = isFloat(wide, "f64") ? name.slice(0, -1) : name;
  const args = operands.map((v) => (v.type === wide ? v : b.fpext(v, wide)));
  declareExtern(
    lo,
    callee,
    wide,
    args.map(() => wide),
    [],
  );
  const result = b.call(callee, wide, args)!;
  return wide === type ? result : b.fptrunc(result, type);
}
const libdevice = ([def, name]: readonly [OpDef, string]): LoweringRule =>
  elementwise(def, (lo, _op, [operands], type) => callLibdevice(lo, name, operands!, type));

// --- clamps -------------------------------------------------------------------------------------

function clamp(lo: Lowering, op: Operation, [x, low, high]: readonly Value[], type: Type): Value {
  const { b } = lo;
  const nan = ClampFOp.match(op)!.propagateNan === "all";
  if (lo.target.gpu.clips && isClip(op)) {
    const suffix = isFloat(type, "f32") ? ".f" : isFloat(type, "f16") ? ".f16" : "";
    return b.intrinsic(`llvm.nvvm.fmin${nan ? ".nan" : ""}.xorsign.abs${suffix}`, type, [x!, high!])!;
  }
  if (nan && lo.target.gpu.nanExtrema) return b.op(ll.MinimumOp, [b.op(ll.MaximumOp, [x!, low!], type), high!], type);
  const isNaN = nan ? b.fcmp("une", x!, x!) : undefined;
  const clamped = b.op(ll.MinNumOp, [b.op(ll.MaxNumOp, [x!, low!], type), high!], type);
  return isNaN ? b.select(isNaN, b.constant(type, floatAttr(type, Number.NaN)), clamped) : clamped;
}

// --- a user's own code --------------------------------------------------------------------------

/** Inline assembly on `packed_element` elements at a time, those of less than 32 bits packed in words. */
function lowerInlineAsm(op: Operation, lo: Lowering): void {
  const { b } = lo;
  const { packed_element: pack, asm_string, constraints, pure } = ElementwiseInlineAsmOp.match(op)!;
  const perWord = (type: Type): number => Math.min(Math.max(Math.floor(32 / scalarBits(type)), 1), pack);
  const columns = op.operands.map((operand) => [...lo.elements(operand)]);
  const count = elementsPerThread(op.result(0).type);
  const padding = count % pack === 0 ? 0 : pack - (count % pack);
  for (const column of columns) for (let i = 0; i < padding; i++) column.push(b.undef(column[0]!.type));

  const resultTypes = op.results.map((result) => convertType(elementTypeOrSelf(result.type)));
  const words = resultTypes.flatMap((type) => {
    const n = perWord(type);
    return new Array<Type>(pack / n).fill(n > 1 ? vecType(type, n) : type);
  });
  const results: Value[][] = op.results.map(() => []);
  for (let start = 0; start < count; start += pack) {
    const inputs: Value[] = [];
    for (const [i, column] of columns.entries()) {
      const n = perWord(elementTypeOrSelf(op.operand(i).type));
      for (let j = 0; j < pack; j += n) inputs.push(n === 1 ? column[start + j]! : b.packVector(column.slice(start + j, start + j + n)));
    }
    const type = words.length > 1 ? structType(lo.ctx, words) : words[0]!;
    const asm = b.inlineAsm(asm_string, constraints, inputs, type, { sideEffects: !pure, operandAttrs: false });
    let next = 0;
    for (const [i, element] of resultTypes.entries())
      for (let j = 0; j < pack; j += perWord(element)) {
        const word = words.length > 1 ? b.extractValue(asm, next++) : asm;
        results[i]!.push(...(VectorType.is(word.type) ? b.unpackVector(word) : [word]));
      }
  }
  op.results.forEach((result, i) => {
    lo.setElements(result, results[i]!.slice(0, count));
  });
}

/** A region on `pack` elements of each operand at a time, as blocks of the function. */
function lowerMap(op: Operation, lo: Lowering): false | void {
  const { pack, scalarOp } = MapElementwiseOp.match(op)!;
  const columns = op.operands.map((operand) => lo.elements(operand));
  const count = columns[0]!.length;
  if (count % pack !== 0)
    return lo.fail(
      op,
      `pack size must be a divisor of the number of elements per thread, but got pack = ${pack}, elements per thread = ${count}`,
      "lower.map",
    );
  const results: Value[][] = op.results.map(() => []);
  for (let start = 0; start < count; start += pack) {
    const out = lo.inlineBlocks(
      scalarOp,
      columns.flatMap((column) => column.slice(start, start + pack)),
    );
    if (!out) return false;
    results.forEach((list, i) => {
      list.push(...out.slice(i * pack, (i + 1) * pack));
    });
  }
  op.results.forEach((result, i) => {
    lo.setElements(result, results[i]!);
  });
}

// --- integer divisions that round up or down ------------------------------------------------------

/** The quotient, one more when the division left something and the signs are (for `up`) alike or (down) different. */
function roundedDivision(lo: Lowering, op: Operation, [lhs, rhs]: readonly Value[], up: boolean): Value {
  const { b } = lo;
  const [zero, one] = [b.int(lhs!.type, 0), b.int(lhs!.type, up ? 1 : -1)];
  const quotient = b.sdiv(lhs!, rhs!);
  const inexact = b.icmp("ne", lhs!, b.mul(quotient, rhs!));
  const [lhsNegative, rhsNegative] = [lhs!, rhs!].map((value, i) => {
    const known = constantInt(op.operand(i));
    return known === undefined ? b.icmp("slt", value, zero) : b.i1(known < 0n);
  });
  const signs = b.icmp(up ? "eq" : "ne", lhsNegative!, rhsNegative!);
  const rounds = b.and(inexact, signs);
  return b.select(rounds, b.add(quotient, one), quotient);
}
function ceilDivUnsigned(lo: Lowering, [lhs, rhs]: readonly Value[]): Value {
  const { b } = lo;
  const zero = b.int(lhs!.type, 0);
  const isZero = b.icmp("eq", lhs!, zero);
  const one = b.int(lhs!.type, 1);
  const quotient = b.udiv(b.sub(lhs!, one), rhs!);
  return b.select(isZero, zero, b.add(quotient, one));
}

const countBits = (def: OpDef, to: OpDef): LoweringRule =>
  elementwise(def, ({ b }, _op, [operands], type) =>
    b.value(to as typeof ll.CountLeadingZerosOp, { in: operands![0]!, is_zero_poison: false }, type),
  );

export const MATH: readonly LoweringRule[] = [
  ...LIBDEVICE.map(libdevice),
  // f32 by the hardware's power of two.
  elementwise(math.ExpOp, (lo, _op, [operands], type) => {
    if (!isFloat(type, "f32")) return callLibdevice(lo, "__nv_expf", operands!, type);
    const scaled = lo.b.fmul(operands![0]!, lo.b.f32(Math.LOG2E));
    return lo.b.intrinsic(lo.forms.ex2, type, [scaled]);
  }),
  elementwise(math.CtPopOp, ({ b }, _op, [operands], type) => b.op(ll.CtPopOp, operands!, type)),
  countBits(math.CountLeadingZerosOp, ll.CountLeadingZerosOp),
  countBits(math.CountTrailingZerosOp, ll.CountTrailingZerosOp),
  elementwise(PreciseSqrtOp, ({ b }, _op, [operands], type) => b.intrinsic("llvm.nvvm.sqrt.rn.f", type, operands!)),
  elementwise(PreciseDivFOp, ({ b }, _op, [operands], type) => b.intrinsic("llvm.nvvm.div.rn.f", type, operands!)),
  elementwise(ClampFOp, (lo, op, [operands], type) => clamp(lo, op, operands!, type)),
  elementwise(MulhiUIOp, (lo, _op, [operands], type) =>
    callExtern(lo, isInteger(type, 32) ? "__nv_umulhi" : "__nv_umul64hi", type, operands!),
  ),
  elementwise(ExternElementwiseOp, (lo, op, [operands], type) => {
    const { symbol, libname, libpath } = ExternElementwiseOp.match(op)!;
    return callExtern(lo, symbol, type, operands!, libname, libpath);
  }),
  elementwise(div.CeilDivSIOp, (lo, op, [operands]) => roundedDivision(lo, op, operands!, true)),
  elementwise(div.FloorDivSIOp, (lo, op, [operands]) => roundedDivision(lo, op, operands!, false)),
  elementwise(div.CeilDivUIOp, (lo, _op, [operands]) => ceilDivUnsigned(lo, operands!)),
  rule(ElementwiseInlineAsmOp, ({ op }, lo) => lowerInlineAsm(op, lo)),
  rule(MapElementwiseOp, ({ op }, lo) => lowerMap(op, lo)),
];
