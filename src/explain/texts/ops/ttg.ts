import type { OpText } from "../records.js";

const op = (meaning: string, becomes: OpText["becomes"]): OpText => ({ meaning, becomes });

/** Ops on layouts, shared memory and warps. */
export const TTG: Readonly<Record<string, OpText>> = {
  "ttg.convert_layout": op(
    "The same tensor with another layout: elements move between registers, lanes and warps. `--why` of its value says by which way and what it costs.",
    {
      "within a thread": "mov, or nothing.",
      "within a warp": "shfl.sync, with prmt for narrow elements.",
      "across warps": "st.shared, bar.sync, ld.shared, swizzled against bank conflicts; stmatrix and ldmatrix where the layouts fit them.",
    },
  ),
  "ttg.local_alloc": op(
    "A buffer in shared memory, filled with a tensor or empty.",
    "An offset in the CTA's shared memory, and st.shared (or stmatrix) for the tensor.",
  ),
  "ttg.local_dealloc": op("The end of a buffer's life: others may have its bytes.", "Nothing."),
  "ttg.local_load": op(
    "Reads a buffer into registers with a layout.",
    "ld.shared.v4; for operands of mma.sync ldmatrix, transposed where the buffer's order asks for it.",
  ),
  "ttg.local_store": op("Writes a tensor to a buffer.", "st.shared.v4, or stmatrix from sm_90 on."),
  "ttg.local_gather": op(
    "Reads the elements of a buffer that indices name along one dimension.",
    "ld.shared of each element, at an address made of the index.",
  ),
  "ttg.local_scatter": op(
    "Writes elements to the places of a buffer that indices name along one dimension.",
    "st.shared of each element, at an address made of the index.",
  ),
  "ttg.local_atomic_scatter_rmw": op(
    "Reads, changes and writes elements of a buffer that indices name along one dimension, one thread at a time.",
    "atom.shared; red.shared where nobody asks for what was there before.",
  ),
  "ttg.memdesc_index": op("One of several buffers: the first index of a buffer of one dimension more.", "A sum of addresses."),
  "ttg.memdesc_subslice": op("A part of a buffer, at constant offsets.", "Nothing: offsets are in the addresses of accesses."),
  "ttg.memdesc_trans": op("A buffer with its dimensions in another order.", "Nothing: the swizzled layout is permuted."),
  "ttg.memdesc_reshape": op("A buffer in another shape.", "Nothing."),
  "ttg.memdesc_reinterpret": op("A buffer's bytes as another type and shape.", "Nothing."),
  "ttg.async_copy_global_to_local": op("Starts to copy a tensor from global memory to a buffer, without registers between.", {
    "sm_80 up":
      "cp.async.cg (16 bytes) or cp.async.ca (4 or 8 bytes) for each group of elements; masked elements by a size of 0, which writes zeros.",
  }),
  "ttg.async_commit_group": op("Closes a group of copies that were started.", "cp.async.commit_group."),
  "ttg.async_wait": op(
    "Waits until at most `num` groups of copies are still under way.",
    "cp.async.wait_group N, then bar.sync before the buffer is read.",
  ),
  "ttg.predicate_stage": op(
    "The pipeliner's mark for the condition under which a stage runs.",
    "A compare. It goes when the loop is expanded.",
  ),
  "ttg.mask": op("A region that runs only where a condition holds, made by the pipeliner.", "Predicates of the ops inside."),
  "ttg.mask.return": op("Ends the region of ttg.mask.", "Nothing."),
  "ttg.fp4_to_fp": op("Two 4-bit floats (e2m1) of each byte as 16-bit floats.", "prmt and shifts on bits; cvt from sm_100 on."),
  "ttg.global_scratch_alloc": op(
    "Memory in global scratch space that the launcher provides, one piece for each program.",
    "The kernel's scratch pointer and an offset.",
  ),
  "ttg.local_barrier": op("All threads of a CTA wait for each other; shared memory is then seen by all.", "bar.sync 0."),
  "ttg.barrier": op("All threads of a CTA wait for each other; the memories that it names are then seen by all.", "bar.sync 0."),
  "ttg.warp_id": op("The index of the warp in its CTA.", "%tid.x divided by 32, made equal in a warp by shfl.sync."),
  "ttg.warp_specialize": op(
    "Runs different code on different warps: the default region on the warps of the kernel, each partition on warps of its own.",
    {
      "sm_90 up":
        "A switch: warps of partitions wait at a barrier for the index of their code. setmaxnreg moves registers between warp groups.",
    },
  ),
  "ttg.warp_specialize.partitions": op("Holds the partitions' regions of ttg.warp_specialize.", "Nothing."),
  "ttg.warp_yield": op("Ends the default region of ttg.warp_specialize with its results.", "A barrier with the partitions."),
  "ttg.warp_return": op("Ends a partition.", "A barrier with the default warps."),
};

