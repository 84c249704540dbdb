import type { PassText } from "../records.js";

/** Passes on TTGIR that do not depend on the vendor. */
export const TTG: Readonly<Record<string, PassText>> = {
  "allocate-shared-memory": {
    purpose:
      "Gives each buffer in shared memory its offset (allocation.offset), scratch memory of ops included, such that those alive at the same time do not overlap. The module gets the size of all (ttg.shared). Units: bytes.",
    place:
      "The form of lit tests and other vendors. NVIDIA's pipeline runs allocate-shared-memory-nv, which knows what its conversions need.",
    declines: "A kernel without buffers gets ttg.shared = 0.",
  },
  "tritongpu-allocate-warp-groups": {
    purpose:
      "Writes on the module how many warps a CTA has (ttg.total-num-warps). Where code is specialized by warps, each partition gets the warps that run it, the largest first. All such ops are filled up to the same number of warp groups with partitions that do nothing, and registers that the partitions do not need go to the default warps.",
    place: "It runs at the start of the lowering, when the number of warps of every partition is final.",
    declines: "Without ttg.warp_specialize only the module's attribute is written.",
  },
  "tritongpu-coalesce": {
    purpose:
      "Gives every load, store and atomic on a tensor of pointers the blocked layout in which neighbouring lanes access neighbouring addresses, and each thread as many bytes at once as AxisInfo allows. Pointers are converted to that layout, and loaded values converted back.",
    place:
      "It runs right after the conversion to TTGIR, while all layouts are the simple first ones. tritongpu-remove-layout-conversions comes soon after and decides which of the new conversions stay.",
    declines:
      "A scalar access and one through a block pointer stay. An access stays at one element a thread where AxisInfo knows no contiguity or divisibility along the fastest dimension: --why of the value names the term that limits it.",
  },
  "tritongpu-coalesce-async-copy": {
    purpose:
      "A cp.async reads global memory and writes shared memory at once. Where the buffer's swizzling allows only narrower writes than a thread has elements, a thread gets fewer elements, so that neighbouring threads still read neighbouring addresses.",
    place: "It runs after tritongpu-pipeline, which makes the async copies and the buffers with their swizzling.",
    declines: "A copy whose elements per thread fit one vector of the buffer (vec) stays.",
  },
  "tritongpu-combine-tensor-select-and-if": {
    purpose: "If a select on tensors has the condition of an scf.if in its block, the scf.if yields what it selects.",
    place: "It runs before the pipeliner and again before the lowering: a select computes both sides for every element, a branch only one.",
    declines:
      "The condition must be the same scalar, and the select must come after the scf.if in its block or before it with values that dominate.",
  },
  "tritongpu-F32DotTC": {
    purpose:
      "A dot of f32 with precision tf32x3, bf16x3 or bf16x6 becomes several dots of the parts of its operands: a number is split into what a narrow type holds of it and what is left over.",
    place: "It runs before tritongpu-accelerate-matmul, which then gives each of the dots its tensor core instruction.",
    declines: "Dots of other types, and of precision ieee or tf32, stay. emu-tf32=false leaves tf32x3 to the hardware of the vendor.",
  },
  "tritongpu-fuse-nested-loops": {
    purpose:
      "Makes one loop of a loop with tt.flatten and the loop in it, so that the pipeliner overlaps the end of a round of the outer loop with the start of the next one.",
    place: "It runs before the pipeliner, which works on innermost loops only. A persistent matmul is such a nest.",
    declines: "Loops without tl.range(..., flatten=True) stay. So does a nest whose inner loops do not follow one another in one body.",
  },
  "tritongpu-global-scratch-memory-allocation": {
    purpose:
      "Gives each ttg.global_scratch_alloc, and each call of a function that has some, its offset in the kernel's scratch memory, one after the other. The module gets the size and alignment that the launcher must provide.",
    place: "It runs before the lowering, when TMA descriptors made on the device have got their scratch memory.",
    declines: "A kernel without such allocations gets the size 0.",
  },
  "tritongpu-optimize-thread-locality": {
    purpose:
      "Puts elements that are reduced or gathered together into one thread or warp where a reshape or a gather leaves the choice of layout. It moves the part of a reduction that crosses threads out of a loop that accumulates its results.",
    place: "It runs after the first removal of conversions: layouts of loads are known, those of dots not yet.",
    declines:
      "A reduction in a loop is split only when its result is added to (or otherwise combined with) a carried value, and its layout has more than one element of the axis in a thread.",
  },
  "tritongpu-prefetch": {
    purpose:
      "Splits a dot in a loop along k into dots of one instruction's depth (or a multiple) and loads the first slice of the operands from shared memory one round ahead, so that the tensor cores do not wait for it.",
    place: "It runs after tritongpu-pipeline: operands must be in shared memory, in buffers that hold the next round too.",
    declines:
      "Only dots of mma version 2 (sm_80 to sm_89) are split: wgmma and tcgen05 read shared memory themselves. k must hold at least two slices, and the operands must be loaded in the loop from buffers that it carries.",
  },
  "tritongpu-reduce-data-duplication": {
    purpose:
      "A conversion to a dot operand's layout that goes through shared memory is spelt out as an allocation, swizzled for that operand, and a load from it: passes that know buffers can then work on it.",
    place: "It runs after the last removal of conversions, when it is clear which stay, and before buffers are placed.",
    declines:
      "A conversion that moves data within a thread or warp stays, and so does one from an mma layout that feeds the next dot directly.",
  },
  "tritongpu-remove-layout-conversions": {
    purpose:
      "First hands the layouts of loads, stores, dots and other anchors on to all that depends on them. Then, for each conversion that stays, looks at what it would take to compute its source in the layout wanted, and does so where that costs less than the conversion. The rest moves to where less data goes through it: before extensions and broadcasts, into branches, and for operands of dots next to the load.",
    place:
      "It runs after each pass that puts conversions in: after coalescing, after accelerate-matmul, and after the pipeliner. A conversion through shared memory costs a store, a barrier and a load.",
    declines:
      "A conversion stays where computing its source again would repeat a load, a reduction or other costly op, and where both of its ends are anchors. --why of its value names the two anchors and the cost.",
  },
  "tritongpu-reorder-instructions": {
    purpose:
      "Moves ops to where they cost least: conversions after deallocations, fills of registers into the loop that uses them, allocations and transpositions right after what they are made of, loads of a dot's b after those of its a.",
    place:
      "It is one of the last passes on TTGIR, as the others do not look at the order of ops. It decides how many registers are in use at once.",
    declines: "An op does not move over one that it depends on, nor into a loop when its operand would have to stay alive longer.",
  },
};
