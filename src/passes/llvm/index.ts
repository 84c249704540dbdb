export { canonicalizeLlvmIr } from "./canonicalize-llvm-ir.js";
export { convertArithToLLVM } from "./convert-arith-to-llvm.js";
export { convertControlFlowToLLVM } from "./convert-cf-to-llvm.js";
export { convertIndexToLLVM } from "./convert-index-to-llvm.js";
export { enableLineInfo } from "./enable-line-info.js";
export { extractVariableInfo } from "./extract-variable-info.js";
