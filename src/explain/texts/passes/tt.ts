import type { PassText } from "../records.js";

/** Passes on TTIR, and those that do not ask about layouts. */
export const TT: Readonly<Record<string, PassText>> = {
  "triton-combine": {
    purpose:
      "Merges neighbouring ops: dot(a, b, 0) + c becomes dot(a, b, c); addptr(addptr(p, i), j) becomes addptr(p, i + j) where the sum cannot overflow; select(c, load(p, splat(c)), x) becomes load(p, splat(c), x); a sum of products of broadcasts becomes a dot; a reshape to a vector that is only reduced may reorder; a descriptor load takes on a reshape that drops leading 1s.",
    place: "It runs on TTIR, before layouts: there each rewrite has one form, and no conversion of layouts is in the way.",
    declines:
      "A sum is merged into a dot only when nothing else uses the dot's result. Two offsets are added only when both have one type and the sum is known not to overflow.",
  },
  "triton-loop-aware-cse": {
    purpose:
      "Finds loop-carried values that are always equal, keeps one of them, and lets plain CSE and the canonicalization of scf.for clean up.",
    place: "It runs before and after the pipeliner, which carries a counter for each buffer though they count the same.",
    declines: "Two carried values are equal only when they start equal and each step computes them alike.",
  },
  "triton-loop-unroll": {
    purpose:
      "Repeats the body of each scf.for with tt.loop_unroll_factor that often. The loop of the rounds left over gets tt.num_stages = 1, as it is not worth pipelining.",
    place: "It is the last pass of TTIR: the bodies are simplified by then, and later passes see the longer loop.",
    declines: "Loops without tl.range(..., loop_unroll_factor=N) stay. A factor of 1 changes nothing.",
  },
  "triton-reorder-broadcast": {
    purpose:
      "elementwise(broadcast(a)) becomes broadcast(elementwise(a)), and elementwise(splat(a), splat(b)) becomes splat(elementwise(a, b)): fewer elements are computed.",
    place: "It runs on TTIR after canonicalize. Later the broadcast's layout would have to move with it.",
    declines: "All operands must be broadcasts of one shape, or constants. Ops with effects and ops with regions stay.",
  },
  "triton-rewrite-tensor-descriptor-to-pointer": {
    purpose:
      "Replaces tensor descriptors by the numbers they hold (pointer, shape, strides), and loads and stores through them by loads and stores with pointers, masks and the value to load outside.",
    place: "It runs early on TTIR, and only for GPUs without TMA (before sm_90), so that coalescing and pipelining see plain pointers.",
    declines: "A kernel without tensor descriptors stays. From sm_90 on the pipeline leaves the pass out.",
  },
  "triton-rewrite-tensor-pointer": {
    purpose:
      "Replaces tt.make_tensor_ptr and tt.advance by the arithmetic on offsets that they stand for. Each load and store through them gets its pointers, its mask from the boundary check, and the value to load outside.",
    place: "It runs right after the inliner: AxisInfo and the other passes know pointers of tensors, not block pointers.",
    declines:
      "A kernel without block pointers stays. A block pointer that is yielded through an op with regions it does not know is an error.",
  },
};
