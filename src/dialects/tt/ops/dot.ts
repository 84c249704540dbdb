/** Matrix products. */
import { bitWidth, isFloat, type TensorType } from "../../../ir/builtin-types.js";
import { BoolAttr, defaultAttr, I32Attr, optional } from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { implement } from "../../../ir/interfaces.js";
import { AttrSizedOperandSegments, InferTypeOpInterface, Pure, TypesMatchWith } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { FloatOrI8Tensor, FloatTensor, FpIntTensor } from "../constraints.js";
import { InputPrecisionAttr, ScaleDotElemTypeAttr } from "../enums.js";
import { inferLayoutOf } from "../infer-layout.js";
import { DotOpInterface, DotOpTrait, shapeOf } from "../op-interfaces.js";
import { type ScaledShape, scaleFactorOf } from "../scale-factor.js";
import { ttTraits } from "../tt-op.js";

const paramsOf = (value: Value) => (value.type as TensorType).params;
export const ResultIsAccumulator = TypesMatchWith("result's type matches accumulator's type", "d", "c", (type) => type);

/** A product of the first two operands, whole. */
export const PlainDot = implement(DotOpInterface, {
  a: (op) => op.operand(0),
  b: (op) => op.operand(1),
  d: (op) => op.result(0),
  verifyDims(op) {
    const a = shapeOf(op.operand(0));
    return a.at(-1) === shapeOf(op.operand(1))[a.length - 2];
  },
});

/** Source: TritonOps.td, TT_DotOp. */
export const DotOp = defineOp("tt.dot", () => ({
  summary: "dot",
  operands: { a: FpIntTensor, b: FpIntTensor, c: FpIntTensor },
  attrs: { inputPrecision: defaultAttr(InputPrecisionAttr, "ieee"), maxNumImpreciseAcc: defaultAttr(I32Attr, 0) },
  results: { d: FpIntTensor },
  traits: ttTraits(Pure, InferTypeOpInterface, DotOpTrait, ResultIsAccumulator),
  interfaces: [PlainDot],
  format: `
    $a\`,\` $b\`,\` $c (\`,\` \`inputPrecision\` \`=\` $inputPrecision^)? attr-dict \`:\`
    type($a) \`*\` type($b) \`->\` type($d)`,
  inferTypes({ view, report }) {
    const [a, b, c] = [paramsOf(view.a), paramsOf(view.b), paramsOf(view.c)];
    if (a.encoding && b.encoding && c.encoding) {
      const rules = inferLayoutOf(c.encoding, report);
      if (!rules?.inferDotOpEncoding(a.encoding, 0, c.encoding, report)) return undefined;
      if (!rules.inferDotOpEncoding(b.encoding, 1, c.encoding, report)) return undefined;
    }
    return [view.c.type];
  },
  verify({ op, a, b, c }, report) {
    const [pa, pb, pc] = [paramsOf(a), paramsOf(b), paramsOf(c)];
    const error = (message: string) => void report.plain(message, "tt.dot");
    if (bitWidth(pa.elementType) !== bitWidth(pb.elementType)) return error("element types of operands A and B must have same bit width");
    if (!pa.encoding && !pb.encoding) return;
    if (!pa.encoding || !pb.encoding) return error("mismatching encoding between A and B operands");
    if (!pc.encoding) return error("miss encoding of C operand");
    inferLayoutOf(pc.encoding, error)?.verifyDotOpEncodingCompatibility(op, pa.encoding, pb.encoding, error);
  },
}));

