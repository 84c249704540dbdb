/** Dots by the instructions of the result's layout. Source: third_party/amd/lib/TritonAMDGPUToLLVM/DotOpToLLVM.cpp. */
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { LoweringRule } from "./amd-lowering.js";
import { lowerMfma, lowerScaledMfma } from "./mfma.js";

const UNKNOWN = (kind: string): string => `a dot whose result has a ${kind} layout cannot be lowered`;

export const DOTS: readonly LoweringRule[] = [
  rule(DotOp, ({ op, d }, lo) => {
    const encoding = distributedParams((d.type as TensorType).params.encoding)!;
    return encoding.kind === "amd_mfma" ? lowerMfma(lo, op, encoding) : lo.fail(op, UNKNOWN(encoding.kind), "lower.mma");
  }),
  rule(DotScaledOp, ({ op, d }, lo) => {
    const encoding = distributedParams((d.type as TensorType).params.encoding)!;
    return encoding.kind === "amd_mfma" ? lowerScaledMfma(lo, op, encoding) : lo.fail(op, UNKNOWN(encoding.kind), "lower.mma");
  }),
];
