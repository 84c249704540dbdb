/** Layout encodings, attributes and types in words. The meaning of an encoding's fields is in its record of `layout/encodings`. */

/** Who gives a tensor this layout and for what, and a small tensor or buffer that is drawn. */
export interface EncodingText {
  readonly use: string;
  readonly example: string;
}

const MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";

export const ENCODING_TEXTS: Readonly<Record<string, EncodingText>> = {
  blocked: {
    use: "Loads, stores and elementwise work. A thread holds a block of sizePerThread elements, 32 threads tile a warp's part, warps tile the CTA's; a larger tensor repeats the pattern, a smaller one is held several times. convert-triton-to-tritongpu gives the first one, tritongpu-coalesce those of memory accesses.",
    example: "tensor<4x32xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>>",
  },
  linear: {
    use: "Any layout whose places are sums (xor) of bases: each bit of register, lane, warp and block has the coordinates that it adds. It comes of reshapes, splits and tensor memory, where no other kind says it.",
    example: "tensor<4x8xf32, #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = []}>>",
  },
  generic_linear: {
    use: "Triton 3.8: a linear layout that #ttg.linear cannot say, because the bits of a warp's number move in several dimensions at once (swizzled warps), or because places hold equal elements in an uncommon way. Elementwise ops, views, loads, stores, dots and conversions take it, other ops refuse it.",
    example:
      "tensor<8x8xf32, #ttg.generic_linear<{register = [[1, 0]], lane = [[2, 0], [0, 1], [0, 2], [0, 0], [0, 0]], warp = [[4, 4], [0, 4]], block = []}>>",
  },
  slice: {
    use: "A tensor of one dimension less: the layout of its parent with a dimension left out. tt.reduce along it gives it, tt.expand_dims takes it.",
    example:
      "tensor<32xf32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>}>>",
  },
  dot_op: {
    use: "An operand of tt.dot: opIdx 0 is a, 1 is b. With an mma parent it is what the instruction reads in each lane: kWidth elements along k that lie together. With a blocked parent it is a whole row or column for each element of the result.",
    example: `tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = ${MMA}, kWidth = 2}>>`,
  },
  nvidia_mma: {
    use: "The result of a dot on tensor cores. versionMajor 2 is mma.sync (a warp, 16x8), 3 is wgmma (a warp group, 64 rows). tritongpu-accelerate-matmul chooses it.",
    example: `tensor<16x8xf32, ${MMA}>`,
  },
  amd_mfma: {
    use: "The result of a dot on AMD's MFMA units. tt-step reads, prints and draws it; it compiles for NVIDIA.",
    example: "tensor<32x32xf32, #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = true}>>",
  },
  amd_wmma: {
    use: "The result of a dot on AMD's WMMA units. tt-step reads, prints and draws it; it compiles for NVIDIA.",
    example: "tensor<16x16xf32, #ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [1, 1]}>>",
  },
  swizzled_shared: {
    use: "A buffer in shared memory. Groups of vec elements of a row change places by an xor with the row's phase, so that a column's elements are in different banks. The pipeliner and the conversions of dot operands choose it for mma.sync.",
    example: "!ttg.memdesc<4x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory>",
  },
  nvmma_shared: {
    use: "A buffer in shared memory as TMA, wgmma and tcgen05 know it: rows of swizzlingByteWidth bytes, groups of 16 bytes changed by an xor with the row.",
    example:
      "!ttg.memdesc<8x32xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory>",
  },
  padded_shared: {
    use: "A buffer in shared memory with unused elements between groups, which move rows to other banks. Gluon kernels write it by hand.",
    example: "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+4] {order = [1, 0], shape = [4, 8]}>, #ttg.shared_memory>",
  },
  shared_linear: {
    use: "A buffer in shared memory whose places are sums of bases.",
    example:
      "!ttg.memdesc<4x8xf16, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 4]]}, alignment = 16>, #ttg.shared_memory>",
  },
  amd_rotating_shared: {
    use: "A buffer in shared memory of AMD's GPUs, whose phases rotate.",
    example: "!ttg.memdesc<8x4xf16, #ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory>",
  },
  tensor_memory_encoding: {
    use: "A matrix in the tensor memory of Blackwell: blocks of blockM rows (64 or 128) by blockN columns. The accumulator of tcgen05.mma, or its first operand.",
    example: "!ttg.memdesc<128x8xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 8, colStride = 1>, #ttng.tensor_memory>",
  },
  tensor_memory_scales_encoding: {
    use: "Scales of a scaled product in tensor memory, repeated for each of the four warps.",
    example: "!ttg.memdesc<128x4xi8, #ttng.tensor_memory_scales_encoding<>, #ttng.tensor_memory>",
  },
};

/** Types of values, and the spaces of memory. */
export const TYPE_TEXTS: Readonly<Record<string, string>> = {
  "tt.ptr":
    "A pointer to an element in global memory; its number is the address space. tensor<128x!tt.ptr<f16>> is one pointer for each element.",
  "tt.tensordesc":
    "A tensor descriptor: a tensor in global memory, and the block (with its layout in shared memory) that is moved at once.",
  "ttng.tensordesc_im2col":
    "A tensor descriptor whose loads gather what a convolution multiplies: a row for each place of the filter, a column for each channel.",
  "ttg.memdesc":
    "A buffer in shared or tensor memory: shape, element type, layout, memory; mutable ones may be written. A last shape is that of the whole buffer, of which this is a part.",
  "ttg.async.token": "The promise of an asynchronous copy or access: ops that take it come after.",
  "nvws.aref": "A ring of buffers between two partitions.",
  "proton_gpu.segment":
    "The part of the profiler's buffer that a warp writes to: bytes of all parts, the memory, and the warps that have one.",
  "nvws.token": "A channel's token between two groups of warps.",
  "ttg.shared_memory": "Shared memory, as the memory of a buffer.",
  "ttng.tensor_memory": "Tensor memory of Blackwell, as the memory of a buffer.",
  "tt.memdesc": "Triton 3.1's name of ttg.memdesc.",
  "triton_gpu.async.token": "Triton 3.2's name of ttg.async.token.",
};

