import type { PassText } from "../records.js";

/** Passes that give the parts of a loop to different warps, on Hopper and Blackwell. */
export const WARP_SPECIALIZATION: Readonly<Record<string, PassText>> = {
  "tritongpu-automatic-warp-specialization": {
    purpose:
      "Gives the parts of loops with tt.warp_specialize to different groups of warps. It runs the passes of this group one after the other: partition-scheduling, the nvws passes, partition-loops.",
    place: "It runs between scheduling and pipelining, and reads the schedule's stages. Blackwell's pipeline has it.",
    declines:
      "Without a loop from tl.range(..., warp_specialize=True) constants are propagated, equal values merged, and latencies that are left become a schedule.",
  },
  "tritongpu-partition-scheduling": {
    purpose:
      "Gives each op of the loops with tt.warp_specialize to one or more groups of warps: one for loads through descriptors, one for tcgen05 instructions, one for what is computed of each instruction. Ops between two groups go to the first, or are copied to both.",
    place: "It begins automatic warp specialization. The attributes ttg.partition that it writes are read by all that follow.",
    declines: "A loop without a load through a descriptor or an instruction that can be given away gets no partitions.",
  },
  "nvws-hoist-tmem-store": {
    purpose:
      "A first value that is stored to tensor memory becomes the initial value of the allocation. Where the dots of an inner loop overwrite it, the allocation leaves all loops.",
    place: "Since Triton 3.7 it runs after every op has its partition, and before tensor memory goes from one partition to another.",
    declines: "An allocation stays in the loop where the inner loop's bounds depend on the outer one and it may have no round.",
  },
  "nvws-insert-aref": {
    purpose:
      "Values that one partition computes or loads and another one uses go through a buffer in shared memory: the producer enters an aref, writes and leaves it; the consumer enters it, reads and leaves it after the last use.",
    place: "It runs after every op has its partition: only then it is known which values cross.",
    declines: "Values that both partitions can compute themselves (constants, scalars) do not go through memory.",
  },
  "nvws-insert-tmem-aref": {
    purpose: "Tensor memory that two partitions access goes from one to the other and back: one puts, the other one gets.",
    place: "It runs after nvws-insert-aref, for accumulators and operands in tensor memory.",
    declines: "A buffer that one partition alone accesses stays as it is.",
  },
  "nvws-assign-stage-phase": {
    purpose:
      "Counts which buffer of an aref a partition enters, and in which phase its barriers are then. Each partition has counters of its own, which its loops carry and its branches hand on.",
    place: "It runs when all arefs are in place and before they become barriers.",
    declines: "IR without arefs stays.",
  },
  "nvws-lower-aref": {
    purpose:
      "An aref becomes its buffers with two barriers for each: one says that it is empty, one that it is full. What TMA loads has as many buffers as the loop has stages, and what is used at the same place shares an aref.",
    place: "It runs after stages and phases were counted. From here on partitions synchronize by mbarriers alone.",
    declines: "IR without arefs stays.",
  },
  "tritongpu-partition-loops": {
    purpose:
      "Makes of a loop whose ops have partitions one loop for each partition, in an nvws.warp_group. Values that partitions need of each other have to go through memory by now. The results are those of partition 0, and tensors of other partitions go through shared memory.",
    place: "It runs after nvws-lower-aref. Before it there is one loop with marks, after it there are several programs.",
    declines: "A loop without partitions stays one loop.",
  },
  "nvws-lower-warp-group": {
    purpose:
      "nvws.warp_group becomes ttg.warp_specialize. The first group becomes the default region when it has as many warps as the module. The others become partitions, which are isolated: they compute constants and pure tensors themselves, other tensors come through shared memory.",
    place: "It ends automatic warp specialization, so that later passes know one op alone.",
    declines: "IR without nvws.warp_group stays.",
  },
  "tritongpu-optimize-partition-warps": {
    purpose:
      "Halves the warps of a partition as long as its largest tensor, counted twice, fits in the registers that its threads may have then. Where that changes the warps of a partition with tensors, all its layouts are chosen anew.",
    place: "It runs after the pipeliner: before, it is not known what a partition holds in registers.",
    declines: "The default partition keeps its warps. So does a partition with ops that need a certain number.",
  },
  "nvgpu-warp-specialization": {
    purpose:
      "Hopper's way: gives the loads and the warp group dots of functions with a tt.warp_specialize loop to different warp groups. One loads, two multiply, each its half of the tile. They hand each other values through rings of buffers, guarded by barriers. The loops get tt.num_stages = 0, so that they are not pipelined again.",
    place: "It runs before the pipeliner on sm_80 and sm_90, after the dots are wgmma.",
    declines:
      "Only functions with 4 warps and without `else` are taken. Without tt.warp_specialize nothing changes. Where there is no warp group dot (before Hopper) there is nothing to give away.",
  },
};
