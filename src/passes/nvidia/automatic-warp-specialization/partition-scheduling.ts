import type { ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { arrayAttr, i32Attr } from "../../../ir/builtin-attrs.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { partitionByFlow } from "./flow-partitions.js";
import { initialPartitions } from "./initial-partitions.js";
import { assignMissingPartitions } from "./missing-partitions.js";
import { hasPartition, PARTITION_STAGES, setWarpSpecializeTag } from "./partition.js";
import { propagatePartitions, rematerializeBroadcasts } from "./propagate-partitions.js";
import { assignRegionBodies, assignRegionOps } from "./region-partitions.js";

export const partitionScheduling = definePass("tritongpu-partition-scheduling", {
  name: "TritonGPUPartitionScheduling",
  summary: "warp specialization partitioning pass",
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/PartitionScheduling.cpp",
  statistics: { loops: "loops that were divided" },
  run(root, pass) {
    const rw = new Rewriter(root.ctx, pass.listener);
    loopsToSpecialize(root).forEach((loop, tag) => {
      if (root.ctx.triton.dividesByFlow) {
        if (partitionByFlow(rw, loop, tag)) pass.count("loops");
        return;
      }
      const partitions = initialPartitions(rw, loop);
      if (!partitions) return;
      propagatePartitions(rw, loop, partitions);
      rematerializeBroadcasts(rw, loop, partitions);
      assignRegionBodies(loop, partitions);
      assignMissingPartitions(loop);
      assignRegionOps(loop);
      verifyPartitions(loop);
      setWarpSpecializeTag(loop.op, tag);
      const stages = partitions.map(({ stage }) => i32Attr(root.ctx, stage));
      loop.op.setAttr(PARTITION_STAGES, arrayAttr(root.ctx, stages));
      pass.count("loops");
    });
  },
});

/** The loops that the user wants divided, inner ones first. */
export const loopsToSpecialize = (root: ForView["op"]): ForView[] => forLoops(root).filter(({ op }) => op.hasAttr(WARP_SPECIALIZE));

function verifyPartitions(loop: ForView): void {
  loop.op.walkPostOrder((op) => {
    if (hasPartition(op) || op.hasAttr(WARP_SPECIALIZE) || YieldOp.is(op) || ReduceReturnOp.is(op)) return;
    refuse(op, "no partition of the warp-specialized loop needs the op");
  });
}
