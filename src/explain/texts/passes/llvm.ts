import type { PassText } from "../records.js";

/** The lowering to the LLVM dialect. */
export const LLVM: Readonly<Record<string, PassText>> = {
  "canonicalize-llvm-ir": {
    purpose:
      "Applies the canonicalization patterns of the LLVM dialect to each of its functions, and resolves selects with a known condition.",
    place: "With --triton 3.8 it comes after convert-triton-gpu-to-llvm, where earlier versions run canonicalize.",
    declines: "Ops of other dialects stay, as far as they do not fold.",
  },
  "initialize-ws-cluster-barriers": {
    purpose: "Starts the mbarriers at which warp groups of several CTAs wait for each other.",
    place: "With --triton 3.8 it follows convert-triton-gpu-to-llvm.",
    declines: "Only kernels whose warp groups work in clusters of CTAs have such barriers; those are not compiled with 3.8 yet.",
  },
  "convert-arith-to-llvm": {
    purpose: "Replaces each op of arith by the op of the LLVM dialect that does the same: arith.addi by llvm.add.",
    place: "convert-triton-gpu-to-llvm has these rules built in. The pass is for lit tests and for IR without tensors.",
    declines: "Ops on tensors stay: only scalars and vectors are known to LLVM.",
  },
  "convert-cf-to-llvm": {
    purpose: "Replaces branches of cf by llvm.br, llvm.cond_br and llvm.switch, and the arguments of blocks by LLVM's types.",
    place: "It comes after convert-scf-to-cf. convert-triton-gpu-to-llvm has these rules built in.",
    declines: "A branch whose arguments have no LLVM type (tensors) stays.",
  },
  "convert-index-to-llvm": {
    purpose: "Lowers the index dialect. Triton's tools have no such dialect, and so no op is left to lower.",
    place: "Triton's lit tests name it in pipelines.",
    declines: "It never changes the IR.",
  },
  "convert-nv-gpu-to-llvm": {
    purpose:
      "Writes the ops of nvg as inline PTX or ops of nvvm, and lets the kernel ask for its tensor memory. sm_75 to sm_89 use few of them: the load of an atomic with acquire semantics, and the index of the warp.",
    place: "It comes after convert-triton-gpu-to-llvm, which leaves ops of nvg where several instructions belong together.",
    declines: "IR without ops of nvg stays.",
  },
  "convert-nvvm-to-llvm": {
    purpose: "Writes the instructions of nvvm that LLVM has no intrinsic for as inline PTX. The others stay, and LLVM translates them.",
    place: "It is one of the last passes: the clean-up before it understands ops of nvvm, but not text.",
    declines: "Ops with an intrinsic in LLVM stay.",
  },
  "convert-triton-gpu-to-llvm": {
    purpose:
      "Lowers each op of TTGIR to what one thread does: a tensor becomes a struct of the elements that the thread holds, a load becomes ld.global with a predicate, a dot becomes tensor core instructions, a conversion becomes moves, shuffles or a round through shared memory. A barrier is put where two accesses of shared memory need one.",
    place: "Shared and tensor memory are allocated before, because addresses are now constants. All layouts are final.",
    declines: "An op without a rule for the target is an error (lower.unsupported): nothing of TTGIR may be left.",
  },
  "convert-warp-specialize-to-llvm": {
    purpose:
      "The warps of partitions wait in a loop until the default warps name through shared memory which partition to run, with which captures. Named barriers keep them together.",
    place: "It comes after the lowering of what is in the partitions, when they are blocks of LLVM ops.",
    declines: "Kernels without warp specialization stay as they are.",
  },
  "enable-line-info": {
    purpose:
      "Gives functions a debug subprogram, and the parts of inlined locations the file that they are in, so that LLVM can make line information of them. Only locations change.",
    place: "It is the last pass: ops that are made later would have no scope.",
    declines: "Functions that have a subprogram stay. TRITON_DISABLE_LINE_INFO leaves the pass out.",
  },
  "extract-variable-info": {
    purpose:
      "Notes after each value with a name in its location that a variable of the source has that value, so that the debug information in LLVM IR says it. Since Triton 3.7 also the arguments of functions, with their types.",
    place: "It comes last, after enable-line-info, and only where LLVM_EXTRACT_DI_LOCAL_VARIABLES asks for it.",
    declines: "A value whose location is inlined has no variable; names are not looked for in the parts of a location.",
  },
  "llvm-optimize-for-nvvm-target": {
    purpose: "Replaces a division of f16 by one in f32 with a correction, which NVIDIA's GPUs do faster.",
    place: "MLIR's own pipelines run it. Triton 3.6's does not: its division of f16 is widened before.",
    declines: "Divisions of other types stay.",
  },
};
