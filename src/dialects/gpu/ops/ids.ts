/** Ops that say where in the grid a thread is. Source: mlir/include/mlir/Dialect/GPU/IR/GPUOps.td, GPU_IndexOp. */
import type { Attribute } from "../../../ir/attribute.js";
import { IntegerAttr } from "../../../ir/builtin-attrs.js";
import { indexType, isIndex } from "../../../ir/builtin-types.js";
import { type AttrConstraint, Index, optionalAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { Dimension } from "../attrs.js";

const IndexAttr: AttrConstraint<Attribute> = {
  description: "index attribute",
  test: (a) => IntegerAttr.is(a) && isIndex(a.params.type),
  read: (a) => a,
  write: (_ctx, a) => a,
  type: indexType,
};

/** An index along one dimension; its result is named after both. */
function indexOp(name: string, summary: string) {
  return defineOp(`gpu.${name}`, () => ({
    summary,
    attrs: { dimension: Dimension, upper_bound: optionalAttr(IndexAttr) },
    results: { result: Index },
    traits: [Pure],
    format: "$dimension (`upper_bound` $upper_bound^)? attr-dict",
    inferTypes: ({ ctx }) => [indexType(ctx)],
    resultNames: ({ dimension }) => [`${name}_${dimension}`],
  }));
}
export const ThreadIdOp = indexOp("thread_id", "the thread's index in its block");
export const BlockIdOp = indexOp("block_id", "the block's index in the grid");
export const BlockDimOp = indexOp("block_dim", "the number of threads of a block");
export const GridDimOp = indexOp("grid_dim", "the number of blocks of the grid");
export const GlobalIdOp = indexOp("global_id", "the thread's index in the grid");
export const ClusterIdOp = indexOp("cluster_id", "the cluster's index in the grid");
export const ClusterDimOp = indexOp("cluster_dim", "the number of clusters of the grid");
export const ClusterBlockIdOp = indexOp("cluster_block_id", "the block's index in its cluster");
export const ClusterDimBlocksOp = indexOp("cluster_dim_blocks", "the number of blocks of a cluster");

function bareIndexOp(name: string, summary: string, format: string) {
  return defineOp(`gpu.${name}`, () => ({
    summary,
    attrs: { upper_bound: optionalAttr(IndexAttr) },
    results: { result: Index },
    traits: [Pure],
    format: `(\`upper_bound\` $upper_bound^)? attr-dict${format}`,
    inferTypes: ({ ctx }) => [indexType(ctx)],
  }));
}
export const LaneIdOp = bareIndexOp("lane_id", "the thread's index in its subgroup (warp)", "");
export const SubgroupIdOp = bareIndexOp("subgroup_id", "the subgroup's index in its block", " `:` type($result)");
export const NumSubgroupsOp = bareIndexOp("num_subgroups", "the number of subgroups of a block", " `:` type($result)");
export const SubgroupSizeOp = bareIndexOp("subgroup_size", "the number of threads of a subgroup", " `:` type($result)");
