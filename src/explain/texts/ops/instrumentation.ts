import type { OpText } from "../records.js";

const op = (meaning: string, becomes: string): OpText => ({ meaning, becomes });

/** Ops of the sanitizers (tti) and of the profiler (proton, proton_gpu). */
export const INSTRUMENTATION: Readonly<Record<string, OpText>> = {
  "tti.experimental_assert_in_thread": op(
    "Ends the program with a message unless the condition holds: all elements that the thread has, or any with check_any. The first thread of the group of warps reports it.",
    "A branch to a call of __assertfail, then a barrier.",
  ),
  "tti.experimental_buffer_pointers": op(
    "The addresses of buffers as a tensor, from their offsets in shared memory or tensor memory.",
    "The base of that memory and a constant for each element.",
  ),
  "tti.experimental_memdesc_to_i64": op("The address of a buffer as a number.", "llvm.ptrtoint of the address of its first element."),
  "tti.experimental_lock_acquire": op(
    "One thread waits until nobody else has the lock; the others wait for it.",
    "A loop of atom.global.acquire.gpu.cas.b32, then a barrier.",
  ),
  "tti.experimental_lock_release": op(
    "Gives the lock back after all threads are done.",
    "A barrier, then atom.global.gpu.acq_rel.exch.b32.",
  ),
  "tti.dot_i8": op(
    "A matrix product of bytes whose sums in 32 bits wrap around; each operand has a sign or not. tt.dot's sums saturate.",
    "mma.sync.aligned.m16n8k32.row.col.s32, with .s8 or .u8 for each operand.",
  ),
  "proton.record": op(
    "The beginning or the end of a region that the profiler measures, by its name.",
    "proton_gpu.read_counter and proton_gpu.circular_store.",
  ),
  "proton_gpu.read_counter": op("The cycles so far, with 32 or 64 bits.", "mov of %clock on NVIDIA's GPUs, s_memtime on AMD's."),
  "proton_gpu.circular_store": op(
    "Stores a counter with the number of its region to the warp's part of a buffer; when that is full, older records give way.",
    "Two words stored by one thread of the warp: st.shared.v2.b32, or a store to LDS.",
  ),
  "proton_gpu.global_scratch_alloc": op(
    "The program's buffer in global memory, in which the host finds the records.",
    "The kernel's last argument plus the bytes of all programs before.",
  ),
  "proton_gpu.initialize": op(
    "Writes the header of the program's buffer: a mark, the program, the unit that runs it and the time.",
    "Stores of the first thread.",
  ),
  "proton_gpu.finalize": op(
    "Copies the records from shared memory to the program's buffer, with the number of words of each warp and the times before and after.",
    "A loop in which each lane copies a record.",
  ),
  "proton_gpu.segment_alloc": op(
    "The warp's part of the profiler's buffer: all warps have one, or those that are selected.",
    "A struct: the buffer's address, where the part begins, and a pointer to the words written so far.",
  ),
  "proton_gpu.init_ctx": op("Sets the number of words of each warp to 0, in the program's buffer.", "Stores of the first thread."),
  "proton_gpu.restore_ctx": op("Reads how many words the warp has written, at the beginning of a group of warps.", "A load and a store."),
  "proton_gpu.save_ctx": op(
    "Writes how many words the warp has written, at the end of a group of warps.",
    "A store of one thread of the warp.",
  ),
};
