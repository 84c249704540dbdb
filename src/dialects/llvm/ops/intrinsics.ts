/** Intrinsics that compute: `llvm.intr.*` of integers and floats. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td. */
import { AnySignlessInteger, BoolAttr, I32Attr, type TypeConstraint } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { Pure, SameOperandsAndResultType, SameOperandsElementType, SameTypeOperands } from "../../../ir/traits.js";
import { Fastmath } from "../constraints.js";
import { FloatOrVector, IntOrVector, LLVMFloat, LLVMType } from "../type-constraints.js";
import { LLVMStructType, structElements } from "../types/types.js";

const FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
const results = { res: LLVMType };
const same = [Pure, SameOperandsAndResultType];
const attrs = { fastmathFlags: Fastmath };

const unaryI = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { in: IntOrVector }, results, traits: same, format: FORMAT }));
const unaryF = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { in: FloatOrVector }, attrs, results, traits: same, format: FORMAT }));
const binaryI = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { a: IntOrVector, b: IntOrVector }, results, traits: same, format: FORMAT }));
const binaryF = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { a: FloatOrVector, b: FloatOrVector }, attrs, results, traits: same, format: FORMAT }));
const ternaryI = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({
    operands: { a: IntOrVector, b: IntOrVector, c: IntOrVector },
    results,
    traits: same,
    format: FORMAT,
  }));
const ternaryF = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({
    operands: { a: FloatOrVector, b: FloatOrVector, c: FloatOrVector },
    attrs,
    results,
    traits: same,
    format: FORMAT,
  }));

export const ACosOp = unaryF("acos");
export const ASinOp = unaryF("asin");
export const ATanOp = unaryF("atan");
export const CosOp = unaryF("cos");
export const CoshOp = unaryF("cosh");
export const ExpOp = unaryF("exp");
export const Exp10Op = unaryF("exp10");
export const Exp2Op = unaryF("exp2");
export const FAbsOp = unaryF("fabs");
export const FCeilOp = unaryF("ceil");
export const FFloorOp = unaryF("floor");
export const FTruncOp = unaryF("trunc");
export const LogOp = unaryF("log");
export const Log10Op = unaryF("log10");
export const Log2Op = unaryF("log2");
export const NearbyintOp = unaryF("nearbyint");
export const RintOp = unaryF("rint");
export const RoundOp = unaryF("round");
export const RoundEvenOp = unaryF("roundeven");
export const SinOp = unaryF("sin");
export const SinhOp = unaryF("sinh");
export const SqrtOp = unaryF("sqrt");
export const TanOp = unaryF("tan");
export const TanhOp = unaryF("tanh");
export const ATan2Op = binaryF("atan2");
export const CopySignOp = binaryF("copysign");
export const MaximumOp = binaryF("maximum");
export const MaxNumOp = binaryF("maxnum");
export const MinimumOp = binaryF("minimum");
export const MinNumOp = binaryF("minnum");
export const PowOp = binaryF("pow");
export const FMAOp = ternaryF("fma");
export const FMulAddOp = ternaryF("fmuladd");

export const BitReverseOp = unaryI("bitreverse");
export const ByteSwapOp = unaryI("bswap");
export const CtPopOp = unaryI("ctpop");
export const SAddSatOp = binaryI("sadd.sat");
export const SMaxOp = binaryI("smax");
export const SMinOp = binaryI("smin");
export const SSHLSatOp = binaryI("sshl.sat");
export const SSubSatOp = binaryI("ssub.sat");
export const UAddSatOp = binaryI("uadd.sat");
export const UMaxOp = binaryI("umax");
export const UMinOp = binaryI("umin");
export const USHLSatOp = binaryI("ushl.sat");
export const USubSatOp = binaryI("usub.sat");
export const FshlOp = ternaryI("fshl");
export const FshrOp = ternaryI("fshr");

/** Three-way comparison: -1, 0 or 1. */
const compare = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({
    operands: { a: IntOrVector, b: IntOrVector },
    results: { res: IntOrVector },
    traits: [Pure, SameTypeOperands],
    format: FORMAT,
  }));
export const SCmpOp = compare("scmp");
export const UCmpOp = compare("ucmp");

/** Rounds to an integer type. */
const toInteger = (name: string, val: TypeConstraint) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { val }, results, traits: [Pure], format: FORMAT }));
export const LrintOp = toInteger("lrint", FloatOrVector);
export const LlrintOp = toInteger("llrint", FloatOrVector);
export const LroundOp = toInteger("lround", FloatOrVector);
export const LlroundOp = toInteger("llround", LLVMFloat);

const withPower = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({
    operands: { val: FloatOrVector, power: AnySignlessInteger },
    attrs,
    results,
    traits: [Pure],
    format: FORMAT,
  }));
export const LoadExpOp = withPower("ldexp");
export const PowIOp = withPower("powi");
export const FractionExpOp = defineOp("llvm.intr.frexp", () => ({
  operands: { val: FloatOrVector },
  attrs,
  results,
  traits: [Pure],
  format: FORMAT,
}));
export const SincosOp = defineOp("llvm.intr.sincos", () => ({
  operands: { val: FloatOrVector },
  attrs,
  results,
  traits: [Pure],
  format: FORMAT,
  verify({ val, res }, report) {
    const elements = LLVMStructType.is(res.type) ? structElements(res.type) : [];
    if (elements.length !== 2 || elements.some((t) => t !== val.type))
      report.error(
        `expected result type to be an homogeneous struct with two elements matching the operand type, but got '${typeText(res.type)}'`,
      );
  },
}));

// --- without a custom form -------------------------------------------------------------------

export const AbsOp = defineOp("llvm.intr.abs", () => ({
  operands: { in: IntOrVector },
  attrs: { is_int_min_poison: BoolAttr },
  results,
  traits: [Pure],
}));
const countZeros = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { in: IntOrVector }, attrs: { is_zero_poison: BoolAttr }, results, traits: same }));
export const CountLeadingZerosOp = countZeros("ctlz");
export const CountTrailingZerosOp = countZeros("cttz");
export const IsFPClass = defineOp("llvm.intr.is.fpclass", () => ({
  operands: { in: FloatOrVector },
  attrs: { bit: I32Attr },
  results,
  traits: [Pure],
}));
const withOverflow = (name: string) =>
  defineOp(`llvm.intr.${name}.with.overflow`, () => ({
    operands: { a: IntOrVector, b: IntOrVector },
    results,
    traits: [Pure, SameOperandsElementType],
  }));
export const SAddWithOverflowOp = withOverflow("sadd");
export const SMulWithOverflowOp = withOverflow("smul");
export const SSubWithOverflowOp = withOverflow("ssub");
export const UAddWithOverflowOp = withOverflow("uadd");
export const UMulWithOverflowOp = withOverflow("umul");
export const USubWithOverflowOp = withOverflow("usub");
