import { AssertOp, PrintOp } from "../../dialects/tt/ops/debug.js";
import { getThreadsPerWarp, maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { partitionRegionsOf, totalPartitionWarps, WarpReturnOp, WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { i32ArrayAttr, i32Attr, intOf } from "../../ir/builtin-attrs.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";

/** The attribute of a module: registers that a thread may have. */
export const MAX_REGISTERS = "ttg.maxnreg";
/** The attribute of a module: warps of a CTA, those of partitions included. */
export const TOTAL_NUM_WARPS = "ttg.total-num-warps";

/** Registers are handed around by groups of four warps. */
const WARPS_PER_GROUP = 4;
const REGISTERS_PER_CTA = 64 * 1024;
/** The number of registers that an idle partition asks for. */
const IDLE_REGISTERS = 16;
/** `setmaxnreg` takes no less. */
const FEWEST_REGISTERS = 24;

type WarpSpecialize = View<typeof WarpSpecializeOp>;

export const allocateWarpGroups = definePass("tritongpu-allocate-warp-groups", {
  name: "TritonGPUAllocateWarpGroups",
  summary: "Allocate warp groups",
  source: "lib/Conversion/TritonGPUToLLVM/AllocateWarpGroups.cpp",
  options: { instrumented: option.bool({ default: false, newer: true, summary: "whether a later pass adds ops that assert or print" }) },
  statistics: { padding: "partitions added that do nothing" },
  run(root, { count, listener, options: { instrumented } }) {
    const ops: WarpSpecialize[] = [];
    root.walkPostOrder((op) => {
      const specialize = WarpSpecializeOp.match(op);
      if (specialize) ops.push(specialize);
    });
    const numGroups = Math.ceil(Math.max(0, ...ops.map(totalPartitionWarps)) / WARPS_PER_GROUP);
    const rw = new Rewriter(root.ctx, listener);
    for (const op of ops)
      count(
        "padding",
        rw.from(op, () => fillUp(op, numGroups * WARPS_PER_GROUP, rw)),
      );

    const threadsPerWarp = getThreadsPerWarp(root);
    const baseNumWarps = maybeLookupNumWarps(root) ?? WARPS_PER_GROUP;
    const totalNumWarps = baseNumWarps + numGroups * WARPS_PER_GROUP;
    const maxnreg = intOf(root.attr(MAX_REGISTERS)) ?? roundDown(REGISTERS_PER_CTA / totalNumWarps / threadsPerWarp);
    for (const op of ops) {
      op.op.setAttr("warpGroupStartIds", i32ArrayAttr(root.ctx, startIds(op.partitionNumWarps, baseNumWarps)));
      const registers = shareRegisters(op, instrumented, maxnreg, baseNumWarps, threadsPerWarp);
      if (!registers) continue;
      op.op.setAttr("actualRegisters", i32ArrayAttr(root.ctx, registers));
      // ptxas needs to know what the kernel begins with.
      root.setAttr(MAX_REGISTERS, i32Attr(root.ctx, maxnreg));
    }
    root.setAttr(TOTAL_NUM_WARPS, i32Attr(root.ctx, totalNumWarps));
  },
});

/** Functions of the driver that print and assert need 32 registers. */
function fewestFor(region: Region, instrumented: boolean): number {
  if (instrumented) return 32;
  if (!region.parentOp!.ctx.triton.printsWithMoreRegisters) return 0;
  const prints = (op: Operation): "interrupt" | undefined => (AssertOp.is(op) || PrintOp.is(op) ? "interrupt" : undefined);
  for (const block of region.blocks()) for (const op of block.ops()) if (op.walk(prints)) return 32;
  return 0;
}

/** Registers come in eights. */
const roundDown = (registers: number): number => Math.floor(registers / 8) * 8;
const roundUp = (registers: number): number => Math.ceil(registers / 8) * 8;

/** Adds partitions that return at once, each of a power of two of warps, until there are `numWarps`. Returns how many. */
function fillUp(specialize: WarpSpecialize, numWarps: number, rw: Rewriter): number {
  const { op, requestedRegisters } = specialize;
  const added: number[] = [];
  for (let missing = numWarps - totalPartitionWarps(specialize); missing > 0; ) {
    const size = 2 ** Math.floor(Math.log2(missing));
    added.push(size);
    missing -= size;
  }
  if (added.length === 0) return 0;
  const partitions = op.regions[1]!.firstBlock!.firstOp!;
  for (let i = 0; i < added.length; i++) {
    const body = rw.createBlock(partitions.addRegion());
    for (const capture of specialize.explicitCaptures) body.addArgument(capture.type, capture.loc);
    rw.setEnd(body).create(WarpReturnOp, {}, { loc: op.locRef });
  }
  op.setAttr("partitionNumWarps", i32ArrayAttr(op.ctx, [...specialize.partitionNumWarps, ...added]));
  if (requestedRegisters)
    op.setAttr("requestedRegisters", i32ArrayAttr(op.ctx, [...requestedRegisters, ...added.map(() => IDLE_REGISTERS)]));
  return added.length;
}

/** The first warp of each partition; larger partitions come first, as groups of four must begin at multiples of four. */
function startIds(numWarps: readonly number[], base: number): number[] {
  const ids = new Array<number>(numWarps.length);
  let next = base;
  for (const [i, size] of [...numWarps.entries()].sort(([, a], [, b]) => b - a)) {
    ids[i] = next;
    next += size;
  }
  return ids;
}

/**
 * The registers of a thread of the default warps and of each partition: a group of warps gets the most that one of its partitions asks for,
 * the default warps what is left. Undefined where nothing was asked for, or too little would be left.
 */
function shareRegisters(
  specialize: WarpSpecialize,
  instrumented: boolean,
  maxnreg: number,
  baseNumWarps: number,
  threadsPerWarp: number,
): number[] | undefined {
  const { op, partitionNumWarps, requestedRegisters, warpGroupStartIds } = specialize;
  if (!requestedRegisters || totalPartitionWarps(specialize) % WARPS_PER_GROUP !== 0) return undefined;
  const order = [...warpGroupStartIds!.entries()].sort(([, a], [, b]) => a - b);
  const groups: { readonly partitions: number[]; registers: number; numWarps: number }[] = [];
  for (const [i, startId] of order) {
    if (startId % WARPS_PER_GROUP === 0) groups.push({ partitions: [], registers: 0, numWarps: 0 });
    const group = groups[groups.length - 1]!;
    group.partitions.push(i);
    group.registers = Math.max(
      group.registers,
      roundUp(Math.max(requestedRegisters[i]!, fewestFor(partitionRegionsOf(op)[i]!, instrumented))),
    );
    group.numWarps += partitionNumWarps[i]!;
  }
  const spare =
    groups.reduce((total, group) => total + (maxnreg - group.registers) * group.numWarps, maxnreg * baseNumWarps) * threadsPerWarp;
  if (spare <= 0) return undefined;
  const left = roundDown(Math.floor(spare / (baseNumWarps * threadsPerWarp)));
  if (left < Math.max(FEWEST_REGISTERS, fewestFor(op.regions[0]!, instrumented))) return undefined;
  const registers = [left, ...partitionNumWarps.map(() => 0)];
  for (const group of groups) for (const i of group.partitions) registers[1 + i] = group.registers;
  return registers;
}
