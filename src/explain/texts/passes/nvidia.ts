import type { PassText } from "../records.js";

/** Passes that only NVIDIA's GPUs have: tensor cores, pipelining, TMA and tensor memory. */
export const NVIDIA: Readonly<Record<string, PassText>> = {
  "tritongpu-accelerate-matmul": {
    purpose:
      "Gives dots the layout of a tensor core instruction where the GPU has one for their types and shapes: mma.sync from sm_80 on, wgmma on sm_90, tcgen05 on sm_100. Scaled dots are decomposed where there is none for them. Operands of types that the instruction does not take are promoted.",
    place:
      "It runs after coalescing, so that operands come from loads with known layouts, and before the pipeliner, which asks how a dot reads its operands. tritongpu-remove-layout-conversions cleans up after it.",
    declines:
      "A dot stays a loop of multiply-adds where no instruction takes its types or where it is too small; matmul.declined in the remarks says which. wgmma needs 4 warps or a multiple and 64 rows, else mma.sync is used.",
  },
  "allocate-shared-memory-nv": {
    purpose:
      "Gives each buffer in shared memory its offset (allocation.offset), scratch memory of ops included, such that those alive at the same time do not overlap. The module gets the size of all (ttg.shared). Units: bytes. Conversions are sized for the matrix instructions of the target. A kernel that needs more than a CTA may have gets a warning with the largest buffers.",
    place: "It runs right before the lowering: no later pass makes a buffer, and addresses become constants there.",
    declines: "A kernel without buffers gets ttg.shared = 0.",
  },
  "triton-nvidia-gpu-fence-insertion": {
    purpose:
      "From sm_90 on, matrix instructions read shared memory through the async proxy. A fence goes between what threads wrote there and the instruction, outside of loops in which nothing is written.",
    place: "It runs after the pipeliner and the last change of order, as both decide what is written before which instruction.",
    declines: "Before sm_90 there is nothing to do. Operands that TMA wrote need no fence: both sides use the same proxy.",
  },
  "triton-nvidia-mma-lowering": {
    purpose:
      "Makes tcgen05 instructions that nobody waits for wait for themselves, copies scales from shared to tensor memory, and lets instructions signal the barriers of the commits that follow them.",
    place: "It runs after the pipeliner, which gives the other instructions their barriers.",
    declines: "Without tcgen05 instructions nothing but a clean-up happens.",
  },
  "tritongpu-optimize-accumulator-init": {
    purpose:
      "Instructions of Hopper and Blackwell can start with zero instead of an accumulator. Where one is zero, or is set to zero in some rounds of a loop, a flag that the loop carries says so, and nothing is written.",
    place: "It runs after tritongpu-accelerate-matmul and before accumulators are moved to tensor memory for good.",
    declines: "mma.sync (before Hopper) has no such flag. An accumulator that starts with other values stays.",
  },
  "tritongpu-optimize-dot-operands": {
    purpose:
      "Operands of dots that are transposed or reshaped go to shared memory first and are viewed there: the transposition then costs nothing. It runs canonicalize before.",
    place: "It runs after tritongpu-accelerate-matmul, once before the pipeliner and once after.",
    declines:
      "An operand that is not transposed or reshaped on its way stays, and so does one of a type that the matrix load cannot transpose.",
  },
  "tritongpu-assign-latencies": {
    purpose:
      "Marks the loads that feed the dots of a loop, directly or through other loads, with tt.latency: the stages between the load and its use, so that the loads from the first one to the dot share the loop's stages. Instructions of Blackwell that can overlap with themselves get tt.self_latency.",
    place: "First of the pipeliner's three passes. It only decides; tritongpu-schedule-loops and tritongpu-pipeline do the rest.",
    declines:
      "A loop with num_stages = 1, with a barrier, or nested around another loop gets none. A load gets none when cp.async could copy less than 4 bytes at once, when it feeds no dot (unless tt.num_stages is on the loop), or when its users are not in the loop.",
  },
  "tritongpu-schedule-loops": {
    purpose:
      "Turns the latencies of a loop's ops into a schedule: a stage for each op (loop.stage) and its place within a round (loop.cluster). Ops that nothing waits for go to the last stage.",
    place: "Second of the pipeliner's three passes, after tritongpu-assign-latencies. Warp specialization reads the same schedule.",
    declines: "A loop without latencies gets no schedule. A loop whose next round needs a value of a later stage is not scheduled.",
  },
  "tritongpu-pipeline": {
    purpose:
      "Makes loads of a scheduled loop copies to buffers in shared memory that run while earlier rounds compute, and spreads each round over the loop's stages: a prologue starts the first loads, the loop loads ahead, and waits only for the round it computes.",
    place:
      "Third of the pipeliner's three passes. Layouts and instructions are chosen before, because the buffer of a load is swizzled for the instruction that reads it.",
    declines: "A loop without a schedule stays, and so does one with a single stage.",
  },
  "triton-nvidia-gpu-plan-cta": {
    purpose:
      "With several CTAs in a cluster, chooses how they share the tensors: a dot's tiles stay large and reductions stay within a CTA. The choice is carried from there to all other ops.",
    place: "It runs while layouts are still simple, before conversions are removed.",
    declines: "With num_ctas = 1 there is nothing to do.",
  },
  "triton-nvidia-gpu-proxy-fence-insertion": {
    purpose:
      "From sm_90 on, copies of the tensor memory accelerator write shared memory through another path (the async proxy) than the threads' own accesses. A fence goes between the two where they touch the same bytes.",
    place: "It runs after buffers have their offsets: only then it is known which share bytes.",
    declines: "Before sm_90 there is nothing to do. Buffers that do not overlap need no fence.",
  },
  "triton-nvidia-gpu-tmem-barrier-insertion": {
    purpose:
      "Puts a barrier before an access to tensor memory that must come after what other threads read or wrote there. Accesses of the tensor cores are waited for by mbarriers, so they need no such barrier.",
    place: "With --triton 3.8 it runs right before the lowering. Before, the code of each store to tensor memory had a barrier of its own.",
    declines: "Accesses to different rows or columns need no barrier, nor do two reads.",
  },
  "triton-nvidia-tmem-load-reduce": {
    purpose:
      "Lets a load from tensor memory compute the minimum or maximum of each row too, where the GPU has such a load: from sm_103 on.",
    place: "With --triton 3.8 it follows the choice of layouts for accesses to tensor memory.",
    declines: "None of the GPUs that can be compiled for has the instruction, so there is nothing to do.",
  },
  "triton-nvidia-check-matmul-two-cta": {
    purpose: "Checks that all tcgen05.mma of a module run on one CTA or all on two, and writes on the module which (ttng.two-ctas).",
    place: "It runs before the lowering: the allocation of tensor memory differs between the two.",
    declines: "A module without tcgen05.mma only gets the attribute. A mixture is an error.",
  },
  "tritongpu-hoist-tmem-alloc": {
    purpose:
      "Keeps accumulators of tcgen05 instructions in tensor memory: what a loop carries in registers, and copies to tensor memory and back in each round, is copied once before and once after it.",
    place:
      "It runs on Blackwell only, before the pipeliner, and once more after warp specialization with hoist-out-of-if (post-pipeline in Triton 3.8), where 3.8 also moves a buffer into the loop that overwrites it.",
    declines: "An accumulator that other ops of the loop change stays in registers there.",
  },
  "triton-nvidia-interleave-tmem": {
    purpose:
      "Moves loads and allocations of tensor memory, and what follows them at once, down to where they are used, so that fewer registers are in use at a time.",
    place: "It runs after loads of tensor memory were split into parts (triton-nvidia-optimize-tmem-layouts).",
    declines: "An access does not move over another one of the same buffer, nor over a barrier.",
  },
  "triton-nvidia-optimize-tmem-layouts": {
    purpose:
      "Splits loads and stores of tensor memory whose halves are used apart, and picks the layouts in which they move: whole rows for each warp where a row is reduced, and one that shared memory takes better where a copy goes there or comes from there.",
    place: "It runs after the pipeliner and before the last removal of conversions, which clears up after the new layouts.",
    declines: "Kernels without tensor memory stay.",
  },
  "tritongpu-promote-lhs-to-tmem": {
    purpose:
      "The first operand of a tcgen05 instruction that threads computed goes to tensor memory instead of shared memory, from where it need not be read again.",
    place: "It runs after accumulators were placed and before the pipeliner. In attention, the probabilities are such an operand.",
    declines: "An operand that was loaded stays in shared memory when it would have to change its layout.",
  },
  "triton-nvidia-gpu-remove-tmem-tokens": {
    purpose: "Drops the tokens that order accesses of tensor memory: from here on their order in the text says the same.",
    place: "It runs after the passes that move ops of tensor memory between loops and partitions.",
    declines: "IR without tokens of tensor memory stays.",
  },
  "triton-tensor-memory-allocation": {
    purpose:
      "Gives each buffer in the tensor memory of Blackwell its column and row, and the module the columns that it needs in all (ttg.tensor_memory_size).",
    place: "It runs beside the allocation of shared memory, right before the lowering.",
    declines: "Without such buffers the module gets 0. More than 512 columns are an error.",
  },
  "triton-nvidia-optimize-descriptor-encoding": {
    purpose:
      "Gives every tensor descriptor the layout in shared memory that its loads and stores want: that of a buffer which a loaded tensor is put into, where TMA knows it, or else the widest swizzle that fits a row. Descriptors that may be the same one get the same.",
    place: "It runs after the dots have chosen the layouts of their operands.",
    declines: "A kernel without tensor descriptors stays.",
  },
  "triton-nvidia-tma-lowering": {
    purpose:
      "Loads and stores through tensor descriptors that were not pipelined become TMA copies from and to a buffer in shared memory, with a barrier of their own for a load, and a wait after a store. Descriptors are written to global scratch memory.",
    place: "It runs after the pipeliner, which lowers the loads of loops itself.",
    declines: "A kernel without tensor descriptors stays.",
  },
};