/** Attributes that Triton puts on modules, functions, arguments and ops. */
export const ATTRIBUTE_TEXTS: Readonly<Record<string, string>> = {
  "tt.cache_policy":
    "On tt.load and tt.store of Triton 3.9: the cache modifier and the eviction policy, which older versions write as two words of the op.",
  "tt.divisibility":
    "On an argument: its value (a pointer's address in bytes) is a multiple of this; the launcher says so of values that are multiples of 16. On an op: what tl.multiple_of said.",
  "tt.contiguity": "On an op: what tl.max_contiguous said: runs of so many consecutive numbers along each dimension.",
  "tt.constancy": "On an op: what tl.max_constancy said: runs of so many equal numbers along each dimension.",
  "gluon.auto_encoding":
    "On a tensor of a Gluon kernel: a layout that is not chosen yet. gluon-resolve-auto-encodings puts one in its place.",
  "gluon.coalesced_encoding":
    "On a tensor of a Gluon kernel: the layout in which a load or store of it is widest. gluon-infer-coalesced-encodings puts it in its place.",
  "tt.num_stages": "On a loop: how many rounds the pipeliner has under way. From tl.range(num_stages=N); else the kernel's own.",
  "tt.loop_unroll_factor": "On a loop: how often its body is repeated. From tl.range(loop_unroll_factor=N).",
  "tt.flatten": "On a loop: it is fused with the loop in it. From tl.range(flatten=True).",
  "tt.warp_specialize": "On a loop: its parts go to different warps. From tl.range(warp_specialize=True).",
  "tt.disallow_acc_multi_buffer": "On a loop: its accumulator has one buffer. From tl.range(disallow_acc_multi_buffer=True).",
  "tt.latency": "On an op of a loop: how many stages lie between it and its use. tritongpu-assign-latencies writes it.",
  "tt.self_latency": "On a tensor core instruction: 1 if it may overlap with that of the next round.",
  "tt.scheduled_max_stage": "On a loop: the last stage of its schedule.",
  "loop.stage": "On an op of a loop: the stage that it runs in. An op of stage s of a round runs while stage 0 of the round s later runs.",
  "loop.cluster": "On an op of a loop: its place among the ops of one pass through the loop; clusters run in order.",
  "ttg.partition": "On an op: the partitions (groups of warps) that run it.",
  "ttg.warp_specialize.tag": "On a loop and its ops: which of several specialized loops it belongs to.",
  async_task_id: "On an op: the groups of warps that run it (Hopper's warp specialization).",
  "ttg.num-warps": "On the module: how many warps run a program.",
  "ttg.num-ctas": "On the module: how many CTAs run a program as a cluster.",
  "ttg.threads-per-warp": "On the module: threads of a warp: 32.",
  "ttg.total-num-warps": "On the module: warps of a CTA with those of partitions.",
  "ttg.target": "On the module: the GPU, cuda:80.",
  "ttg.shared": "On the module: bytes of shared memory of a CTA.",
  "ttg.tensor_memory_size": "On the module: columns of tensor memory.",
  "ttg.maxnreg": "On the module: registers of a thread at most.",
  "ttg.global_scratch_memory_size": "On a kernel: bytes of scratch memory in global memory for each program.",
  "ttg.global_scratch_memory_alignment": "On a kernel: the scratch memory's alignment in bytes.",
  "ttng.two-ctas": "On the module: whether tcgen05.mma run on two CTAs.",
  "allocation.offset": "On an op: where its buffer or scratch memory begins in shared memory, in bytes.",
  inputPrecision:
    "On a dot: how f32 operands are narrowed for tensor cores: ieee not at all, tf32, or several products (tf32x3, bf16x3, bf16x6).",
  maxNumImpreciseAcc: "On a dot of fp8: after so many elements of k the sum goes to a register of full precision.",
  "nvws.async_op":
    "On an op of an nvws.aref: the kind of asynchronous op that fills or reads the buffer: tc5mma, tma_load, cp_async, wgmma or none.",
  "arith.fastmath": "On an op on floats: the liberties that the compiler may take: contract, reassoc, nnan, ninf, fast (all of them).",
  "arith.overflow": "On an op on integers: it does not overflow as signed (nsw) or unsigned (nuw) numbers.",
  "gpu.dim": "Which dimension of a grid or a CTA: x, y or z.",
  "gpu.shuffle_mode": "From which lane a shuffle reads: xor, up, down or idx.",
  "ttng.redOp": "On a load of tensor memory: it gives the minimum or maximum of each row too, as sm_103 does in the same instruction.",
  "amdg.SchedHintVariant":
    "On amdg.instruction_sched_hint: how LLVM orders the instructions of the loop. attention is for loops of attention.",
  "proton_gpu.global_memory": "In a segment of the profiler: its buffer is in global memory.",
  "amdg.amdgcn.set.fp8.clamping": "On an op: conversions to fp8 give the largest number for what is too large.",
  "ub.poison": "The value of ub.poison: whatever is computed from it has no defined value.",
  operandSegmentSizes: "How many operands each of an op's groups of operands has.",
};
