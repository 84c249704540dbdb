/** The machine attributes of modules and functions. Source: lib/Dialect/TritonGPU/IR/Dialect.cpp, lookupNumWarps and others. */
import { intOf, intsOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";

export const NUM_WARPS = "ttg.num-warps";
export const NUM_CTAS = "ttg.num-ctas";
export const TARGET = "ttg.target";
export const THREADS_PER_WARP = "ttg.threads-per-warp";

/** The warps per CTA that run `op`: those of its warp-specialized partition, function or module; undefined where none says. */
export function maybeLookupNumWarps(op: Operation): number | undefined {
  for (let at: Operation | null = op; at; at = at.parentOp) {
    if (at.name === "builtin.module" || at.name === "tt.func") {
      const numWarps = intOf(at.attr(NUM_WARPS));
      if (numWarps !== undefined) return numWarps;
    } else if (at.parentOp?.name === "ttg.warp_specialize.partitions") return partitionNumWarps(at.region!);
  }
  return undefined;
}
function partitionNumWarps(region: Region): number | undefined {
  return intsOf(region.parentOp?.parentOp?.attr("partitionNumWarps"))?.[region.index];
}

/** The first thread of the warp-specialized partition that an op is in; undefined outside of partitions and before their warps have numbers. */
export function firstThreadOfGroup(op: Operation): number | undefined {
  let at: Operation = op;
  while (at.parentOp && at.parentOp.name !== "ttg.warp_specialize.partitions") at = at.parentOp;
  const specialize = at.parentOp?.parentOp;
  const first = specialize && intsOf(specialize.attr("warpGroupStartIds"))?.[at.region!.index];
  return typeof first === "number" ? first * getThreadsPerWarp(enclosingModule(op)) : undefined;
}

/** The module that `op` is in; it may be that module. */
export function enclosingModule(op: Operation): Operation | undefined {
  let at: Operation | null = op;
  while (at && at.name !== "builtin.module") at = at.parentOp;
  return at ?? undefined;
}
/** CTAs per cluster, as a module says. */
export function getNumCTAs(module: Operation | undefined): number {
  return intOf(module?.attr(NUM_CTAS)) ?? 1;
}
/** Threads per warp, as a module says. */
export function getThreadsPerWarp(module: Operation | undefined): number {
  return intOf(module?.attr(THREADS_PER_WARP)) ?? 32;
}
/** The warps of all groups of a module together. */
export function totalNumWarps(module: Operation | undefined): number {
  return intOf(module?.attr("ttg.total-num-warps")) ?? intOf(module?.attr(NUM_WARPS)) ?? 4;
}
