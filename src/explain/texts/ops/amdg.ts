import type { OpText } from "../records.js";

const op = (meaning: string, becomes: string): OpText => ({ meaning, becomes });

/** Ops of AMD's GPUs on tensors and buffers. */
export const AMDG: Readonly<Record<string, OpText>> = {
  "amdg.buffer_load": op(
    "A load at offsets of 32 bits from one pointer. The hardware returns 0 past the end of the buffer, so that a mask is an offset past it and needs no branch.",
    "rocdl.raw.ptr.buffer.load, buffer_load_dwordx4 at the widest.",
  ),
  "amdg.buffer_load_to_local": op(
    "Starts to copy from global memory, at offsets from one pointer, to shared memory, without registers between.",
    "rocdl.raw.ptr.buffer.load.lds: 4 bytes for each lane on gfx942, up to 16 on gfx950.",
  ),
  "amdg.buffer_atomic_rmw": op("An atomic operation at offsets from one pointer.", "rocdl.raw.ptr.buffer.atomic.*, buffer_atomic_*."),
  "amdg.buffer_atomic_cas": op("A compare and exchange at offsets from one pointer.", "rocdl.raw.ptr.buffer.atomic.cmpswap."),
  "amdg.buffer_store": op(
    "A store at offsets of 32 bits from one pointer. The hardware drops what lies past the end of the buffer.",
    "rocdl.raw.ptr.buffer.store, buffer_store_dwordx4 at the widest.",
  ),
  "amdg.masked_load": op(
    "A load under a condition, of a type of LLVM.",
    "A branch around llvm.load, with the other value by a block argument.",
  ),
  "amdg.masked_store": op("A store under a condition, of a type of LLVM.", "A branch around llvm.store."),
  "amdg.extract_slice": op("A part of a tensor, of registers that each thread already has.", "Nothing: the registers get other numbers."),
  "amdg.concat": op(
    "Tensors next to each other as one, of registers that each thread already has.",
    "Nothing: the registers get other numbers.",
  ),
  "amdg.in_thread_transpose": op(
    "Transposes the block that each thread holds, so that the store to shared memory that follows is as wide as the load before.",
    "ttg.convert_layout in each thread: v_perm_b32 for narrow elements.",
  ),
  "amdg.local_load_packed_tranposed": op(
    "Reads fp4 that are packed along rows or columns, and packs them along k.",
    "ds_read_b64_tr_b4 (gfx950).",
  ),
  "amdg.scaled_upcast_fp4": op("fp4 to wider floats, times a scale that is a power of two.", "v_cvt_scalef32_pk_* (gfx950)."),
  "amdg.scaled_upcast_fp8": op("fp8 to wider floats, times a scale that is a power of two.", "v_cvt_scalef32_pk_* (gfx950)."),
  "amdg.upcast_mxfp": op(
    "Numbers of an MX format, with one scale for each 32 along k, to bf16 or f16.",
    "Integer operations on their bits, and multiplications.",
  ),
  "amdg.instruction_sched_hint": op(
    "Marks a loop whose instructions LLVM is to order as the kernel's option schedule_hint says.",
    "rocdl.sched.barrier and rocdl.iglp.opt.",
  ),
  "amdg.cond_barrier": op(
    "A barrier for the warps whose condition is true: half of the warps run ahead of the others by a phase (block ping-pong).",
    "A branch around rocdl.s.barrier.",
  ),
  "amdg.async_wait": op("Waits until at most so many instructions that copy to shared memory are under way.", "s_waitcnt vmcnt(N)."),
  "amdg.memory_counter_wait": op(
    "Waits until the counters of loads, stores or shared memory are so low.",
    "s_waitcnt, or one wait for each counter on gfx12.",
  ),
  "amdg.init_barrier": op("Prepares an mbarrier for a number of arrivals (gfx1250).", "A store to shared memory by one thread."),
  "amdg.wait_barrier": op("Waits until a phase of an mbarrier is over (gfx1250).", "A loop on a load from shared memory."),
  "amdg.arrive_barrier": op("Arrives at an mbarrier (gfx1250).", "ds_atomic_barrier_arrive_rtn_b64."),
  "amdg.async_copy_mbarrier_arrive": op(
    "Arrives at an mbarrier when the copies before are done (gfx1250).",
    "ds_atomic_async_barrier_arrive_b64.",
  ),
  "amdg.async_tdm_copy_global_to_local": op(
    "Starts to copy a block of a tensor descriptor to shared memory by the tensor data mover (gfx1250).",
    "tensor_load_to_lds.",
  ),
  "amdg.async_tdm_copy_local_to_global": op(
    "Starts to copy shared memory to a block of a tensor descriptor by the tensor data mover (gfx1250).",
    "tensor_store_from_lds.",
  ),
  "amdg.async_tdm_wait": op("Waits until at most `num` copies by the tensor data mover are under way.", "s_wait_tensorcnt N."),
};
