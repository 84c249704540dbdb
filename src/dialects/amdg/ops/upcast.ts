/** Floats of few bits to wider ones, times a scale. Source: TritonAMDGPUOps.td; Dialect.cpp. */
import type { Attribute } from "../../../ir/attribute.js";
import { FloatType, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import { anyOf, BoolAttr, F, F32, I8, I32Attr, rankedTensorOf } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { implement } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise, Pure, SameOperandsAndResultShape } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { Tensor } from "../../tt/constraints.js";
import { ScaleDotElemTypeAttr } from "../../tt/enums.js";
import { layoutRules } from "../../tt/infer-layout.js";
import { SameOperandsAndResultEncoding } from "../../tt/traits.js";
import { encodingParams } from "../../ttg/encodings/define-encoding.js";
import { sameShape } from "../../ttg/types.js";
import { UpcastFpOpInterface } from "../../ttg/upcast-fp.js";
import { fp4ShapeProblem } from "../../ttg/verify-fp4-to-fp.js";

const typeOf = (value: Value): TensorType => value.type as TensorType;
const CODE = "amdg.upcast";
const BF16 = F("bf16", "bfloat16 type");
const Wide = rankedTensorOf(anyOf("16-bit float or bfloat16 type or 32-bit float", F("f16", "16-bit float"), BF16, F32));
const Fp8 = rankedTensorOf(anyOf("f8E4M3FN type or f8E5M2 type", F("f8E4M3FN", "f8E4M3FN type"), F("f8E5M2", "f8E5M2 type")));
const SCALED = "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)";

/** The layout of the result from the layout of the packed input (`forward`), or the reverse. Upstream passes the input's shape both ways. */
function unpacked(op: Operation, encoding: Attribute, forward: boolean): Attribute | undefined {
  const { shape } = typeOf(op.operand(0)).params;
  return layoutRules(encoding).inferFp4ToFpOpEncoding(shape, I32Attr.read(op.attr("axis")!), encoding, forward, undefined);
}

export const ScaledUpcastFp4Op = defineOp("amdg.scaled_upcast_fp4", () => ({
  summary: "Upcast fp4 and then multiply scale",
  operands: { input: rankedTensorOf(I8), scale: rankedTensorOf(BF16) },
  attrs: { axis: I32Attr },
  results: { output: Wide },
  traits: [Pure],
  interfaces: [
    implement(UpcastFpOpInterface, {
      // The scale has the layout of the result.
      inferDstEncoding: (op, i, encoding) => (i === 1 ? encoding : unpacked(op, encoding, true)),
      inferSrcEncoding: (op, i, encoding) => (i === 1 ? encoding : unpacked(op, encoding, false)),
    }),
  ],
  format: SCALED,
  verify({ input, scale, output, axis }, report) {
    const { shape } = typeOf(output).params;
    const problem = sameShape(shape, typeOf(scale).params.shape)
      ? fp4ShapeProblem(typeOf(input).params.shape, shape, axis)
      : "scale and output should have the same shape";
    if (problem !== undefined) report.plain(problem, CODE);
  },
}));

export const ScaledUpcastFp8Op = defineOp("amdg.scaled_upcast_fp8", () => ({
  summary: "Upcast Fp8 and then multiply scale",
  operands: { input: Fp8, scale: rankedTensorOf(BF16) },
  results: { output: Wide },
  traits: [Pure, Elementwise, SameOperandsAndResultShape, SameOperandsAndResultEncoding],
  interfaces: [
    implement(UpcastFpOpInterface, {
      inferDstEncoding: (_op, _i, encoding) => encoding,
      inferSrcEncoding: (_op, _i, encoding) => encoding,
    }),
  ],
  format: SCALED,
}));

export const UpcastMXFPOp = defineOp("amdg.upcast_mxfp", () => ({
  summary: "Convert an mxfp tensor to bf16/fp16",
  operands: { src: Tensor, scale: Tensor },
  attrs: { fp_type: ScaleDotElemTypeAttr, fastMath: BoolAttr },
  results: { result: Tensor },
  traits: [Pure],
  format: "$src `,` $scale `fp_type` `=` $fp_type attr-dict `:` type($src) `,` type($scale) `->` type($result)",
  verify({ src, scale, fp_type: kind }, report) {
    const error = (message: string) => void report.error(message, CODE);
    const [x, s] = [typeOf(src).params, typeOf(scale).params];
    const isWide = isFloat(x.elementType, "bf16") || isFloat(x.elementType, "f16");
    const isNarrow = FloatType.is(x.elementType) && ["f8E4M3FN", "f8E5M2"].includes(x.elementType.params.kind);
    if (!isWide && !isNarrow && !isInteger(x.elementType, 8))
      return error("element type of the first operand must be bf16/fp16, OCP fp8/bf8 or i8");
    if (!isInteger(s.elementType, 8)) return error("element type of the second operand must be uint8");
    const rank = x.shape.length;
    if (rank !== s.shape.length || rank < 2) return error("operands must have the same number of dimensions, at least 2");
    if (kind !== "e2m1" && kind !== "e4m3" && kind !== "e5m2") return error("NYI: fpType must be E2M1, E4M3, or E5M2");
    if (!x.encoding !== !s.encoding) return error("Expected either both or neither operands to have an encoding");
    // Without layouts, the op was only made to infer its result type.
    if (!x.encoding) return;
    const dot = encodingParams(x.encoding);
    if (dot?.kind !== "dot_op") return error("Expected a DotOperandEncodingAttr for values");
    const layout = encodingParams(s.encoding)?.kind;
    if (layout !== "blocked" && layout !== "linear") return error("Expected a BlockOperandEncoding or LinearOperandEncoding for scales");
    const batch = rank === 3 ? 1 : 0;
    const [k, mn] = dot.opIdx === 0 ? [1 + batch, batch] : [batch, 1 + batch];
    if (x.shape[k] !== (kind === "e2m1" ? 16 : 32) * s.shape.at(-1)!)
      return error("K dimension of first operand must be 16 times larger than last/K dimension of the second operand");
    if (batch === 1 && x.shape[0] !== s.shape[0]) return error("batch dimension must match between operands");
    if (x.shape[mn] !== s.shape[batch]) error("M/N dimension must match between operands");
  },
}));
