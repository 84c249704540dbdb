/** Passes for Gluon's kernels, whose layouts their author wrote. */
import type { PassText } from "../records.js";

export const GLUON: Readonly<Record<string, PassText>> = {
  "gluon-inline": {
    purpose: "Replaces calls by the bodies of the functions called, and simplifies each function's loops and branches before and after.",
    place: "Gluon kernels run it first. Triton's run it in the lowering, for functions that passes added.",
    declines: "Functions marked noinline keep their calls. Constants are not united, as each may get a layout of its own.",
  },
  "gluon-slimplify-control-flow": {
    purpose:
      "Folds ops, drops dead code and carried values that nobody needs, and unites blocks that are alike. Constants are not united, so that each may get a layout of its own. Triton 3.6 means to canonicalize scf and cf ops here too, but looks their patterns up in a way that finds none, so that a branch on a constant stays.",
    place: "gluon-inline runs it on each function. Its name is spelt as in Triton.",
    declines: "Ops without folds stay; no pattern is applied.",
  },
  "gluon-canonicalize": {
    purpose:
      "Folds ops, drops dead code and carried values that nobody needs, and applies the canonicalizations that keep layouts: of loads and stores with constant masks, broadcasts, expand_dims and ttg.warp_specialize.",
    place: "Gluon kernels run it in place of canonicalize, which would remove or move layout conversions that the author wrote.",
    declines: "ttg.convert_layout, tt.reshape and tt.trans stay as they are written.",
  },
  "gluon-infer-coalesced-encodings": {
    purpose:
      "Gives loads and stores under gl.CoalescedLayout the layout that tritongpu-coalesce would choose, from what is known of their pointers, and carries it to the ops around.",
    place:
      "Gluon kernels run it after inlining, so that divisibility and contiguity of arguments are known, and before the open layouts that hang on it are resolved.",
    declines: "It does not cross gluon.set_auto_layout, and fails where two accesses want different layouts of one value.",
  },
  "gluon-resolve-auto-encodings": {
    purpose:
      "Gives values of gl.AutoLayout a layout: from each gluon.set_auto_layout it goes to the ops that make and use the value, until nothing changes. Layouts that a reshape, join, split or transpose leads to give way to others.",
    place: "Gluon kernels run it once all functions are inlined: after it every tensor has its layout.",
    declines: "It fails where two layouts of one value contradict each other, or where nothing says which layout a value has.",
  },
};