/** Ops of Hopper and Blackwell. */
export const TTNG: Readonly<Record<string, OpText>> = {
  "ttng.fence_async_shared": op(
    "Makes writes of threads to shared memory visible to the async proxy: to wgmma, tcgen05 and TMA.",
    "fence.proxy.async.shared::cta.",
  ),
  "ttng.fence_mbarrier_init_release_cluster": op(
    "mbarriers that this CTA has started are seen by the other CTAs of the cluster.",
    "fence.mbarrier_init.release.cluster, by one thread.",
  ),
  "ttng.async_shared_store": op(
    "Stores a tensor to the shared memory of the CTAs that hold the buffer. An mbarrier there counts the bytes.",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.",
  ),
  "ttng.clc_try_cancel": op(
    "Asks for the work of a cluster that has not been launched. An mbarrier reports that the response is there.",
    "clusterlaunchcontrol.try_cancel.async, by one thread.",
  ),
  "ttng.clc_load_result": op("Reads the response to ttng.clc_try_cancel.", "ld.shared of 128 bits."),
  "ttng.clc_is_canceled": op("Whether there was a cluster to take over.", "clusterlaunchcontrol.query_cancel.is_canceled."),
  "ttng.clc_get_program_id": op(
    "The number of the program that is taken over, along one axis of the grid.",
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.",
  ),
  "ttng.packed_arith": op("Arithmetic on two elements at once: Gluon's add2 and the like.", "add.f32x2, fma.rn.f16x2 and the like."),
  "ttng.cluster_arrive": op("This thread has arrived at the barrier of its cluster.", "barrier.cluster.arrive.aligned."),
  "ttng.cluster_barrier": op(
    "Waits until all threads of the cluster are here.",
    "barrier.cluster.arrive.aligned and barrier.cluster.wait.aligned; before a CTA writes what another one still reads.",
  ),
  "ttng.cluster_wait": op("Waits until all threads of the cluster have arrived.", "barrier.cluster.wait.aligned."),
  "ttng.init_barrier": op("Makes an mbarrier that waits for so many arrivals.", "mbarrier.init.shared::cta.b64, by one thread."),
  "ttng.inval_barrier": op("The end of an mbarrier's life.", "mbarrier.inval.shared::cta.b64."),
  "ttng.barrier_expect": op(
    "An arrival that announces so many bytes of copies: the phase ends when these have come too.",
    "mbarrier.arrive.expect_tx.shared::cta.b64.",
  ),
  "ttng.wait_barrier": op("Waits until the phase of a given parity has ended.", "A loop of mbarrier.try_wait.parity.shared::cta.b64."),
  "ttng.arrive_barrier": op("Arrives at an mbarrier.", "mbarrier.arrive.shared::cta.b64."),
  "ttng.async_copy_mbarrier_arrive": op(
    "Arrives at an mbarrier when this thread's earlier cp.async are done.",
    "cp.async.mbarrier.arrive.noinc.shared.b64.",
  ),
  "ttng.warp_group_dot": op(
    "A matrix product by the four warps of a warp group: b in shared memory, a there or in registers, the accumulator in registers. It may go on while the warps do other things.",
    { sm_90: "wgmma.fence, wgmma.mma_async, wgmma.commit_group." },
  ),
  "ttng.warp_group_dot_wait": op(
    "Waits until at most so many groups of warp group dots are under way; its results are safe to read then.",
    { sm_90: "wgmma.wait_group.sync.aligned N." },
  ),
  "ttng.tc_gen5_mma": op(
    "A matrix product that one thread starts: operands in shared or tensor memory, the accumulator in tensor memory. An mbarrier reports its end.",
    { sm_100: "tcgen05.mma.cta_group::1.kind::f16 and the like, then tcgen05.commit." },
  ),
  "ttng.tc_gen5_mma_scaled": op("The same with a scale for each block of elements; scales are in tensor memory.", {
    sm_100: "tcgen05.mma with .block_scale.",
  }),
  "ttng.tc_gen5_commit": op("An mbarrier will report the end of all tensor core instructions started so far.", {
    sm_100: "tcgen05.commit.cta_group::1.mbarrier::arrive::one.",
  }),
  "ttng.tmem_alloc": op("A buffer in tensor memory: 128 rows of columns of 32 bits.", {
    sm_100: "A column in the space that the kernel got by tcgen05.alloc, and tcgen05.st for a tensor that fills it.",
  }),
  "ttng.tmem_load": op("Reads tensor memory into registers. A warp reaches the 32 rows of its place in the warp group.", {
    sm_100: "tcgen05.ld.sync.aligned.32x32b.xN and tcgen05.wait::ld.",
  }),
  "ttng.tmem_store": op("Writes registers to tensor memory.", { sm_100: "tcgen05.st.sync.aligned.32x32b.xN and tcgen05.wait::st." }),
  "ttng.tmem_subslice": op("Some columns of a buffer in tensor memory.", { sm_100: "A sum of addresses." }),
  "ttng.tmem_copy": op("Starts to copy shared memory to tensor memory: scales, as a rule.", { sm_100: "tcgen05.cp." }),
  "ttng.async_tma_copy_global_to_local": op(
    "One thread starts to copy a block of a tensor to shared memory; an mbarrier counts its bytes.",
    { "sm_90 up": "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes." },
  ),
  "ttng.async_tma_copy_local_to_global": op("One thread starts to copy a buffer to a block of a tensor.", {
    "sm_90 up": "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group and cp.async.bulk.commit_group.",
  }),
  "ttng.async_tma_reduce": op("One thread starts to add a buffer to a block of a tensor.", { "sm_90 up": "cp.reduce.async.bulk.tensor." }),
  "ttng.async_tma_gather": op("Starts to copy rows that a list names to shared memory.", {
    "sm_100 up": "cp.async.bulk.tensor with tile::gather4.",
  }),
  "ttng.async_tma_scatter": op("Starts to copy rows of a buffer to those that a list names.", {
    "sm_100 up": "cp.async.bulk.tensor with tile::scatter4.",
  }),
  "ttng.async_tma_store_wait": op("Waits until at most so many copies to global memory still read their buffers.", {
    "sm_90 up": "cp.async.bulk.wait_group.read N.",
  }),
  "ttng.reinterpret_tensor_descriptor": op("A pointer to a tensor map, as a descriptor.", "Nothing."),
  "ttng.tensormap_create": op("Writes a tensor map on the device: address, shape, strides, block, swizzle.", {
    "sm_90 up": "tensormap.replace for each field, in shared memory, then a copy to global memory.",
  }),
  "ttng.tensormap_fenceproxy_acquire": op("A tensor map written on the device is seen by the tensor memory accelerator.", {
    "sm_90 up": "fence.proxy.tensormap::generic.acquire.gpu.",
  }),
};

