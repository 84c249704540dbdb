/** Cluster launch control of Blackwell: a running cluster takes over one that has not been launched (since 3.8). Source: TritonNvidiaGPUOps.td; Ops.cpp. */
import { I, I1, I32 } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { ProgramDim } from "../../tt/enums.js";
import { toLinearLayout } from "../../ttg/encodings/define-encoding.js";
import { readsShared, verifyBarrierType, writesShared } from "../../ttg/ttg-op.js";
import { MemDescOperand } from "../../ttg/types.js";
import { basesText, descOf, ttngTraits, verifyCompletionBarrier } from "../ttng-op.js";

const I128 = I(128);

export const CLCTryCancelOp = defineOp("ttng.clc_try_cancel", () => ({
  summary: "Issue CLC try_cancel to cancel a pending cluster",
  operands: { result: MemDescOperand, mbarrier: MemDescOperand },
  traits: ttngTraits(),
  format: "$result `,` $mbarrier attr-dict `:` qualified(type($result)) `,` qualified(type($mbarrier))",
  verify({ op, result, mbarrier }, report) {
    const { shape, encoding } = descOf(result).params;
    const bases = toLinearLayout(shape, encoding).getInDimBases("block");
    if (bases.some((basis) => basis.some((b) => b !== 0)))
      report.plain(`Expected CLC result buffer cga_layout bases to be all zeros. Got ${basesText(bases)}`, "ttng.cluster");
    else if (verifyBarrierType(op, mbarrier, report)) verifyCompletionBarrier(op, mbarrier, report);
  },
  effects: ({ result, mbarrier }) => [writesShared(result), writesShared(mbarrier)],
}));
export const CLCLoadResultOp = defineOp("ttng.clc_load_result", () => ({
  summary: "Load CLC response from shared memory into registers",
  operands: { src: MemDescOperand },
  results: { clcResult: I128 },
  traits: ttngTraits(),
  format: "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)",
  effects: ({ src }) => [readsShared(src)],
}));
export const CLCIsCanceledOp = defineOp("ttng.clc_is_canceled", () => ({
  summary: "Check if CLC response indicates successful cancellation",
  operands: { clcResult: I128 },
  results: { is_canceled: I1 },
  traits: ttngTraits(Pure),
  format: "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)",
}));
export const CLCGetProgramIdOp = defineOp("ttng.clc_get_program_id", () => ({
  summary: "Get program ID coordinate from CLC response",
  operands: { clcResult: I128 },
  attrs: { dim: ProgramDim },
  results: { result: I32 },
  traits: ttngTraits(Pure),
  format: "$clcResult `,` $dim attr-dict `:` type($clcResult) `->` type($result)",
}));
