/**
 * `ttg.warp_specialize` stays until `convert-warp-specialize-to-llvm`; the code in its regions is lowered. Its operands and results keep
 * their types, so there are casts between it and lowered code.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp (legal ops); mlir/lib/Transforms/Utils/DialectConversion.cpp.
 */
import {
  partitionRegionsOf,
  WarpReturnOp,
  WarpSpecializeOp,
  WarpSpecializePartitionsOp,
  WarpYieldOp,
} from "../../../dialects/ttg/ops/warp-specialize.js";
import { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import { COPY_UNCONVERTED, rule } from "../../ttg-to-llvm/lowering.js";
import type { LoweringRule } from "./nvidia-lowering.js";

export const WARP_SPECIALIZE: readonly LoweringRule[] = [
  rule(WarpSpecializeOp, ({ op, explicitCaptures }, lo) => {
    const { b, ctx } = lo;
    const operands = explicitCaptures.map((value) => lo.unconverted(value));
    const defaultRegion = new Region(ctx, null, 0);
    const partitions = partitionRegionsOf(op).map((_, i) => new Region(ctx, null, i));
    const inner = new Operation(ctx, WarpSpecializePartitionsOp, { loc: op.regions[1]!.firstBlock!.firstOp!.locRef, regions: partitions });
    const holder = new Region(ctx, null, 1);
    holder.addBlock().append(inner);
    const made = new Operation(ctx, op.def, {
      loc: op.locRef,
      operands,
      resultTypes: op.resultTypes,
      attrs: op.attrs,
      regions: [defaultRegion, holder],
    });
    b.insert(made);
    const { block, before } = b;
    if (!lo.lowerRegion(op.regions[0]!, defaultRegion)) return false;
    for (const [i, region] of partitionRegionsOf(op).entries()) {
      const entry = partitions[i]!.addBlock();
      if (!b.inIsolated(entry, () => lo.lowerRegion(region, partitions[i]!))) return false;
    }
    b.block = block;
    b.before = before;
    return lo.setUnconverted(op.results, made.results);
  }),
  { def: WarpYieldOp, lower: COPY_UNCONVERTED },
  { def: WarpReturnOp, lower: COPY_UNCONVERTED },
];
