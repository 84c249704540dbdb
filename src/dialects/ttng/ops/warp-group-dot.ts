/** wgmma. Source: TritonNvidiaGPUOps.td; Ops.cpp, WarpGroupDotOp. */
import type { Attribute, Type } from "../../../ir/attribute.js";
import { bitWidth, encodingOf, isFloat, isShaped, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import { anyOf, BoolAttr, defaultAttr, I1, I32Attr, optional, variadic } from "../../../ir/constraints.js";
import { defineOp, type MemoryEffect, type View } from "../../../ir/define-op.js";
import { implement } from "../../../ir/interfaces.js";
import { TypesMatchWith } from "../../../ir/traits.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { FpIntTensor } from "../../tt/constraints.js";
import { InputPrecisionAttr } from "../../tt/enums.js";
import { layoutRules } from "../../tt/infer-layout.js";
import { DotOpInterface, DotOpTrait, shapeOf } from "../../tt/op-interfaces.js";
import { encodingParams } from "../../ttg/encodings/define-encoding.js";
import { maybeLookupNumWarps } from "../../ttg/num-warps.js";
import { supportMMAOperand } from "../../ttg/support-mma.js";
import { readsShared } from "../../ttg/ttg-op.js";
import { MemDescOperand, MemDescType } from "../../ttg/types.js";
import { ttngTraits } from "../ttng-op.js";

const TensorOrMemDesc = anyOf(
  "ranked tensor or memory descriptor",
  { description: "", test: (t) => RankedTensorType.is(t) },
  MemDescOperand,
);

/** The encoding of a tensor or a buffer. */
const encodingIn = (type: Type): Attribute | undefined => MemDescType.match(type)?.params.encoding ?? encodingOf(type);

export const WarpGroupDotOp = defineOp("ttng.warp_group_dot", () => ({
  summary: "warp group dot",
  operands: { a: TensorOrMemDesc, b: MemDescOperand, c: FpIntTensor, useC: optional(I1) },
  attrs: {
    inputPrecision: defaultAttr(InputPrecisionAttr, "ieee"),
    maxNumImpreciseAcc: defaultAttr(I32Attr, 0),
    isAsync: defaultAttr(BoolAttr, false),
  },
  results: { d: FpIntTensor },
  traits: ttngTraits(
    DotOpTrait,
    TypesMatchWith("result's type matches accumulator's type", "d", "c", (t) => t),
  ),
  interfaces: [
    implement(DotOpInterface, {
      a: (op) => op.operand(0),
      b: (op) => op.operand(1),
      d: (op) => op.result(0),
      verifyDims: (op) => {
        const a = shapeOf(op.operand(0));
        return a.at(-1) === shapeOf(op.operand(1))[a.length - 2];
      },
    }),
  ],
  format: "$a`,` $b`,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)",
  inferTypes({ operands, report }) {
    const acc = operands[2]!.type as TensorType;
    const [a, b] = [0, 1].map((i) => encodingIn(operands[i]!.type));
    const result = encodingOf(acc);
    if (a && b && result) {
      const fits = layoutRules(a).inferDotOpEncoding(a, 0, result, report) && layoutRules(b).inferDotOpEncoding(b, 1, result, report);
      if (!fits) return undefined;
    }
    return [acc];
  },
  verify({ op, a, b, d, maxNumImpreciseAcc }, report) {
    const error = (message: string) => void report.error(message, "ttng.wgmma");
    const result = d.type as TensorType;
    const mma = encodingParams(result.params.encoding);
    if (mma?.kind !== "nvidia_mma" || mma.versionMajor !== 3) return error("WGMMA result layout must be Hopper NVMMA");
    const kinds = [a, b].map((v) => encodingParams(encodingIn(v.type))?.kind ?? "");
    if (!["nvmma_shared", "dot_op", "shared_linear"].includes(kinds[0]!))
      return error("WGMMA A operand must have NVMMA shared or dot layout");
    if (!["nvmma_shared", "shared_linear"].includes(kinds[1]!)) return error("WGMMA B operand must have NVMMA shared layout");
    if ((maybeLookupNumWarps(op) ?? 4) % 4 !== 0) return error("WGMMA requires num_warps to be divisible by 4");
    const shape = getShapePerCTAOf(mma, result.params.shape);
    if (shape.length !== 2) return error("WGMMA result shape must be 2D");
    if (shape[0]! % 64 !== 0) return error("WGMMA result M dimension must be divisible by 64");
    if (shape[1]! % 8 !== 0) return error("WGMMA result N dimension must be divisible by 8");
    if (![a, b].every((v) => supportMMAOperand(v.type, mma.versionMajor))) return error("unsupported MMA version for the given operands");
    const element = isShaped(a.type) ? a.type.params.elementType : a.type;
    const isFp8 = isFloat(element, "f8E5M2") || isFloat(element, "f8E4M3FN");
    if (maxNumImpreciseAcc < 32 && isFp8 && isFloat(result.params.elementType, "f32"))
      return error("Cannot use F32 as the accumulator element type when the max_num_imprecise_acc is less than 32");
    const inRegisters = RankedTensorType.is(a.type) ? encodingParams(a.type.params.encoding) : undefined;
    if (inRegisters?.kind !== "dot_op") return;
    const kWidth = 32 / bitWidth(element)!;
    if (inRegisters.kWidth !== kWidth) error(`in-register LHS operand must have a kWidth of ${kWidth} but got ${inRegisters.kWidth}`);
  },
  effects({ a, b }): readonly MemoryEffect[] {
    return [a, b].filter((v) => MemDescType.is(v.type)).map(readsShared);
  },
}));

/** Whether a dot of fp8 sums in parts, as its instructions add up so many products only roughly. */
export function needsPartialAccumulator({ a, d, maxNumImpreciseAcc }: View<typeof WarpGroupDotOp>): boolean {
  const { elementType, shape } = (a.type as TensorType).params;
  const isFp8 = (["f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ"] as const).some((kind) => isFloat(elementType, kind));
  return isFp8 && isFloat((d.type as TensorType).params.elementType, "f32") && maxNumImpreciseAcc <= shape[1]!;
}

export const WarpGroupDotWaitOp = defineOp("ttng.warp_group_dot_wait", () => ({
  summary: "warp group dot wait",
  operands: { inputs: variadic(TensorOrMemDesc) },
  attrs: { pendings: I32Attr },
  results: { outputs: variadic(TensorOrMemDesc) },
  traits: ttngTraits(),
  format: "$inputs attr-dict `:` type($inputs)",
  inferTypes: ({ operands }) => operands.map((o) => o.type),
  verify({ op, inputs, outputs }, report) {
    if (op.numOperands === 0) report.error("expected to be waiting on at least one dependency", "ttng.wgmma");
    else if (inputs.length !== outputs.length || inputs.some((v, i) => v.type !== outputs[i]!.type))
      report.error("failed to verify that all of {inputs, outputs} have same type", "ttng.wgmma");
  },
}));
