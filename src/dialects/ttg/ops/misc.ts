/** Ops of the pipeliner, fp4, scratch memory and barriers. Source: TritonGPUOps.td; Ops.cpp. */
import { isFloat, RankedTensorType } from "../../../ir/builtin-types.js";
import {
  AnySignlessIntegerOrIndex,
  AnyType,
  I1,
  I8,
  I32Attr,
  rankedTensorOf,
  SizedRegion1,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { AllTypesMatch, HasParent, Pure, ReturnLike, SingleBlock, Terminator } from "../../../ir/traits.js";
import { FloatTensor, Ptr } from "../../tt/constraints.js";
import { GLOBAL_MEMORY } from "../../tt/tt-op.js";
import { ttgTraits } from "../ttg-op.js";
import { verifyFp4ToFp } from "../verify-fp4-to-fp.js";

export const PredicateStageOp = defineOp("ttg.predicate_stage", () => ({
  summary: "pipeliner stage predicate",
  operands: { iv: AnySignlessIntegerOrIndex, ub: AnySignlessIntegerOrIndex, step: AnySignlessIntegerOrIndex },
  attrs: { maxStage: I32Attr, stage: I32Attr },
  results: { result: I1 },
  traits: ttgTraits(Pure, AllTypesMatch("iv", "ub", "step")),
  format: "$iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` type($result)",
}));

export const MaskOp = defineOp("ttg.mask", () => ({
  summary: "mask op for pipelining",
  operands: { pred: I1 },
  results: { result: variadic(AnyType) },
  regions: { region: SizedRegion1 },
  traits: ttgTraits(SingleBlock),
}));

export const MaskReturnOp = defineOp("ttg.mask.return", () => ({
  summary: "terminator for mask operator",
  operands: { result: variadic(AnyType) },
  traits: ttgTraits(HasParent("ttg.mask"), Pure, Terminator, ReturnLike),
  format: "$result attr-dict `:` type($result)",
}));

export const Fp4ToFpOp = defineOp("ttg.fp4_to_fp", () => ({
  summary: "Upcast fp4 (e2m1) to fp",
  operands: { src: rankedTensorOf(I8) },
  attrs: { axis: I32Attr },
  results: { result: FloatTensor },
  traits: ttgTraits(Pure),
  format: "$src attr-dict `:` type($src) `->` type($result)",
  verify({ src, result, axis }, report) {
    const from = src.type;
    const to = result.type;
    if (!RankedTensorType.is(from) || !RankedTensorType.is(to)) return;
    const { elementType } = to.params;
    if (!isFloat(elementType, "bf16") && !isFloat(elementType, "f16"))
      report.plain(`only bf16 or f16 is supported for now, got '${typeText(elementType)}'`, "ttg.fp4-to-fp");
    else verifyFp4ToFp(from, to, axis, report);
  },
}));

export const GlobalScratchAllocOp = defineOp("ttg.global_scratch_alloc", () => ({
  summary: "allocate a global memory buffer",
  attrs: { nbytes: I32Attr, alignment: I32Attr, third_party_allocation: Unit, shared_cluster_state: Unit },
  results: { result: Ptr },
  traits: ttgTraits(),
  format: "attr-dict `:` qualified(type($result))",
  effects: ({ result }) => [{ kind: "allocate", value: result, resource: GLOBAL_MEMORY }],
}));

export const LocalBarrierOp = defineOp("ttg.local_barrier", () => ({
  summary: "Synchronizes execution and shared memory reads/writes for all threads in a CTA.",
  traits: ttgTraits(),
  format: "attr-dict",
}));
