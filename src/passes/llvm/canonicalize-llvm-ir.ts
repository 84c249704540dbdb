import { LLVM_CANONICALIZATION } from "../../dialects/llvm/canonicalize.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";

export const canonicalizeLlvmIr = definePass("canonicalize-llvm-ir", {
  name: "CanonicalizeLLVMIR",
  summary: "canonicalize ops of the LLVM dialect, as since 3.8 after the conversion to it",
  source: "lib/Conversion/TritonGPUToLLVM/CanonicalizeLLVMIR.cpp",
  run(root, { listener }) {
    root.walk((func) => {
      if (LLVMFuncOp.is(func)) applyPatternsGreedily(func, LLVM_CANONICALIZATION, { listener });
    });
  },
});
