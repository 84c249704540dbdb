import type { OpText } from "../records.js";

const op = (meaning: string, becomes: OpText["becomes"]): OpText => ({ meaning, becomes });

/** Ops of the LLVM dialect, of nvvm and nvg: what one thread does. */
export const LOWERED: Readonly<Record<string, OpText>> = {
  "llvm.func": op("A function of one thread.", ".visible .entry or .func."),
  "llvm.return": op("Ends a function.", "ret."),
  "llvm.call": op("Calls a function.", "call.uni; a function of libdevice is inlined."),
  "llvm.call_intrinsic": op("One of LLVM's intrinsics by its name.", "The instruction that its name says."),
  "llvm.inline_asm": op(
    "PTX text with operands $0, $1, ...; the constraints say which are results (=r) and of what size (r 32 bits, l 64, h 16, f float, b predicate).",
    "The text itself.",
  ),
  "llvm.mlir.constant": op("A number.", "An immediate operand."),
  "llvm.mlir.undef": op("Any value: what a struct is begun with.", "Nothing."),
  "llvm.mlir.poison": op("A value that must not be used.", "Nothing."),
  "llvm.mlir.zero": op("Zero of any type.", "An immediate operand."),
  "llvm.mlir.global": op(
    "A variable: @global_smem is the CTA's shared memory.",
    ".extern .shared .align 16 .b8 global_smem[]; or .global.",
  ),
  "llvm.mlir.addressof": op("The address of a variable.", "mov.b32 %r, global_smem."),
  "llvm.getelementptr": op("A pointer moved by indices.", "add.s64, or an offset in an address."),
  "llvm.load": op("Reads memory.", "ld.global, ld.shared or ld.param, by the pointer's address space; volatile or atomic forms as marked."),
  "llvm.store": op("Writes memory.", "st.global or st.shared."),
  "llvm.alloca": op("Memory of this thread alone.", ".local: it lies in global memory and is slow."),
  "llvm.extractvalue": op("A field of a struct: an element of what was a tensor.", "Nothing: fields are registers."),
  "llvm.insertvalue": op("A struct with one field changed.", "Nothing."),
  "llvm.extractelement": op("An element of a vector.", "mov.b32 {%rs1, %rs2}, %r, or nothing."),
  "llvm.insertelement": op("A vector with one element changed.", "mov.b32 %r, {%rs1, %rs2}, or nothing."),
  "llvm.shufflevector": op("Elements of two vectors in a new order.", "prmt.b32, or nothing."),
  "llvm.br": op("Goes on at another block.", "bra."),
  "llvm.cond_br": op("Goes on at one of two blocks.", "@%p bra."),
  "llvm.switch": op("Goes on at one of several blocks.", "setp and bra, or brx.idx."),
  "llvm.unreachable": op("The program does not come here.", "trap, or nothing."),
  "llvm.select": op("One of two values.", "selp."),
  "llvm.icmp": op("Compares integers.", "setp.eq.s32 and the like."),
  "llvm.fcmp": op("Compares floats.", "setp.lt.f32 and the like."),
  "llvm.addrspacecast": op("A pointer of one address space as one of another.", "cvta.to.global.u64."),
  "llvm.intr.assume": op("A fact that LLVM may rely on.", "Nothing."),
  "nvvm.barrier0": op("All threads of a CTA wait for each other.", "bar.sync 0."),
  "nvvm.barrier": op("So many threads wait for each other at a named barrier.", "bar.sync N, threads."),
  "nvvm.barrier.arrive": op("Arrives at a named barrier without waiting.", "bar.arrive N, threads."),
  "nvvm.bar.warp.sync": op("The lanes of a mask wait for each other.", "bar.warp.sync."),
  "nvvm.shfl.sync": op("A register of another lane of the warp: by index, by distance or by xor.", "shfl.sync.idx, .bfly, .up or .down."),
  "nvvm.vote.sync": op("Whether a predicate holds in all lanes or any, or in which.", "vote.sync."),
  "nvvm.match.sync": op("Which lanes hold the same value.", "match.sync."),
  "nvvm.redux.sync": op("A reduction across the lanes of a warp in one instruction.", "redux.sync."),
  "nvvm.elect.sync": op("True in one lane of the warp.", "elect.sync."),
  "nvvm.ldmatrix": op(
    "Loads 8x8 matrices of 16-bit elements from shared memory: each lane gives a row's address and gets two elements of each matrix.",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16.",
  ),
  "nvvm.stmatrix": op("Stores 8x8 matrices of 16-bit elements to shared memory.", "stmatrix.sync.aligned.m8n8.x4.shared.b16."),
  "nvvm.mma.sync": op("A matrix product by the 32 lanes of a warp.", "mma.sync.aligned."),
  "nvvm.wgmma.mma_async": op("A matrix product by a warp group.", "wgmma.mma_async.sync.aligned."),
  "nvvm.cp.async.shared.global": op(
    "Starts to copy 4, 8 or 16 bytes from global to shared memory.",
    "cp.async.ca.shared.global or cp.async.cg.shared.global.",
  ),
  "nvvm.cp.async.commit.group": op("Closes a group of copies.", "cp.async.commit_group."),
  "nvvm.cp.async.wait.group": op("Waits until at most N groups are under way.", "cp.async.wait_group N."),
  "nvvm.inline_ptx": op("PTX text with operands.", "The text itself."),
  "nvvm.rcp.approx.ftz.f": op("1 divided by a float, approximately.", "rcp.approx.ftz.f32."),
  "nvvm.setmaxregister": op("A warp group gives registers up or asks for more.", "setmaxnreg.dec or setmaxnreg.inc."),
  "nvvm.nanosleep": op("Pauses a thread.", "nanosleep.u32."),
  "nvvm.exit": op("Ends a thread.", "exit."),
  "nvvm.mapa": op("The address of shared memory of another CTA of the cluster.", "mapa."),
  "nvvm.prefetch": op("Brings memory, or a tensor map, into a cache.", "prefetch."),
  "nvvm.convert.float.to.tf32": op("A float rounded to tf32.", "cvt.rna.tf32.f32."),
  "nvg.wgmma": op("One wgmma with its descriptors and registers.", "wgmma.mma_async.sync.aligned."),
  "nvg.wgmma_wait_group": op("Waits for wgmma groups, and keeps the accumulator's registers in place.", "wgmma.wait_group.sync.aligned."),
  "nvg.cluster_id": op("The index of this CTA in its cluster.", "Arithmetic on %cluster_ctaid and %cluster_nctaid."),
  "nvg.ld_acquire": op("A load with acquire semantics.", "ld.global.gpu.acquire."),
  "nvg.warp_id": op("The index of the warp in its CTA, known to be equal in the warp.", "%tid.x divided by 32, and shfl.sync.idx."),
  "nvg.tensor_memory_base": op("The address of the kernel's tensor memory.", "A load of what tcgen05.alloc wrote to shared memory."),
};

