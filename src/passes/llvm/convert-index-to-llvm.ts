import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";

/** Reproducers of Triton name this pass, and its tools know no op of the index dialect that it lowers. */
export const convertIndexToLLVM = definePass("convert-index-to-llvm", {
  name: "ConvertIndexToLLVMPass",
  summary: "Lower the `index` dialect to the `llvm` dialect",
  source: "mlir/lib/Conversion/IndexToLLVM/IndexToLLVM.cpp",
  options: { indexBitwidth: option.int({ default: 0, summary: "Bitwidth of the index type, 0 to use size of machine word" }) },
  run() {},
});