/** A product of operands with a scale for each block of elements (microscaling). Source: TritonOps.td, TT_DotScaledOp. */
export const DotScaledOp = defineOp("tt.dot_scaled", () => ({
  summary: "dot_scaled",
  operands: {
    a: FloatOrI8Tensor,
    b: FloatOrI8Tensor,
    c: FloatTensor,
    a_scale: optional(FloatOrI8Tensor),
    b_scale: optional(FloatOrI8Tensor),
  },
  attrs: {
    a_elem_type: ScaleDotElemTypeAttr,
    b_elem_type: ScaleDotElemTypeAttr,
    fastMath: BoolAttr,
    lhs_k_pack: defaultAttr(BoolAttr, true),
    rhs_k_pack: defaultAttr(BoolAttr, true),
  },
  results: { d: FloatTensor },
  traits: ttTraits(Pure, AttrSizedOperandSegments, DotOpTrait, ResultIsAccumulator),
  interfaces: [
    implement(DotOpInterface, {
      a: (op) => op.operand(0),
      b: (op) => op.operand(1),
      d: (op) => op.result(0),
      verifyDims(op) {
        const { a, b } = scaledDims(DotScaledOp.match(op)!);
        return a.k === b.k;
      },
      verifyOutputDims(op) {
        const { a, b } = scaledDims(DotScaledOp.match(op)!);
        const c = shapeOf(op.operand(2));
        return a.outer === c.at(-2) && b.outer === c.at(-1);
      },
    }),
  ],
  format: `
    $a (\`scale\` $a_scale^)? \`,\` $b (\`scale\` $b_scale^)? \`,\` $c
    \`lhs\` \`=\` $a_elem_type \`rhs\` \`=\` $b_elem_type attr-dict
    \`:\` type($a) (\`,\` type($a_scale)^)? \`*\` type($b) (\`,\` type($b_scale)^)? \`->\` type($d)`,
  verify(view, report) {
    const { a, c, a_scale, b_scale } = view;
    const rank = shapeOf(a).length;
    const { k } = scaledDims(view).a;
    const deduced = a.type.ctx.triton.generalScaledDots ? scaleFactor(view) : undefined;
    if (typeof deduced === "string") return void report.plain(deduced, "tt.dot_scaled");
    const check = (scale: Value | undefined, outer: number, name: string): boolean => {
      if (!scale) return true;
      const shape = shapeOf(scale);
      if (shape[rank - 2] !== outer) {
        report.plain(`scales ${name} dimension must match the operand ${name} dimension`, "tt.dot_scaled");
        return false;
      }
      const factor = deduced ?? (isFloat(paramsOf(scale).elementType, "f8E4M3FN") ? 16 : 32);
      if (shape[rank - 1] === Math.trunc(k / factor)) return true;
      report.plain("scales K dimension must match the operand K divided by the scale factor", "tt.dot_scaled");
      return false;
    };
    if (check(a_scale, shapeOf(c).at(-2)!, "M")) check(b_scale, shapeOf(c).at(-1)!, "N");
  },
}));

/** How many elements share a scale, by the shapes; upstream's complaint where they do not fit. */
export function scaleFactor(view: View<typeof DotScaledOp>): number | string {
  const of = (value: Value, scale: Value | undefined, elemType: string, kPack: boolean): ScaledShape => ({
    shape: shapeOf(value),
    scales: scale && shapeOf(scale),
    packsK: elemType === "e2m1" && kPack,
  });
  const lhs = of(view.a, view.a_scale, view.a_elem_type, view.lhs_k_pack);
  return scaleFactorOf(lhs, of(view.b, view.b_scale, view.b_elem_type, view.rhs_k_pack));
}

/** The extents of both operands in elements: fp4 holds two in a byte, along K or along the other dimension. */
function scaledDims(view: View<typeof DotScaledOp>): { a: { k: number; outer: number }; b: { k: number; outer: number } } {
  const a = shapeOf(view.a);
  const b = shapeOf(view.b);
  const packing = (elemType: string, kPack: boolean) => (elemType !== "e2m1" ? [1, 1] : kPack ? [2, 1] : [1, 2]) as [number, number];
  const [aK, aOuter] = packing(view.a_elem_type, view.lhs_k_pack);
  const [bK, bOuter] = packing(view.b_elem_type, view.rhs_k_pack);
  return {
    a: { k: a.at(-1)! * aK, outer: a.at(-2)! * aOuter },
    b: { k: b[a.length - 2]! * bK, outer: b.at(-1)! * bOuter },
  };
}