/** Families of lowered ops. The first that fits counts. */
export const LOWERED_FAMILIES: readonly (readonly [RegExp, OpText])[] = [
  [
    /^llvm\.intr\.(?:vp|coro|matrix|masked|vector|experimental|dbg|eh|va|lifetime|invariant|launder|strip|stack|threadlocal|annotation|ptr|var|ssa|expect|is|debugtrap|ubsantrap|stepvector|vscale|get|load|prefetch|memset|memmove|memcpy|trap|donothing|call)/,
    op(
      "An intrinsic of LLVM, as its reference describes it. Triton makes none.",
      "tt-step reads and prints it; there is no PTX for it here.",
    ),
  ],
  [
    /^llvm\.intr\./,
    op(
      "An intrinsic of LLVM: a function of numbers that its name says.",
      "One instruction where PTX has it (fma.rn.f32, min, max, abs, popc, clz), else a few.",
    ),
  ],
  [
    /^llvm\.(?:add|sub|mul|[us]div|[us]rem|and|or|xor|shl|lshr|ashr|fadd|fsub|fmul|fdiv|frem|fneg)$/,
    op(
      "Arithmetic of one thread: integers wrap around, floats round to nearest even.",
      "The instruction of that name: add.s32, shl.b32, fma.rn.f32 with a product.",
    ),
  ],
  [
    /^llvm\.(?:trunc|zext|sext|fptrunc|fpext|fptosi|fptoui|sitofp|uitofp|inttoptr|ptrtoint|bitcast)$/,
    op("A value as another type.", "cvt, or nothing where the bits stay."),
  ],
  [/^llvm\.(?:atomicrmw|cmpxchg|fence)$/, op("An atomic access or a fence, with an order and a scope.", "atom, red or fence.")],
  [
    /^llvm\./,
    op(
      "An op of the LLVM dialect: LLVM's language reference describes the instruction of its name.",
      "tt-step reads and prints it. Triton makes none.",
    ),
  ],
  [
    /^nvvm\.read\.ptx\.sreg\./,
    op(
      "A special register of the thread: its index, its CTA's, the clock.",
      "mov.u32 %r, with the register of its name: %tid.x, %ctaid.x, %laneid.",
    ),
  ],
  [
    /^nvvm\.cp\.async\.(?:bulk|mbarrier)/,
    op("A copy by the tensor memory accelerator, or the arrival of copies at an mbarrier.", "The PTX instruction of its name."),
  ],
  [/^nvvm\.mbarrier\./, op("An mbarrier in shared memory: made, arrived at, waited for.", "The PTX instruction of its name.")],
  [
    /^nvvm\.(?:wgmma|tcgen05|wmma|cluster|clusterlaunchcontrol|fence|griddepcontrol)/,
    op("An instruction of tensor cores, clusters or fences.", "The PTX instruction of its name."),
  ],
  [/^rocdl\.mfma\./, op("A matrix product by the 64 lanes of a wave.", "The v_mfma of its name.")],
  [/^rocdl\.(?:work|grid)/, op("A place of the lane or the workgroup, or a number of them.", "A register that holds it from the start.")],
  [/^rocdl\./, op("An instruction of AMD's GPUs as an op.", "The instruction of its name.")],
  [/^nvvm\./, op("An instruction of PTX as an op.", "The PTX instruction of its name.")],
];

