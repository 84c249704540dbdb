/** Canonicalization patterns of ttng. */
import type { TensorType } from "../../ir/builtin-types.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import { ConvertLayoutOp } from "../ttg/ops/convert-layout.js";
import type { MemDesc } from "../ttg/types.js";
import { isDistributedLayoutTMemCompatible, TMEMStoreOp } from "./ops/tensor-memory.js";

/**
 * tmem_store(cvt) -> tmem_store, where an instruction stores the layout before the conversion too. Upstream registers it with
 * ttg.convert_layout, which cannot know ttng here. Source: lib/Dialect/TritonGPU/IR/Ops.cpp, CanonicalizeConvertFromTMEMStore.
 */
export const convertFromTMEMStore = pattern("canonicalize-convert-from-tmem-store", TMEMStoreOp, ({ op, src, dst }, rw) => {
  const convert = ConvertLayoutOp.match(src.definingOp);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  if (!isDistributedLayoutTMemCompatible(op, convert.src.type as TensorType, dst.type as MemDesc))
    return rw.noMatch("no instruction stores that layout");
  // Operands are dst, dep (optional), src, pred.
  return rw.setOperand(op, op.numOperands - 2, convert.src);
});

export const TTNG_CANONICALIZATION: readonly Pattern[] = [convertFromTMEMStore];
