/**
 * Arithmetic on scalars and vectors in the LLVM dialect. Vectors of several dimensions are taken apart row by row; tensors stay.
 * Source: mlir/lib/Conversion/ArithToLLVM/ArithToLLVM.cpp, LLVMCommon/VectorPattern.cpp, Arith/Transforms/ExpandOps.cpp.
 */
import { FAST_MATH, FastMathAttr, IntegerOverflowAttr } from "../../dialects/arith/attrs.js";
import * as bits from "../../dialects/arith/ops/bitwise.js";
import * as cast from "../../dialects/arith/ops/cast.js";
import { CmpFOp, CmpIOp } from "../../dialects/arith/ops/compare.js";
import { ConstantOp } from "../../dialects/arith/ops/constant.js";
import * as div from "../../dialects/arith/ops/division.js";
import * as float from "../../dialects/arith/ops/float.js";
import * as int from "../../dialects/arith/ops/integer.js";
import * as minMax from "../../dialects/arith/ops/min-max.js";
import { SelectOp } from "../../dialects/arith/ops/select.js";
import { FASTMATH_BITS, FastmathFlagsAttr, IntegerOverflowFlagsAttr } from "../../dialects/llvm/attrs/enums.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMArrayType, structType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { type DictAttr, dictAttr, dictEntries, intAttr, splatOf } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, IntegerType, isShaped, withElementType } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import type { OpDef } from "../../ir/define-op.js";
import { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { type ConversionPattern, conversionPattern, kindConversionPattern } from "../../rewrite/conversion-pattern.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import { llvmTypeConverter } from "./llvm-type-converter.js";

export const convertArithToLLVM = definePass("convert-arith-to-llvm", {
  name: "ArithToLLVMConversionPass",
  summary: "Convert Arith dialect to LLVM dialect",
  source: "mlir/lib/Conversion/ArithToLLVM/ArithToLLVM.cpp",
  options: { indexBitwidth: option.int({ default: 0, summary: "Bitwidth of the index type, 0 to use size of machine word" }) },
  run(root, { listener, fail }) {
    const target = new ConversionTarget().addLegalDialect("llvm");
    if (!applyPartialConversion(root, target, arithToLLVMPatterns(llvmTypeConverter()), { listener }).ok) fail();
  },
});

// --- one op for one --------------------------------------------------------------------------

/** Ops that have their like in the LLVM dialect. */
const ALIKE: readonly (readonly [OpDef, OpDef])[] = [
  [float.AddFOp, ll.FAddOp],
  [float.SubFOp, ll.FSubOp],
  [float.MulFOp, ll.FMulOp],
  [float.DivFOp, ll.FDivOp],
  [float.RemFOp, ll.FRemOp],
  [float.NegFOp, ll.FNegOp],
  [int.AddIOp, ll.AddOp],
  [int.SubIOp, ll.SubOp],
  [int.MulIOp, ll.MulOp],
  [div.DivSIOp, ll.SDivOp],
  [div.DivUIOp, ll.UDivOp],
  [div.RemSIOp, ll.SRemOp],
  [div.RemUIOp, ll.URemOp],
  [bits.AndIOp, ll.AndOp],
  [bits.OrIOp, ll.OrOp],
  [bits.XOrIOp, ll.XOrOp],
  [bits.ShLIOp, ll.ShlOp],
  [bits.ShRSIOp, ll.AShrOp],
  [bits.ShRUIOp, ll.LShrOp],
  [minMax.MaximumFOp, ll.MaximumOp],
  [minMax.MinimumFOp, ll.MinimumOp],
  [minMax.MaxNumFOp, ll.MaxNumOp],
  [minMax.MinNumFOp, ll.MinNumOp],
  [minMax.MaxSIOp, ll.SMaxOp],
  [minMax.MaxUIOp, ll.UMaxOp],
  [minMax.MinSIOp, ll.SMinOp],
  [minMax.MinUIOp, ll.UMinOp],
  [cast.BitcastOp, ll.BitcastOp],
  [cast.ExtFOp, ll.FPExtOp],
  [cast.ExtSIOp, ll.SExtOp],
  [cast.ExtUIOp, ll.ZExtOp],
  [cast.TruncIOp, ll.TruncOp],
  [cast.FPToSIOp, ll.FPToSIOp],
  [cast.FPToUIOp, ll.FPToUIOp],
  [cast.SIToFPOp, ll.SIToFPOp],
  [cast.UIToFPOp, ll.UIToFPOp],
  [cast.TruncFOp, ll.FPTruncOp],
  [CmpIOp, ll.ICmpOp],
  [CmpFOp, ll.FCmpOp],
  [SelectOp, ll.SelectOp],
];

/** Makes an op of the LLVM dialect from the row (or the whole) of its operands. */
type MakeRow = (operands: readonly Value[], type: Type) => Value;

/** Gives `make` the values themselves, or those of an array's elements one by one, and puts its results together again. */
function rowByRow(rw: Rewriter, operands: readonly Value[], type: Type, make: MakeRow): Value {
  const rows = (values: readonly Value[], of: Type, position: readonly number[], whole: Value): Value => {
    if (!LLVMArrayType.is(of)) {
      const row = make(
        values.map((container) => rw.value(ll.ExtractValueOp, { container, position })),
        of,
      );
      return rw.value(ll.InsertValueOp, { container: whole, value: row, position });
    }
    let made = whole;
    for (let i = 0; i < of.params.numElements; i++) made = rows(values, of.params.elementType, [...position, i], made);
    return made;
  };
  if (!LLVMArrayType.is(type)) return make(operands, type);
  return rows(operands, type, [], rw.value(ll.PoisonOp, {}, { types: [type] }));
}

/** The attributes that `def` has when none are given. */
function defaultsOf(ctx: Context, def: OpDef): [string, Attribute][] {
  return def.attrs.flatMap(({ name, default: dflt }): [string, Attribute][] => (dflt ? [[name, dflt(ctx)]] : []));
}

/** The op's attributes as `to` has them: flags under LLVM's names, and those it does not know unchanged. */
function attrsFor(op: Operation, to: OpDef): DictAttr {
  const attrs = new Map(defaultsOf(op.ctx, to));
  for (const [name, attr] of dictEntries(op.attrs)) {
    if (FastMathAttr.is(attr) && attrs.has("fastmathFlags")) attrs.set("fastmathFlags", fastmathFlags(attr));
    else if (IntegerOverflowAttr.is(attr)) attrs.set(name, IntegerOverflowFlagsAttr.get(op.ctx, { bits: attr.params.flags }));
    else attrs.set(name, attr);
  }
  return dictAttr(op.ctx, [...attrs]);
}
function fastmathFlags({ ctx, params: { flags } }: Attribute<{ readonly flags: number }>): Attribute {
  let llvm = 0;
  for (const [name, bit] of Object.entries(FASTMATH_BITS)) if (flags & FAST_MATH[name as keyof typeof FASTMATH_BITS]) llvm |= bit;
  return FastmathFlagsAttr.get(ctx, { bits: llvm });
}

/** Makes an op with one result; without `attrs` it has the default ones, which set no flags. */
function plain(rw: Rewriter, def: OpDef, operands: readonly Value[], type: Type, attrs?: DictAttr): Value {
  const init = { loc: rw.loc, operands, resultTypes: [type], attrs: attrs ?? dictAttr(rw.ctx, defaultsOf(rw.ctx, def)) };
  return rw.insert(new Operation(rw.ctx, def, init)).result(0);
}

function oneForOne(converter: TypeConverter, from: OpDef, to: OpDef, attrs = attrsFor): ConversionPattern {
  return kindConversionPattern(
    from,
    (op, ranges, rw) => {
      const type = converter.convertType(op.result(0).type);
      const operands = ranges.flat();
      if (!type) return rw.noMatch("LLVM has no such type", op);
      return rw.replace(
        op,
        rowByRow(rw, operands, type, (row, rowType) => plain(rw, to, row, rowType, attrs(op, to))),
      );
    },
    { converter },
  );
}

/** A rounding mode asks for the intrinsic that takes one. */
const constrainedTruncation = (converter: TypeConverter): ConversionPattern =>
  conversionPattern(
    "convert-rounding-truncf",
    cast.TruncFOp,
    ({ op, roundingmode, out }, adaptor, rw) => {
      const type = converter.convertType(out.type);
      if (!roundingmode || !type) return rw.noMatch("no rounding mode", op);
      const args = { roundingmode: ROUNDING[roundingmode], fpExceptionBehavior: "ignore" } as const;
      return rw.replace(
        op,
        rowByRow(rw, [adaptor.in], type, ([row], rowType) =>
          rw.value(ll.ConstrainedFPTruncIntr, { arg_0: row!, ...args }, { types: [rowType] }),
        ),
      );
    },
    { converter, benefit: 2 },
  );
const ROUNDING = {
  to_nearest_even: "tonearest",
  downward: "downward",
  upward: "upward",
  toward_zero: "towardzero",
  to_nearest_away: "tonearestaway",
} as const;

// --- others ----------------------------------------------------------------------------------

/** To an index or from it the width changes, or nothing. */
const indexCast = (converter: TypeConverter, def: typeof cast.IndexCastOp, extend: OpDef): ConversionPattern =>
  conversionPattern(
    `convert-${def.name}`,
    def,
    ({ op, in: from, out: to }, adaptor, rw) => {
      const type = converter.convertType(to.type);
      if (!type) return rw.noMatch("LLVM has no such type", op);
      const [before, after] = [from, to].map(({ type: t }) => bitWidth(elementTypeOrSelf(t)) ?? INDEX_WIDTH);
      if (before === after) return rw.replace(op, adaptor.in);
      const conversion = before! < after! ? extend : ll.TruncOp;
      return rw.replace(
        op,
        rowByRow(rw, [adaptor.in], type, (row, rowType) => plain(rw, conversion, row, rowType)),
      );
    },
    { converter },
  );
const INDEX_WIDTH = 64;

const constant = (converter: TypeConverter): ConversionPattern =>
  conversionPattern(
    "convert-constant",
    ConstantOp,
    ({ op, value, result }, _, rw) => {
      const type = converter.convertType(result.type);
      if (!type) return rw.noMatch("LLVM has no such type", op);
      return rw.replace(op, rw.value(ll.ConstantOp, { value }, { types: [type] }));
    },
    { converter },
  );

/** The sum, and whether it overflowed. */
const addExtended = (converter: TypeConverter): ConversionPattern =>
  conversionPattern(
    "convert-addui-extended",
    int.AddUIExtendedOp,
    ({ op, sum, overflow }, { lhs, rhs }, rw) => {
      const types = [sum, overflow].map(({ type }) => converter.convertType(type));
      if (types.some((type) => !type || LLVMArrayType.is(type))) return rw.noMatch("rows are not taken apart here", op);
      const both = plain(rw, ll.UAddWithOverflowOp, [lhs, rhs], structType(rw.ctx, types as Type[]));
      const parts = [0, 1].map((i) => rw.value(ll.ExtractValueOp, { container: both, position: [i] }));
      return rw.replace(op, parts);
    },
    { converter },
  );

/** A product of twice the width, and its two halves. */
const mulExtended = (converter: TypeConverter, def: typeof int.MulSIExtendedOp, extend: OpDef): ConversionPattern =>
  conversionPattern(
    `convert-${def.name}`,
    def,
    ({ op, low }, { lhs, rhs }, rw) => {
      const type = converter.convertType(low.type);
      if (!type || LLVMArrayType.is(type)) return rw.noMatch("rows are not taken apart here", op);
      const width = bitWidth(elementTypeOrSelf(type))!;
      const wide = withElementType(type, IntegerType.get(rw.ctx, { width: 2 * width, signedness: "signless" }));
      const [a, b] = [lhs, rhs].map((v) => plain(rw, extend, [v], wide));
      const product = plain(rw, ll.MulOp, [a!, b!], wide);
      const lower = plain(rw, ll.TruncOp, [product], type);
      const shift = rw.value(ll.ConstantOp, { value: splat(wide, width) }, { types: [wide] });
      return rw.replace(op, [lower, plain(rw, ll.TruncOp, [plain(rw, ll.LShrOp, [product, shift], wide)], type)]);
    },
    { converter },
  );

/** A number of a type, in every element. */
function splat(type: Type, value: number): Attribute {
  const attr = intAttr(elementTypeOrSelf(type), value);
  return isShaped(type) ? splatOf(type, attr) : attr;
}

// --- divisions that round up or down ---------------------------------------------------------

const constantOf = (rw: Rewriter, type: Type, value: number): Value => rw.value(ConstantOp, { value: splat(type, value) });

const ceilDivUI = conversionPattern("expand-ceildivui", div.CeilDivUIOp, ({ op, lhs, rhs }, _, rw) => {
  const zero = constantOf(rw, lhs.type, 0);
  const isZero = rw.value(CmpIOp, { predicate: "eq", lhs, rhs: zero });
  const one = constantOf(rw, lhs.type, 1);
  const quotient = rw.value(div.DivUIOp, { lhs: rw.value(int.SubIOp, { lhs, rhs: one }), rhs });
  const false_value = rw.value(int.AddIOp, { lhs: quotient, rhs: one });
  return rw.replace(op, rw.value(SelectOp, { condition: isZero, true_value: zero, false_value }));
});

/** Truncation was wrong by one where something is left over and the signs are alike (up) or unlike (down). */
const ceilDivSI = conversionPattern("expand-ceildivsi", div.CeilDivSIOp, ({ op, lhs, rhs }, _, rw) => {
  const zero = constantOf(rw, lhs.type, 0);
  const one = constantOf(rw, lhs.type, 1);
  const quotient = rw.value(div.DivSIOp, { lhs, rhs });
  const condition = isInexact(rw, lhs, rhs, quotient, "eq", () => zero);
  return rw.replace(
    op,
    rw.value(SelectOp, { condition, true_value: rw.value(int.AddIOp, { lhs: quotient, rhs: one }), false_value: quotient }),
  );
});
const floorDivSI = conversionPattern("expand-floordivsi", div.FloorDivSIOp, ({ op, lhs, rhs }, _, rw) => {
  const quotient = rw.value(div.DivSIOp, { lhs, rhs });
  const condition = isInexact(rw, lhs, rhs, quotient, "ne", () => constantOf(rw, lhs.type, 0));
  const true_value = rw.value(int.AddIOp, { lhs: quotient, rhs: constantOf(rw, lhs.type, -1) });
  return rw.replace(op, rw.value(SelectOp, { condition, true_value, false_value: quotient }));
});
function isInexact(rw: Rewriter, lhs: Value, rhs: Value, quotient: Value, signs: "eq" | "ne", makeZero: () => Value): Value {
  const product = rw.value(int.MulIOp, { lhs: quotient, rhs });
  const leftOver = rw.value(CmpIOp, { predicate: "ne", lhs, rhs: product });
  const zero = makeZero();
  const negative = [lhs, rhs].map((v) => rw.value(CmpIOp, { predicate: "slt", lhs: v, rhs: zero }));
  return rw.value(bits.AndIOp, { lhs: leftOver, rhs: rw.value(CmpIOp, { predicate: signs, lhs: negative[0]!, rhs: negative[1]! }) });
}

/** How arithmetic is converted. */
export function arithToLLVMPatterns(converter: TypeConverter): ConversionPattern[] {
  return [
    ceilDivSI,
    ceilDivUI,
    floorDivSI,
    ...ALIKE.map(([from, to]) => oneForOne(converter, from, to)),
    constrainedTruncation(converter),
    indexCast(converter, cast.IndexCastOp, ll.SExtOp),
    indexCast(converter, cast.IndexCastUIOp, ll.ZExtOp),
    constant(converter),
    addExtended(converter),
    mulExtended(converter, int.MulSIExtendedOp, ll.SExtOp),
    mulExtended(converter, int.MulUIExtendedOp, ll.ZExtOp),
  ];
}