/** Ops of older Tritons are explained by today's op of their name. */
export const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^triton_gpu\.memdesc_subview$/, "ttg.memdesc_subslice"],
  [/^triton_gpu\.(?:cmpi|cmpf|select)$/, "arith"],
  [/^triton_gpu\./, "ttg"],
  [/^triton_nvidia_gpu\./, "ttng"],
  [/^nvgpu\./, "nvg"],
  [/^func\.func$/, "tt.func"],
  [/^func\./, "tt"],
];

/** Ops of older Tritons that have no successor. */
export const OLDER: Readonly<Record<string, OpText>> = {
  "tensor.extract_slice": op("Triton 2.0: a part of a tensor in shared memory. Today ttg.memdesc_subslice.", "A sum of addresses."),
  "triton_gpu.alloc_tensor": op(
    "Triton 2.0: a buffer in shared memory, as a tensor. Today ttg.local_alloc.",
    "An offset in shared memory.",
  ),
  "triton_gpu.insert_slice_async": op(
    "Triton 2.0: starts to copy a tensor from global memory into one slot of a buffer. Today ttg.async_copy_global_to_local.",
    "cp.async.",
  ),
  "triton_gpu.extract_slice": op("Triton 2.1: one slot of a buffer. Today ttg.memdesc_index.", "A sum of addresses."),
};
