import type { PassText } from "../records.js";

/** From one level to the next. */
export const CONVERT: Readonly<Record<string, PassText>> = {
  "convert-scf-to-cf": {
    purpose: "Replaces scf.for, scf.while, scf.if and the other structured ops by cf branches between blocks of the function.",
    place: "It runs when all passes on loops are done: from here on there are no loops, only blocks. LLVM knows nothing else.",
    declines: "A region that runs in a partition of ttg.warp_specialize keeps its op; its loops become blocks inside it.",
  },
  "convert-triton-to-tritongpu": {
    purpose:
      "Gives every tensor a layout: which thread holds which element. All start with one element a thread, the last dimension fastest. expand_dims, dot, cat, join and split have rules of their own, and ttg.convert_layout is put where layouts meet. The module gets num-warps, num-ctas and the target.",
    place:
      "It begins TTGIR: everything before is the same for all GPUs. The first layouts are simple on purpose; tritongpu-coalesce and tritongpu-accelerate-matmul choose better ones.",
    declines: "A tensor that has a layout keeps it (Gluon). An op without a rule is an error: nothing may be left without a layout.",
  },
  "relayout-tritongpu": {
    purpose:
      "Chooses layouts anew where the number of warps changed: loads and stores of tensor memory, and gathers and scatters by TMA, ask for certain layouts, which this pass gives, with conversions to and from them.",
    place: "tritongpu-optimize-partition-warps runs it on a partition that got fewer warps. It has no place of its own in the pipeline.",
    declines: "An op whose layout the rules of convert-triton-to-tritongpu would choose too stays.",
  },
};
