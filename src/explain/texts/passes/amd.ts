import type { PassText } from "../records.js";

/** Passes that only AMD's GPUs have: matrix cores, pipelining through LDS, buffer operations. */
export const AMD: Readonly<Record<string, PassText>> = {
  "tritonamdgpu-accelerate-matmul": {
    purpose:
      "Gives dots the layout of a matrix instruction: MFMA on CDNA (gfx942, gfx950), WMMA on RDNA and gfx1250. M and N are 32 or 16 by the shape, or as matrix_instr_nonkdim says; kWidth is what a lane reads of an operand at once, times kpack. Where one dot follows another, as in attention, warps are spread over rows only. Scaled dots become scaled instructions on gfx950 and gfx1250, and are computed in bf16 or f16 elsewhere. Without an instruction operands get types that fma and v_dot take.",
    place:
      "It runs after coalescing, so that operands come from loads with known layouts, and before the pipeliner, which asks how a dot reads its operands. tritongpu-remove-layout-conversions cleans up after it.",
    declines:
      "A dot stays a loop of multiply-adds where no instruction takes its types, where it is too small, or where k is no multiple of the instruction's; matmul.declined in the remarks says which.",
  },
  "tritonamdgpu-canonicalize-pointers": {
    purpose:
      "Writes every pointer as a scalar base and an offset: tt.addptr of tt.splat of the base. The part of an offset that all elements share is added to the base. A pointer into a tensor of at most 2 GiB (tt.pointer_range = 32) keeps its base, and all goes to a 32-bit offset. Loops, ifs and branches carry the two parts.",
    place:
      "It runs right before tritonamdgpu-convert-buffer-ops, which needs that form; canonicalize between the two removes parts that are zero.",
    declines:
      "By default only pointers with tt.pointer_range = 32 are rewritten. A function with ub.poison stays as it is. An op that knows nothing of the two parts gets its pointer back.",
  },
  "tritonamdgpu-convert-buffer-ops": {
    purpose:
      "Loads, stores, atomics and asynchronous copies whose pointers are one base for all threads and 32-bit offsets become buffer operations. They need fewer registers for addresses, and the hardware leaves out accesses beyond the bounds, so that masks cost no branch.",
    place: "It runs after tritonamdgpu-canonicalize-pointers has written pointers as base and offset, near the end of TTGIR.",
    declines:
      "The offset must be known to stay within 2 GiB: by tt.pointer_range = 32 of the argument, or by the ranges of integers that follow from tl.assume, program ids and loop bounds. Remarks with the code buffer.declined say what is missing. Loads of f32 stay in a function with tt.dot. Atomics need CDNA3 or CDNA4.",
  },
  "tritonamdgpu-fold-true-cmpi": {
    purpose:
      "Replaces comparisons of integers that are always true by true, as the ranges of the two sides say: masks that hide nothing go.",
    place: "It is the last pass of TTGIR but for clean-up, since the ranges are those of the final code.",
    declines: "A comparison that is always false stays, and so does one of tensors.",
  },
  "tritonamdgpu-optimize-epilogue": {
    purpose:
      "A store of a result of matrix instructions is made in their layout, and the pointers and masks are converted instead of the values, which would go through shared memory. On gfx950 lanes that are neighbours swap values first, so that a thread stores 16 bytes at once.",
    place: "It runs after tritonamdgpu-accelerate-matmul and the removal of conversions that follows it.",
    declines: "Between the conversion and the store there may be elementwise ops of one operand only, each with one user.",
  },
  "tritonamdgpu-optimize-dot-operands": {
    purpose:
      "Scales of a scaled dot that are loaded in a loop go through shared memory without swizzling, which the pipeliner then fills ahead. It also removes conversions of layouts, as canonicalize does.",
    place: "It runs before the loops are scheduled.",
    declines: "Only gfx950 has the instructions for such scales. They must come from one load in the loop.",
  },
  "tritonamdgpu-hoist-layout-conversions": {
    purpose:
      "Moves a conversion to the layout of a dot operand out of a loop when its source comes from outside: the query of an attention kernel then stays in registers, of which these GPUs have many.",
    place: "It runs before the loops are scheduled.",
    declines: "Conversions of other layouts stay, and those of values that the loop makes.",
  },
  "tritonamdgpu-reorder-instructions": {
    purpose:
      "Moves conversions to operands of dots close to their users, transpositions to what they transpose, and loads that the pipeliner put before a loop up as far as possible. In loops with one dot and two loads of large tiles the second load moves to the dot, so that matrix instructions hide it.",
    place: "It runs after the pipeliner, and before tritonamdgpu-block-pingpong, which looks at the order.",
    declines:
      "Loads do not move across atomics, barriers and loops. Tiles must have at least 128 rows or columns and 64 in the other dimension.",
  },
  "tritonamdgpu-schedule-loops": {
    purpose:
      "Gives the loads of a loop that feed dots, and the dots, a stage and a cluster: loads come as many rounds ahead as the loop has stages less one. A loop with 4 stages and two dots that feed one another, as in attention, has a schedule of its own, in which each half of what is between the dots runs beside the other dot. A load in a layout that the dot takes from registers, as memory was shuffled, is marked.",
    place: "It runs before tritonamdgpu-pipeline, which reads the attributes.",
    declines:
      "Loops with one stage, with a loop or a barrier inside, or that use a value more than one round later stay; pipeline.declined in the remarks says which. Loads of less than 4 bytes a thread are not started ahead, but on gfx950 and RDNA.",
  },
  "tritonamdgpu-pipeline": {
    purpose:
      "Pipelines the scheduled loops. Loads for dots go through a ring of buffers in LDS: a load to registers a round ahead and a store, or a copy straight to LDS with use_async_copy. A prologue starts the first rounds and an epilogue ends the last ones; with too few rounds their loads are masked and their dots are in ifs.",
    place: "It runs after tritonamdgpu-schedule-loops. Clean-up, tritonamdgpu-reorder-instructions and tritonamdgpu-block-pingpong follow.",
    declines:
      "A load whose users do not all read dot operands from one layout stays in registers, and is started ahead nevertheless; pipeline.load in the remarks says so.",
  },
  "tritonamdgpu-coalesce-async-copy": {
    purpose:
      "Copies straight to LDS get a layout in which the lanes of a wave write neighbouring addresses, as the hardware demands: a thread takes 4 bytes at once, or 16 on gfx950. For padded buffers the layout follows the order of memory.",
    place: "It runs after tritonamdgpu-pipeline has made the copies, and only with use_async_copy.",
    declines: "Only gfx942 and gfx950 need it. A copy that writes so already stays.",
  },
  "tritonamdgpu-update-async-wait-count": {
    purpose:
      "ttg.async_wait counts groups of copies; the hardware counts instructions. Each wait becomes amdg.async_wait with the fewest instructions that are started after what it is for, over all ways to it through loops and ifs. Copies of later rounds may then stay in flight.",
    place: "It is the first pass after TTGIR: no later pass changes how many instructions a copy becomes.",
    declines: "RDNA has no such copies. A wait behind an op with regions that is no loop and no if waits for all.",
  },
  "tritonamdgpu-in-thread-transpose": {
    purpose:
      "An operand of a dot that lies in global memory along m or n would be read from LDS element by element. Each thread loads several rows instead, transposes them in its registers with amdg.in_thread_transpose, and writes 8 bytes along k at once, to rotating shared memory, where neither writes nor reads meet in a bank.",
    place:
      "It runs after the pipeliner has made the buffers; tritongpu-remove-layout-conversions cleans up after it. gfx942 has it by default, others with use_in_thread_transpose: gfx950 transposes while it reads LDS.",
    declines:
      "An operand that is loaded along k stays, and so does one whose buffer is filled by asynchronous copies, or whose threads load only one element along k; transpose.declined in the remarks says which.",
  },
  "tritonamdgpu-block-pingpong": {
    purpose:
      "Cuts the body of a matmul loop into clusters of memory accesses and clusters of matrix instructions, with barriers and priorities between. One of the two warps on a SIMD unit is then in a memory cluster while the other one multiplies. With 4 warps these belong to two workgroups; with 8 warps half of the workgroup begins later (amdg.cond_barrier), and large dots are cut along k. Attention with 4 stages has barriers between the clusters that the pipeliner made.",
    place:
      "It runs after tritonamdgpu-reorder-instructions, when the order of the loop is final, on gfx942 and with use_async_copy on gfx950, or with use_block_pingpong.",
    declines:
      "A loop needs one dot with two loads, through two buffers and with no other accesses; the tile must be of a size that was measured to gain. pingpong.declined in the remarks says what does not fit.",
  },
  "triton-amdgpu-insert-instruction-sched-hints": {
    purpose:
      "Puts amdg.instruction_sched_hint into loops with chained dots, for schedule_hint = attention. The lowering makes of it the intrinsics that choose a strategy of LLVM's scheduler.",
    place: "It runs after the pipeliner, only where schedule_hint is not none.",
    declines: "Hints other than attention are for LLVM, and this pass leaves the loops as they are.",
  },
  "optimize-amd-lds-usage": {
    purpose:
      "Looks whether a kernel needs more LDS than a workgroup may have. Triton then divides layout conversions in two, so that each needs less; here a warning names the largest buffers.",
    place: "It runs right after TTGIR, before LDS is allocated.",
    declines: "A kernel that fits stays.",
  },
  "allocate-amdgpu-shared-memory": {
    purpose:
      "Gives each buffer its place in LDS: buffers of the kernel, and those that conversions, reductions and atomics need while they run. Buffers that are never live at the same time share memory. ttg.shared is the sum.",
    place: "It runs before the lowering, which reads allocation.offset.",
    declines: "Ops that need no LDS get no place: conversions within a wave, reductions whose elements one wave has.",
  },
  "convert-triton-amdgpu-to-llvm": {
    purpose:
      "Lowers tensors to what one lane does, in the dialects llvm and rocdl: global and buffer accesses with their widths and cache policies, LDS accesses, DPP and permutes for reductions, MFMA for dots, barriers and waits. A masked access is a branch around it.",
    place: "All layouts and LDS offsets are fixed before. Barriers are put between accesses of LDS first.",
    declines: "An op without a rule is an error at the op.",
  },
  "triton-amdgpu-lower-insert-instruction-sched-hints": {
    purpose:
      "Replaces amdg.instruction_sched_hint. For attention, rocdl.iglp.opt 2 at the end of the block chooses LLVM's strategy that interleaves matrix instructions with exponentials, between two rocdl.sched.barrier that no instruction crosses.",
    place: "It runs on the LLVM dialect, only where schedule_hint is not none.",
    declines: "Hints other than attention are removed.",
  },
  "convert-builtin-func-to-llvm": {
    purpose:
      "Replaces calls of functions that Triton's library of HIP declares (__triton_hip_fast_expf, fast_tanhf, fast_fdividef, iabs, fabs, llrint) by instructions.",
    place: "It is the last pass before LLVM IR.",
    declines: "Functions of ROCm's own libraries (ocml, ockl) stay calls: they are linked later.",
  },
};
