/**
 * Functions of libraries, clamps, divisions that round, and what runs a user's own code on every element.
 * Source: lib/Conversion/TritonGPUToLLVM/ElementwiseOpToLLVM.cpp, MathToLLVM, arith's ExpandOps.cpp.
 */

import * as div from "../../dialects/arith/ops/division.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMFunctionType, structType } from "../../dialects/llvm/types/types.js";
import * as math from "../../dialects/math/ops/index.js";
import { ClampFOp } from "../../dialects/tt/ops/arithmetic.js";
import { ElementwiseInlineAsmOp, ExternElementwiseOp, MapElementwiseOp } from "../../dialects/tt/ops/elementwise.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { buildOperation } from "../../ir/builder.js";
import { floatAttr, stringAttr } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, VectorType } from "../../ir/builtin-types.js";
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

// --- functions of a library ----------------------------------------------------------------------------------

/** Declares a function of the device's library in front of the function that calls it, unless it is known. */
export function declareExtern(
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
export function callExtern(lo: Lowering, name: string, type: Type, args: readonly Value[], libname = "", libpath = ""): Value {
  const types = args.map((a) => a.type);
  declareExtern(lo, name, type, types, [
    ["libname", stringAttr(lo.ctx, libname)],
    ["libpath", stringAttr(lo.ctx, libpath)],
  ]);
  return lo.b.call(name, type, args)!;
}

// --- clamps -------------------------------------------------------------------------------------

/** The default clamp, by minimum and maximum. */
export function clamp(lo: Lowering, op: Operation, [x, low, high]: readonly Value[], type: Type): Value {
  const { b } = lo;
  const nan = ClampFOp.match(op)!.propagateNan === "all";
  if (nan && lo.code.nanExtrema) return b.op(ll.MinimumOp, [b.op(ll.MaximumOp, [x!, low!], type), high!], type);
  const isNaN = nan ? b.fcmp("une", x!, x!) : undefined;
  const clamped = b.op(ll.MinNumOp, [b.op(ll.MaxNumOp, [x!, low!], type), high!], type);
  return isNaN ? b.select(isNaN, b.constant(type, floatAttr(type, Number.NaN)), clamped) : clamped;
}

// --- a user's own code --------------------------------------------------------------------------

/** Real Triton has no bound here: it runs out of memory. */
const MAX_PACKED_ELEMENTS = 1024;

/** Inline assembly on `packed_element` elements at a time, those of less than 32 bits packed in words. */
function lowerInlineAsm(op: Operation, lo: Lowering): false | void {
  const { b } = lo;
  const { packed_element, asm_string, constraints, pure } = ElementwiseInlineAsmOp.match(op)!;
  const pack = packed_element >>> 0;
  if (pack > MAX_PACKED_ELEMENTS)
    return lo.fail(op, `packed_element must be at most ${MAX_PACKED_ELEMENTS}, but got ${pack}`, "lower.inline-asm");
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
  elementwise(math.CtPopOp, ({ b }, _op, [operands], type) => b.op(ll.CtPopOp, operands!, type)),
  countBits(math.CountLeadingZerosOp, ll.CountLeadingZerosOp),
  countBits(math.CountTrailingZerosOp, ll.CountTrailingZerosOp),
  elementwise(ClampFOp, (lo, op, [operands], type) => clamp(lo, op, operands!, type)),
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
