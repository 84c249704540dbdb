/**
 * Integer and floating-point arithmetic. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp.
 */
import type { Attribute } from "../../../ir/attribute.js";
import { IntegerAttr, intAttr, wrapInt } from "../../../ir/builtin-attrs.js";
import { bitWidth } from "../../../ir/builtin-types.js";
import { type AttrSpec, Unit } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { ConditionallySpeculatable, implement } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import { Commutative, Pure, SameOperandsAndResultType } from "../../../ir/traits.js";
import { Fastmath, OverflowFlags } from "../constraints.js";
import { FloatOrVector, IntOrVector, LLVMType } from "../type-constraints.js";

const operands = { lhs: IntOrVector, rhs: IntOrVector };
const results = { res: IntOrVector };
const pure = [SameOperandsAndResultType, Pure];

const plain = (name: string) =>
  defineOp(`llvm.${name}`, () => ({ operands, results, traits: pure, format: "$lhs `,` $rhs attr-dict `:` type($res)" }));
export const AndOp = plain("and");
export const XOrOp = plain("xor");
export const URemOp = plain("urem");
export const SRemOp = plain("srem");

/** Operations whose result is poison when it does not fit, if they say so. */
const OVERFLOW = {
  operands,
  attrs: { overflowFlags: OverflowFlags },
  results,
  format: "$lhs `,` $rhs ($overflowFlags^)? attr-dict `:` type($res)",
};
export const AddOp = defineOp("llvm.add", () => ({ ...OVERFLOW, traits: [...pure, Commutative] }));
export const SubOp = defineOp("llvm.sub", () => ({ ...OVERFLOW, traits: pure }));
export const MulOp = defineOp("llvm.mul", () => ({ ...OVERFLOW, traits: [...pure, Commutative] }));
export const ShlOp = defineOp("llvm.shl", () => ({
  ...OVERFLOW,
  traits: pure,
  fold({ lhs, res }, [left, right]): FoldResult {
    const amount = unsigned(right);
    const width = bitWidth(lhs.type);
    if (amount === undefined || width === undefined || amount >= BigInt(width) || !IntegerAttr.is(left)) return undefined;
    return intAttr(res.type, wrapInt(left.params.value << amount, res.type));
  },
}));

/** Operations that may promise that no bits are lost. */
const EXACT = {
  operands,
  attrs: { isExact: Unit },
  results,
  format: "(`exact` $isExact^)? $lhs `,` $rhs attr-dict `:` type($res)",
};
export const LShrOp = defineOp("llvm.lshr", () => ({ ...EXACT, traits: pure }));
export const AShrOp = defineOp("llvm.ashr", () => ({ ...EXACT, traits: pure }));
/** Without effects. The MLIR of Triton 3.6 lets it be done early whatever the divisor is; later ones only where it cannot be undefined. */
const division = (name: string, isSafe: (divisor: bigint) => boolean) =>
  defineOp(`llvm.${name}`, () => ({
    ...EXACT,
    traits: [SameOperandsAndResultType],
    effects: () => [],
    interfaces: [
      implement(ConditionallySpeculatable, {
        speculatable: (op) => {
          const divisor = constantInt(op.operand(1));
          return !op.ctx.triton.keepsUnsafeDivisions || (divisor !== undefined && isSafe(divisor)) ? "yes" : "no";
        },
      }),
    ],
  }));
export const UDivOp = division("udiv", (divisor) => divisor !== 0n);
export const SDivOp = division("sdiv", (divisor) => divisor !== 0n && divisor !== -1n);

export const OrOp = defineOp("llvm.or", () => ({
  operands,
  attrs: { isDisjoint: Unit },
  results,
  traits: pure,
  format: "(`disjoint` $isDisjoint^)? $lhs `,` $rhs attr-dict `:` type($res)",
  fold({ res }, [left, right]): FoldResult {
    if (!IntegerAttr.is(left) || !IntegerAttr.is(right)) return undefined;
    return intAttr(res.type, left.params.value | right.params.value);
  },
}));

/** The value of an integer constant, taken as unsigned. */
function unsigned(attr: Attribute | undefined): bigint | undefined {
  return IntegerAttr.is(attr) ? BigInt.asUintN(bitWidth(attr.params.type) ?? 64, attr.params.value) : undefined;
}

// --- floating point --------------------------------------------------------------------------

const fastmath: { readonly fastmathFlags: AttrSpec<number, false> } = { fastmathFlags: Fastmath };
const floatBinary = (name: string) =>
  defineOp(`llvm.${name}`, () => ({
    operands: { lhs: FloatOrVector, rhs: FloatOrVector },
    attrs: fastmath,
    results: { res: FloatOrVector },
    traits: pure,
    format: "$lhs `,` $rhs attr-dict `:` type($res)",
  }));
export const FAddOp = floatBinary("fadd");
export const FSubOp = floatBinary("fsub");
export const FMulOp = floatBinary("fmul");
export const FDivOp = floatBinary("fdiv");
export const FRemOp = floatBinary("frem");
export const FNegOp = defineOp("llvm.fneg", () => ({
  operands: { operand: FloatOrVector },
  attrs: fastmath,
  results: { res: FloatOrVector },
  traits: pure,
  format: "$operand attr-dict `:` type($res)",
}));

export const FreezeOp = defineOp("llvm.freeze", () => ({
  operands: { val: LLVMType },
  results: { res: LLVMType },
  traits: pure,
  format: "$val attr-dict `:` type($val)",
}));
