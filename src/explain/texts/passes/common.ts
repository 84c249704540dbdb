import type { PassText } from "../records.js";

/** MLIR's own passes, which Triton uses. */
export const COMMON: Readonly<Record<string, PassText>> = {
  canonicalize: {
    purpose:
      "Folds operations and applies the canonicalization patterns of all dialects until nothing changes or the limit of iterations is reached. Constants are united and move to the start of the function. Dead code goes.",
    place:
      "It may run anywhere. It runs after passes that leave folds, dead values or equal constants behind (inline, convert-triton-to-tritongpu's neighbours, the pipeliner), so that the next pass matches few forms of the same code.",
    declines:
      "An op without a fold and without a pattern stays. Ops with effects stay even when their results are not used. A pattern that is switched off by disable-patterns is not tried.",
  },
  cse: {
    purpose:
      "Replaces an operation without side effects, or one that only reads with no write between, by an equivalent one that dominates it. It erases operations that are dead.",
    place:
      "It runs after passes that copy code: the inliner, broadcasts that moved, and the lowering, which makes the same index arithmetic for each access.",
    declines:
      "Two ops are only equal when name, operands, attributes and types are. Ops that write stay, and so does a read with a write between. It does not look across loop iterations: triton-loop-aware-cse does.",
  },
  inline: {
    purpose:
      "Replaces calls by the bodies of the functions called, callees first, and simplifies each function with the default pipeline before and after. A function without calls left is erased when nothing outside can see it.",
    place:
      "It is the first pass: all later ones see one function, so that layouts, AxisInfo and loops are not cut at calls. Helpers of Triton's library (tl.zeros, tl.sum) are calls until here.",
    declines: "A function marked noinline keeps its calls. Recursive calls stay, and Triton refuses such kernels later.",
  },
  "loop-invariant-code-motion": {
    purpose: "Moves operations without effects that use nothing from inside a loop to the place before it, innermost loops first.",
    place: "Triton 3.6's pipeline uses triton-licm in its place. The pass stays for lit tests and older pipelines.",
    declines: "Ops with effects, loads among them, stay. So does an op that uses a value of the loop.",
  },
  "reconcile-unrealized-casts": {
    purpose: "Cancels chains of casts that come back to a type they started from, and erases casts without use.",
    place: "It runs after partial conversions to LLVM: each leaves unrealized casts where converted and unconverted ops meet.",
    declines: "A cast whose chain does not come back to its first type stays, which means that some op was never converted.",
  },
  sccp: {
    purpose:
      "Assumes that every value is constant and no block can be reached, follows control flow from the entry, and replaces the values that turn out to be constants.",
    place: "It runs at the end of TTGIR, after the pipeliner, whose stage and phase counters are often constant on one path.",
    declines: "A value is left when two paths bring different constants, or when an op on the way has no fold.",
  },
  "symbol-dce": {
    purpose: "Erases private symbols, functions as a rule, to which nothing that is alive refers.",
    place: "It runs after the inliner, whose inlined functions nobody calls any more, and once more before the code is emitted.",
    declines: "Public symbols stay: kernels are public.",
  },
  "triton-licm": {
    purpose:
      "Moves operations without effects that use nothing from inside a loop to the place before it, innermost loops first. In loops that write nothing, loads leave too: they get the mask that the loop runs at all.",
    place:
      "It runs after loops were fused and simplified, and before the pipeliner, which would otherwise give the same value again to each stage.",
    declines:
      "A load stays in a loop that writes memory, and in any loop but scf.for. An op that uses the induction variable or a carried value stays.",
  },
};
