/** Casts. Those between numbers that arith can do are arith's. */
import { DenseElementsAttr, denseElements, FloatAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, FLOAT_FORMATS, FloatType, RankedTensorType } from "../../../ir/builtin-types.js";
import { optionalAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { Elementwise, Pure, SameOperandsAndResultShape } from "../../../ir/traits.js";
import { FloatLike, I64Like, PtrLike, TritonType } from "../constraints.js";
import { RoundingModeAttr } from "../enums.js";
import { SameOperandsAndResultEncoding } from "../traits.js";
import { ttTraits } from "../tt-op.js";
import { getAddressSpace, PointerType } from "../types.js";

const castTraits = ttTraits(Elementwise, SameOperandsAndResultShape, SameOperandsAndResultEncoding, Pure);

/** Source: TritonOps.td, TT_IntToPtrOp. */
export const IntToPtrOp = defineOp("tt.int_to_ptr", () => ({
  summary: "Cast int64 to pointer",
  operands: { src: I64Like },
  results: { result: PtrLike },
  traits: castTraits,
  format: "$src attr-dict `:` type($src) `->` type($result)",
}));

/** Source: TritonOps.td, TT_PtrToIntOp. */
export const PtrToIntOp = defineOp("tt.ptr_to_int", () => ({
  summary: "Cast pointer to int64",
  operands: { src: PtrLike },
  results: { result: I64Like },
  traits: castTraits,
  format: "$src attr-dict `:` type($src) `->` type($result)",
}));

/** As arith.bitcast, and between pointers. Source: TritonOps.td, TT_BitcastOp. */
export const BitcastOp = defineOp("tt.bitcast", () => ({
  summary: "Cast between types of the same bitwidth",
  operands: { src: TritonType },
  results: { result: TritonType },
  traits: castTraits,
  format: "$src attr-dict `:` type($src) `->` type($result)",
  fold: ({ src, result }) => (src.type === result.type && result.type.ctx.triton.foldsBitcasts ? src : undefined),
  verifyDependsOn: "types and attributes",
  verify({ src, result }, report) {
    const from = RankedTensorType.is(src.type) ? src.type.params.elementType : src.type;
    const to = RankedTensorType.is(result.type) ? result.type.params.elementType : result.type;
    if (PointerType.is(from) !== PointerType.is(to)) return void report.plain("Cannot bitcast pointer to non-pointer type", "tt.bitcast");
    if (PointerType.is(from)) {
      if (getAddressSpace(from) !== getAddressSpace(to))
        report.plain("Cannot bitcast pointer between different address spaces", "tt.bitcast");
      return;
    }
    const [fromBits, toBits] = [bitWidth(from), bitWidth(to)];
    if (fromBits !== toBits) report.plain(`Cannot bitcast data-type of size ${fromBits} to data-type of size ${toBits}`, "tt.bitcast");
  },
}));

/** Casts from and to 8-bit floats, and those with a rounding mode. Source: TritonOps.td, TT_FpToFpOp. */
export const FpToFpOp = defineOp("tt.fp_to_fp", () => ({
  summary: "Floating point casting for custom types",
  operands: { src: FloatLike },
  attrs: { rounding: optionalAttr(RoundingModeAttr) },
  results: { result: FloatLike },
  traits: castTraits,
  format: "$src attr-dict  (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ src, result, rounding }, report) {
    const from = bitWidth(elementTypeOrSelf(src.type))!;
    const to = bitWidth(elementTypeOrSelf(result.type))!;
    if (to < from && rounding === undefined) report.plain("Rounding mode is required for FP downcast", "tt.fp_to_fp");
  },
  // A cast to the same type is none; a zero of either sign stays one.
  fold({ src, result }, [constant]): FoldResult {
    if (src.type === result.type) return src;
    const zero = zeroSign(constant);
    const element = elementTypeOrSelf(result.type);
    if (zero === undefined || !FloatType.is(element)) return undefined;
    const format = FLOAT_FORMATS[element.params.kind];
    const hasNegativeZero = (format.special as string) !== "negZero";
    const bits = zero < 0 && hasNegativeZero ? 1n << BigInt(format.width - 1) : 0n;
    if (RankedTensorType.is(result.type)) return denseElements(result.type, [bits]);
    return FloatAttr.get(element.ctx, { bits, type: element });
  },
}));

/** 1 for +0, -1 for -0 (or a splat of it), undefined for anything else. */
function zeroSign(constant: Parameters<typeof FloatAttr.is>[0]): 1 | -1 | undefined {
  let bits: bigint | undefined;
  let type: unknown;
  if (FloatAttr.is(constant)) ({ bits, type } = constant.params);
  else if (DenseElementsAttr.is(constant) && constant.params.splat) {
    bits = constant.params.elements[0];
    type = elementTypeOrSelf(constant.params.type);
  }
  if (bits === undefined || !FloatType.is(type as never)) return undefined;
  const { width, special } = FLOAT_FORMATS[(type as ReturnType<typeof FloatType.get>).params.kind];
  if (bits === 0n) return 1;
  return bits === 1n << BigInt(width - 1) && (special as string) !== "negZero" ? -1 : undefined;
}
