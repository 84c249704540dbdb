/** Loads and stores of LLVM's types under a condition, on the way to LLVM. Source: TritonAMDGPUOps.td. */
import { BoolAttr, defaultAttr, I1, I16, optional } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { LLVMType, Pointer } from "../../llvm/type-constraints.js";
import { CacheModifierAttr } from "../../tt/enums.js";

const ATTRS = { cache: defaultAttr(CacheModifierAttr, "none"), forceNoAlias: defaultAttr(BoolAttr, false) };
const OPTIONS = "oilist(`cacheModifier` `=` $cache) (`forceNoAlias` $forceNoAlias^)? attr-dict `:`";

export const MaskedLoadOp = defineOp("amdg.masked_load", () => ({
  summary: "Masked load operation",
  operands: { ptr: Pointer, mask: I1, falseVal: LLVMType, multicastMask: optional(I16) },
  attrs: ATTRS,
  results: { result: LLVMType },
  format: `$ptr \`,\` $mask \`,\` $falseVal (\`,\` $multicastMask^)? ${OPTIONS} functional-type(operands, results)`,
}));

export const MaskedStoreOp = defineOp("amdg.masked_store", () => ({
  summary: "Masked Store operation",
  operands: { ptr: Pointer, value: LLVMType, mask: I1 },
  attrs: ATTRS,
  format: `$ptr \`,\` $value \`,\` $mask ${OPTIONS} type(operands)`,
}));
