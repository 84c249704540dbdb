/** Copies by the tensor data mover of gfx1250. Source: TritonAMDGPUOps.td; Dialect.cpp. */
import { bitWidth } from "../../../ir/builtin-types.js";
import { I1, I32, I32Attr, optional, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { PaddedSharedParams } from "../../../layout/encoding-params.js";
import { TensorDesc } from "../../tt/constraints.js";
import { readsGlobal, writesGlobal } from "../../tt/tt-op.js";
import { TensorDescType } from "../../tt/types.js";
import { encodingParams } from "../../ttg/encodings/define-encoding.js";
import { readsShared, writesShared } from "../../ttg/ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand } from "../../ttg/types.js";

const MAX_BLOCK = 65535;
const DWORD = 32;

/** A buffer that TDM can copy: rows that may be padded, where `padding` allows it, and are not swizzled. Returns the padding. */
function verifyBuffer(desc: Value, buffer: Value, padding: boolean, report: OpReport): PaddedSharedParams | undefined {
  const error = (message: string): undefined => void report.error(message, "amdg.tdm");
  const { shape } = TensorDescType.params(desc.type).blockType.params;
  const large = shape.findIndex((extent) => extent > MAX_BLOCK);
  if (large >= 0) return error(`TDM block dimension ${large} (${shape[large]}) exceeds maximum size of ${MAX_BLOCK}`);
  const params = encodingParams((buffer.type as MemDesc).params.encoding);
  if (params?.kind === "swizzled_shared") return params.maxPhase === 1 ? undefined : error("TDM does not support swizzling");
  if (params?.kind !== "padded_shared") return error("Invalid shared memory layout for TDM");
  return padding ? params : error("TDM store does not support padding");
}

export const AsyncTDMCopyGlobalToLocalOp = defineOp("amdg.async_tdm_copy_global_to_local", () => ({
  summary: "Copy data based on descriptor from global memory to local memory asynchronously",
  operands: { desc: TensorDesc, indices: variadic(I32), result: MemDescOperand, pred: I1, barrier: optional(MemDescOperand) },
  results: { token: AsyncToken },
  traits: [AttrSizedOperandSegments],
  format:
    "$desc `[` $indices `]` `into` $result `,` $pred (`,` `barrier` `=` $barrier^)? attr-dict `:` qualified(type($desc)) (`,` qualified(type($barrier))^)? `->` qualified(type($result))",
  verify({ desc, result }, report) {
    const padded = verifyBuffer(desc, result, true, report);
    if (!padded) return;
    const dwords = (elements: number) => Math.trunc((elements * bitWidth((result.type as MemDesc).params.elementType)!) / DWORD);
    if (padded.intervals.some((interval) => dwords(interval) < 2))
      report.error("TDM padding interval must be at least 2 dwords", "amdg.tdm");
    else if (padded.paddings.some((padding) => dwords(padding) < 1))
      report.error("TDM padding amount must be at least 1 dword", "amdg.tdm");
  },
  effects: ({ desc, result }) => [readsGlobal(desc), writesShared(result)],
}));

export const AsyncTDMCopyLocalToGlobalOp = defineOp("amdg.async_tdm_copy_local_to_global", () => ({
  summary: "Copy data based on descriptor from local memory to global memory asynchronously",
  operands: { desc: TensorDesc, indices: variadic(I32), src: MemDescOperand },
  format: "$desc `[` $indices `]` `from` $src attr-dict `:` qualified(type($src)) `->` qualified(type($desc))",
  verify: ({ desc, src }, report) => void verifyBuffer(desc, src, false, report),
  effects: ({ desc, src }) => [writesGlobal(desc), readsShared(src)],
}));

export const AsyncTDMWaitOp = defineOp("amdg.async_tdm_wait", () => ({
  summary: "Wait until there are less than or equal to the given number of outstanding TDM operations",
  operands: { asyncToken: variadic(AsyncToken) },
  attrs: { num: I32Attr },
  results: { retToken: AsyncToken },
  format: "$asyncToken attr-dict",
}));
