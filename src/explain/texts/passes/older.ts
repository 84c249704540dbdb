/** Passes of Triton 2.0 that 3.6 no longer has, by their flags; logs and articles of the time name them. */
export const OLDER_PASSES: Readonly<Record<string, { readonly name: string; readonly text: string; readonly today: readonly string[] }>> = {
  "tritongpu-combine": {
    name: "TritonGPUCombineOps",
    text: "Gave each dot the layout of its matrix instruction, and removed and moved conversions between layouts.",
    today: ["tritongpu-accelerate-matmul", "tritongpu-remove-layout-conversions", "tritongpu-optimize-dot-operands"],
  },
  "tritongpu-decompose-conversions": {
    name: "TritonGPUDecomposeConversions",
    text: "Made a conversion to the layout of a dot's operand two: one into shared memory, and one out of it.",
    today: ["tritongpu-reduce-data-duplication"],
  },
};
