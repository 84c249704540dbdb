import { moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { PointerType } from "../../../dialects/tt/types.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { partitionRegionsOf, WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../../dialects/ttng/ops/tma.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import * as layout from "../../../layout/encoding-queries.js";
import { definePass } from "../../../pass/define-pass.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { relayoutWarps } from "./relayout-warps.js";

/** Registers of 32 bits that an SM of Blackwell has. */
const REGISTERS = 1 << 16;
/** Registers that a thread of a partition is expected to need: FEW without tensors, MANY with tensors. */
const FEW = 24;
const MANY = 88;

export const optimizePartitionWarps = definePass("tritongpu-optimize-partition-warps", {
  name: "TritonGPUOptimizePartitionWarps",
  summary: "optimize the number of warps assigned to partitions",
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/OptimizePartitionWarps.cpp",
  statistics: { partitions: "partitions that got fewer warps" },
  run(root, { analysis, count, runNested, fail }) {
    const specialized: Operation[] = [];
    root.walkPostOrder((op) => void (WarpSpecializeOp.is(op) && specialized.push(op)));
    if (specialized.length === 0) return;
    const axes = analysis(moduleAxisInfo, root);
    for (const op of specialized) {
      const regions = partitionRegionsOf(op);
      const before = WarpSpecializeOp.match(op)!.partitionNumWarps;
      const registers = regions.map(registersOf);
      const numWarps = reduceWarps({ before, registers, least: regions.map(leastWarps) }, getThreadsPerWarp(root), lookupNumWarps(op));
      for (const [i, region] of regions.entries()) {
        if (numWarps[i] === before[i]) continue;
        count("partitions");
        if (registers[i] === 0) continue;
        if (!relayoutWarps(root, region, op, axes, { before: before[i]!, after: numWarps[i]! }, runNested)) return fail();
      }
      const requested = registers.map((each) => (each > 0 ? MANY : FEW));
      op.setAttr("requestedRegisters", i32ArrayAttr(root.ctx, requested));
      op.setAttr("partitionNumWarps", i32ArrayAttr(root.ctx, numWarps));
    }
  },
});

/** Twice the registers of all threads for the largest tensor of a partition. */
function registersOf(region: Region): number {
  let most = 0;
  forOps(region, (op) => {
    for (const type of [...op.operands.map((value) => value.type), ...op.resultTypes])
      if (RankedTensorType.is(type)) most = Math.max(most, registersOfTensor(type));
  });
  return most * 2;
}
function registersOfTensor({ params: { shape, elementType, encoding } }: TensorType): number {
  const params = distributedParams(encoding)!;
  const threads = [...layout.getThreadsPerWarp(params, shape), ...layout.getWarpsPerCTA(params, shape)].reduce((a, b) => a * b, 1);
  const bits = PointerType.is(elementType) ? 64 : bitWidth(elementType)!;
  return Math.trunc((layout.getTotalElemsPerThread(params, shape) * threads * bits) / 32);
}

/** TMA needs two warps to be quick, tensor memory four to reach all its rows; the last such op decides, as upstream. */
function leastWarps(region: Region): number {
  let least = 1;
  forOps(region, (op) => {
    if (AsyncTMAGatherOp.is(op) || AsyncTMAScatterOp.is(op) || AsyncTMACopyGlobalToLocalOp.is(op)) least = 2;
    else if (TMEMLoadOp.is(op) || TMEMStoreOp.is(op) || TMEMAllocOp.is(op)) least = 4;
  });
  return least;
}
function forOps(region: Region, visit: (op: Operation) => void): void {
  for (const block of region.blocks()) for (const op of block.ops()) op.walkPostOrder(visit);
}

interface Warps {
  readonly before: readonly number[];
  readonly registers: readonly number[];
  readonly least: readonly number[];
}
/** One partition at a time: what one gives up, others may use. */
function reduceWarps({ before, registers, least }: Warps, threadsPerWarp: number, defaultNumWarps: number): number[] {
  const numWarps = [...before];
  const fits = (warps: number, i: number): boolean => {
    if (warps <= least[i]!) return false;
    const half = Math.trunc(warps / 2);
    const total = numWarps.reduce((sum, each) => sum + each, defaultNumWarps) - half;
    const needed = Math.trunc(Math.trunc(registers[i]! / threadsPerWarp) / half);
    return needed <= Math.trunc(Math.trunc(REGISTERS / threadsPerWarp) / total);
  };
  for (let i = numWarps.findIndex(fits); i >= 0; i = numWarps.findIndex(fits)) numWarps[i] = Math.trunc(numWarps[i]! / 2);
  return numWarps;
}
