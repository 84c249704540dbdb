import type { PassText } from "../records.js";

/** Passes that put code into a kernel which checks or measures it. */
export const INSTRUMENTATION: Readonly<Record<string, PassText>> = {
  "tritoninstrument-concurrency-sanitizer": {
    purpose:
      "Puts checks around every access of shared memory and tensor memory: a thread that reads must have seen the last write, and one that writes must know of all reads. Tables in global scratch memory say for each buffer who has seen what; mbarriers, commits and waits hand that on. A wait is checked for deadlock: some thread must not wait. A kernel that breaks a rule ends with a message.",
    place:
      "It runs after shared memory and tensor memory were allocated, as it names buffers by their offsets, and before tritongpu-global-scratch-memory-allocation, which gives its tables their place. Triton runs it with TRITON_INSTRUMENTATION_MODE=consan.",
    declines:
      "A buffer that is passed to a function, or of which parts and the whole are used, is not checked; a warning says so. tt.func @__triton_consan_... are the functions that read and change the tables.",
  },
  "allocate-proton-global-scratch-buffer": {
    purpose:
      "Gives each of the profiler's buffers in global memory its offset, and writes the bytes that a program needs on the module (ttg.profile_scratch_memory_size).",
    place: "It runs before the lowering to LLVM, which makes addresses of the offsets.",
    declines: "Without such buffers nothing is written. All buffers have the alignment of the first.",
  },
  "add-sched-barriers": {
    purpose:
      "Puts rocdl.sched.barrier before each read of a counter and after each store of one, so that LLVM moves no instruction into or out of the region that is measured.",
    place: "It runs on AMD's GPUs before the profiler's ops are lowered: after that a counter is a call like others.",
    declines: "Where there is such a barrier already, no other is added.",
  },
  "convert-proton-nvidia-gpu-to-llvm": {
    purpose:
      "Lowers the profiler's ops for NVIDIA's GPUs: a counter is %clock, a record is two words that one thread of a warp stores to the warp's part of a ring, and at the end all are copied to global memory, after a header with times, program and SM.",
    place: "It runs after the kernel was lowered to the LLVM dialect.",
    declines: "Other ops stay, with casts between. Segments for anything but warps are an error.",
  },
  "convert-proton-amd-gpu-to-llvm": {
    purpose:
      "Lowers the profiler's ops for AMD's GPUs: a counter is s_memtime, a record is two words that one lane of a wave stores to LDS, and at the end all are copied to global memory, after a header with times, program and compute unit.",
    place: "It runs after the kernel was lowered to the LLVM dialect.",
    declines: "The number of the compute unit is known on gfx942 and gfx950 only. Records in global memory are an error.",
  },
};
