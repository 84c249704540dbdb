import { LLVM_CANONICALIZATION } from "../../dialects/llvm/canonicalize.js";
import { SelectOp } from "../../dialects/llvm/ops/compare.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import { constantInt } from "../../ir/match.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";

export const canonicalizeLlvmIr = definePass("canonicalize-llvm-ir", {
  name: "CanonicalizeLLVMIR",
  summary: "canonicalize ops of the LLVM dialect",
  source: "lib/Conversion/TritonGPUToLLVM/CanonicalizeLLVMIR.cpp",
  run(root, { listener }) {
    root.walk((func) => {
      if (LLVMFuncOp.is(func)) applyPatternsGreedily(func, [...LLVM_CANONICALIZATION, selectKnown], { listener });
    });
  },
});

/** select(true, a, b) -> a */
const selectKnown = pattern("select-constant-condition", SelectOp, (select, rw) => {
  const condition = constantInt(select.condition);
  if (condition === undefined) return rw.noMatch("the condition is not known", select);
  return rw.replace(select, condition === 0n ? select.falseValue : select.trueValue);
});