/** Ops between the partitions of a kernel that is specialized by warps. */
export const GLUON: Readonly<Record<string, OpText>> = {
  "gluon.set_auto_layout": op(
    "Says which layout a value of gl.AutoLayout gets.",
    "Nothing: the value has the layout (gluon-resolve-auto-encodings).",
  ),
};

export const NVWS: Readonly<Record<string, OpText>> = {
  "nvws.aref.create": op(
    "A ring of buffers that one partition fills and another one empties.",
    "Two mbarriers for each buffer: empty and full (nvws-lower-aref).",
  ),
  "nvws.aref.buffer": op("The buffers of an aref that was entered.", "ttg.memdesc_index."),
  "nvws.aref.put.enter": op("The producer waits until a buffer is empty, and may write it.", "ttng.wait_barrier on its empty barrier."),
  "nvws.aref.put.exit": op(
    "The producer has written: the buffer is full.",
    "An arrival at its full barrier; of a TMA load the copy's own.",
  ),
  "nvws.aref.get.enter": op("The consumer waits until a buffer is full, and may read it.", "ttng.wait_barrier on its full barrier."),
  "nvws.aref.get.exit": op(
    "The consumer has read: the buffer is empty.",
    "An arrival at its empty barrier; of a tensor core instruction its commit.",
  ),
  "nvws.descriptor_load": op("A load by TMA into a buffer that is given.", "ttng.async_tma_copy_global_to_local."),
  "nvws.descriptor_gather": op("A gather by TMA into a buffer that is given.", "ttng.async_tma_gather."),
  "nvws.create_token": op("A token for a channel between two groups of warps (Hopper's way).", "mbarriers."),
  "nvws.producer_acquire": op("The producer waits until the buffer of a token is empty.", "ttng.wait_barrier."),
  "nvws.producer_commit": op("The producer has filled the buffer.", "ttng.arrive_barrier."),
  "nvws.consumer_wait": op("The consumer waits until the buffer is full.", "ttng.wait_barrier."),
  "nvws.consumer_release": op("The consumer has emptied the buffer.", "ttng.arrive_barrier."),
  "nvws.warp_group": op("Regions that different warps run, before they are isolated.", "ttg.warp_specialize."),
  "nvws.warp_group.yield": op("Ends the first region with its results.", "ttg.warp_yield."),
  "nvws.warp_group.return": op("Ends another region.", "ttg.warp_return."),
};
