/**
 * Ops that do the same to every element, on scalars and on tensors alike.
 * Source: lib/Conversion/TritonGPUToLLVM/ElementwiseOpToLLVM.cpp, include/.../ElementwiseOpToLLVMBase.h.
 */

import * as bits from "../../dialects/arith/ops/bitwise.js";
import * as cast from "../../dialects/arith/ops/cast.js";
import { CmpFOp, CmpIOp } from "../../dialects/arith/ops/compare.js";
import * as div from "../../dialects/arith/ops/division.js";
import * as float from "../../dialects/arith/ops/float.js";
import * as int from "../../dialects/arith/ops/integer.js";
import * as minMax from "../../dialects/arith/ops/min-max.js";
import { SelectOp } from "../../dialects/arith/ops/select.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import * as math from "../../dialects/math/ops/index.js";
import * as ttCast from "../../dialects/tt/ops/cast.js";
import { AddPtrOp } from "../../dialects/tt/ops/pointer.js";
import { PointerType } from "../../dialects/tt/types.js";
import { distributedParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../ir/attribute.js";
import { type DictAttr, dictAttr, dictEntries } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, IntegerType, isFloat, isInteger, RankedTensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { isMemoryEffectFree } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { computesEqualElements } from "../../layout/encoding-queries.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import type { Lowering, LoweringRule, LoweringTarget } from "./lowering.js";
import { rule } from "./lowering.js";
import { convertType } from "./type-converter.js";

/** Makes one element of the result, or several from as many sets of operands. Returns undefined if it cannot. */
export type MakeElements<T extends LoweringTarget = LoweringTarget> = (
  lo: Lowering<T>,
  op: Operation,
  /** The operands of this and all following elements: `operands[element][operand]`. */
  operands: readonly (readonly Value[])[],
  elementType: Type,
) => Value | readonly Value[] | undefined;

/** The rule of an elementwise op with one result. */
export function elementwise<T extends LoweringTarget = LoweringTarget>(def: OpDef, make: MakeElements<T>): LoweringRule<T> {
  return {
    def,
    lower(op, lo) {
      const result = op.result(0);
      const elementType = convertType(elementTypeOrSelf(result.type));
      const columns = op.operands.map((operand) => lo.elements(operand));
      const count = columns.length === 0 ? 1 : Math.max(...columns.map((c) => c.length));
      const operands = Array.from({ length: count }, (_, i) => columns.filter((c) => i < c.length).map((c) => c[i]!));
      const made: Value[] = [];
      while (made.length < count) {
        const values = make(lo, op, made.length === 0 ? operands : operands.slice(made.length), elementType);
        if (values === undefined) return lo.fail(op, `failed to legalize operation '${op.name}' that was explicitly marked illegal`);
        if (Array.isArray(values)) made.push(...(values as readonly Value[]));
        else made.push(values as Value);
      }
      lo.setElements(result, deduplicate(lo, op, made));
      return true;
    },
  };
}

/** Where the analysis knows that neighbouring elements are equal, one register's value serves for all. */
function deduplicate(lo: Lowering, op: Operation, values: readonly Value[]): readonly Value[] {
  const result = op.result(0);
  if (op.numResults !== 1 || !isMemoryEffectFree(op) || !RankedTensorType.is(result.type) || !result.type.params.encoding) return values;
  const constancy = lo.axisInfo.get(result)?.constancy;
  if (!constancy || constancy.every((c) => c === 1) || computesEqualElements(distributedParams(result.type.params.encoding)!))
    return values;
  const layout = toLinearLayout(result.type.params.shape, result.type.params.encoding);
  const dims = layout.outDimNames;
  const inverse = layout.pseudoinvert().sublayout(dims, ["register"]);
  const broadcast = LinearLayout.fromBases(
    inverse.getBases().map(([dim, bases]) => {
      const constantBits = Math.log2(constancy[dims.indexOf(dim)]!);
      return [dim, bases.map((basis, i) => (i < constantBits ? [0] : basis))] as const;
    }),
    inverse.getOutDims(),
    false,
  );
  const source = layout.sublayout(["register"], dims).compose(broadcast);
  return values.map((_, i) => values[source.apply({ register: i })["register"]!]!);
}

/** The attributes of an op of the LLVM dialect that stands for `op`: its defaults, and hints on the old op; undefined for defaults alone. */
function attrsWithHints({ b }: Lowering, op: Operation, to: OpDef): DictAttr | undefined {
  const hints = dictEntries(op.attrs).filter(([name]) => !op.def.inherent.has(name));
  return hints.length === 0 ? undefined : dictAttr(op.ctx, [...dictEntries(b.defaultAttrs(to)), ...hints]);
}

/** An op of the LLVM dialect with the same operands; hints on the old op go on. */
const same = (from: OpDef, to: OpDef): LoweringRule =>
  elementwise(from, (lo, op, [operands], type) => lo.b.op(to, operands!, type, attrsWithHints(lo, op, to)));

/** In the LLVM dialect floats of 8 bits are integers: they are moved about there, and not calculated with (what upstream makes does not verify). */
export function withoutFloat8<T extends LoweringTarget>({ def, lower }: LoweringRule<T>): LoweringRule<T> {
  return {
    def,
    lower(op, lo) {
      const types = [...op.operands, ...op.results].map(({ type }) => elementTypeOrSelf(type));
      const float8 = types.find((type) => isFloat(type) && bitWidth(type) === 8);
      if (float8) return lo.fail(op, `'${op.name}' cannot be lowered for elements of type '${typeText(float8)}'`, "lower.float8");
      return lower(op, lo);
    },
  };
}

/** The order of predicates is the same in both dialects; arith's `false` and `true` are LLVM's `_false` and `_true`. */
const fcmpPredicate = (predicate: string): string => (predicate === "true" || predicate === "false" ? `_${predicate}` : predicate);

/** The minimum (maximum) that is NaN when either is, made by hand where the hardware has none. */
function propagatingNaN(lo: Lowering, [lhs, rhs]: readonly Value[], type: Type, native: OpDef, other: OpDef): Value {
  const { b } = lo;
  if (lo.code.nanExtrema) return b.op(native, [lhs!, rhs!], type);
  const isNaN = b.or(b.fcmp("une", lhs!, lhs!), b.fcmp("une", rhs!, rhs!));
  const plain = b.op(other, [lhs!, rhs!], type);
  return b.select(isNaN, b.float(type, Number.NaN), plain);
}

const CALCULATIONS: readonly LoweringRule[] = [
  same(cast.TruncIOp, ll.TruncOp),
  same(cast.ExtSIOp, ll.SExtOp),
  same(cast.ExtUIOp, ll.ZExtOp),
  same(cast.FPToUIOp, ll.FPToUIOp),
  same(cast.FPToSIOp, ll.FPToSIOp),
  same(cast.UIToFPOp, ll.UIToFPOp),
  same(cast.ExtFOp, ll.FPExtOp),
  same(cast.TruncFOp, ll.FPTruncOp),
  same(int.AddIOp, ll.AddOp),
  same(int.SubIOp, ll.SubOp),
  same(int.MulIOp, ll.MulOp),
  same(div.DivSIOp, ll.SDivOp),
  same(div.DivUIOp, ll.UDivOp),
  same(div.RemSIOp, ll.SRemOp),
  same(div.RemUIOp, ll.URemOp),
  same(bits.AndIOp, ll.AndOp),
  same(bits.OrIOp, ll.OrOp),
  same(bits.XOrIOp, ll.XOrOp),
  same(bits.ShLIOp, ll.ShlOp),
  same(bits.ShRSIOp, ll.AShrOp),
  same(bits.ShRUIOp, ll.LShrOp),
  same(float.AddFOp, ll.FAddOp),
  same(float.SubFOp, ll.FSubOp),
  same(float.MulFOp, ll.FMulOp),
  same(float.RemFOp, ll.FRemOp),
  same(float.NegFOp, ll.FNegOp),
  same(minMax.MinNumFOp, ll.MinNumOp),
  same(minMax.MaxNumFOp, ll.MaxNumOp),
  same(minMax.MinSIOp, ll.SMinOp),
  same(minMax.MaxSIOp, ll.SMaxOp),
  same(minMax.MinUIOp, ll.UMinOp),
  same(minMax.MaxUIOp, ll.UMaxOp),
  same(math.FmaOp, ll.FMAOp),
  elementwise(minMax.MinimumFOp, (lo, _op, [operands], type) => propagatingNaN(lo, operands!, type, ll.MinimumOp, ll.MinNumOp)),
  elementwise(minMax.MaximumFOp, (lo, _op, [operands], type) => propagatingNaN(lo, operands!, type, ll.MaximumOp, ll.MaxNumOp)),
  elementwise(CmpIOp, ({ b }, op, [operands]) => b.icmp(CmpIOp.match(op)!.predicate as never, operands![0]!, operands![1]!)),
  elementwise(CmpFOp, ({ b }, op, [operands]) => b.fcmp(fcmpPredicate(CmpFOp.match(op)!.predicate), operands![0]!, operands![1]!)),
  elementwise(math.AbsIOp, ({ b }, _op, [operands], type) => b.value(ll.AbsOp, { in: operands![0]!, is_int_min_poison: false }, type)),
];

export const ELEMENTWISE: readonly LoweringRule[] = [
  ...CALCULATIONS.map(withoutFloat8),
  same(cast.BitcastOp, ll.BitcastOp),
  same(ttCast.BitcastOp, ll.BitcastOp),
  same(ttCast.IntToPtrOp, ll.IntToPtrOp),
  same(ttCast.PtrToIntOp, ll.PtrToIntOp),
  // A float of 8 bits is an integer: its sign is cleared.
  elementwise(math.AbsFOp, ({ b }, _op, [operands], type) =>
    isInteger(type) ? b.and(operands![0]!, b.int(type, 0x7f)) : b.op(ll.FAbsOp, [operands![0]!], type),
  ),
  elementwise(SelectOp, (lo, op, [operands]) => {
    // One condition for a whole tensor is there for the first element only.
    const [onTrue, onFalse] = operands!.slice(-2);
    const condition = operands!.length === 2 ? lo.value(op.operand(0)) : operands![0]!;
    return lo.b.op(ll.SelectOp, [condition, onTrue!, onFalse!], onTrue!.type, attrsWithHints(lo, op, ll.SelectOp));
  }),
  rule(AddPtrOp, ({ ptr, offset, result }, lo) => {
    const { b } = lo;
    const pointer = elementTypeOrSelf(result.type);
    const pointee = convertType(PointerType.is(pointer) ? pointer.params.pointeeType : pointer);
    const pointers = lo.elements(ptr);
    const offsets = lo.elements(offset);
    const type = convertType(pointer);
    const made = pointers.map((p, i) => b.gep(type, pointee, p, [offsets[i]!]));
    if (RankedTensorType.is(result.type)) lo.setElements(result, made);
    else lo.setValue(result, made[0]!);
  }),
  // The index type is i32 here.
  rule(cast.IndexCastOp, ({ in: input, out }, lo) => lo.setValue(out, asIndex(lo, input, out, true))),
  rule(cast.IndexCastUIOp, ({ in: input, out }, lo) => lo.setValue(out, asIndex(lo, input, out, false))),
];

function asIndex(lo: Lowering, input: Value, out: Value, signed: boolean): Value {
  const value = lo.value(input);
  const type = convertType(out.type);
  const [from, to] = [value.type, type].map((t) => IntegerType.params(t).width);
  if (from === to) return value;
  if (from! > to!) return lo.b.trunc(value, type);
  return signed ? lo.b.sext(value, type) : lo.b.zext(value, type);
}
