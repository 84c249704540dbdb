/** Which ops and instructions runs of a kernel executed, with at least one lane active, and which none of them did. */

import * as amdg from "../dialects/amdg/ops/buffer.js";
import * as tt from "../dialects/tt/ops/index.js";
import type { Block } from "../ir/block.js";
import { numElements, RankedTensorType } from "../ir/builtin-types.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { siteText } from "./ptx/findings.js";
import type { PtxRun } from "./ptx/run.js";
import { printableLocation } from "./tensor/place.js";
import type { RunResult } from "./tensor/run.js";

export interface Coverage {
  readonly unit: "ops" | "instructions";
  readonly total: number;
  /** The ops or instructions that were never executed, each with its place. */
  readonly never: readonly string[];
}

/** The coverage of the ops of `module`'s functions, over runs of it; blocks that no branch leads to are left out. */
export function opCoverage(module: Operation, runs: readonly Pick<RunResult, "coverage">[]): Coverage {
  const executed = new Set<Operation>();
  for (const { coverage } of runs) for (const { op, count, lanes } of coverage) if (count > 0 && lanes !== 0) executed.add(op);
  const never: string[] = [];
  let total = 0;
  const visit = (op: Operation): void => {
    const isCode = op !== module && !op.def.interface(FunctionOp) && op.parentOp?.name !== "ttg.warp_specialize";
    if (isCode) {
      total++;
      if (!executed.has(op)) never.push(printableLocation(op));
    }
    for (const region of op.regions) for (const block of reachable([...region.blocks()])) for (const inner of block.ops()) visit(inner);
  };
  visit(module);
  return { unit: "ops", total, never };
}

/** Masks that were on for every lane of every run, and branches that always went the same way: there runs say nothing of the other one. */
export function onesided(runs: readonly Pick<RunResult, "coverage">[]): {
  readonly masks: readonly string[];
  readonly branches: readonly string[];
} {
  const sums = new Map<Operation, { count: number; lanes: number; taken: number }>();
  for (const { coverage } of runs)
    for (const { op, count, lanes, taken } of coverage) {
      const sum = sums.get(op) ?? { count: 0, lanes: 0, taken: 0 };
      sums.set(op, { count: sum.count + count, lanes: sum.lanes + lanes, taken: taken < 0 ? -1 : sum.taken + taken });
    }
  const masks: string[] = [];
  const branches: string[] = [];
  for (const [op, { count, lanes, taken }] of sums) {
    if (count === 0) continue;
    if (isMasked(op) && lanes === count * elementsOf(op)) masks.push(printableLocation(op));
    if (taken === 0 || taken === count) branches.push(`${printableLocation(op)} (always ${taken === 0 ? "false" : "true"})`);
  }
  return { masks, branches };
}

/** Whether an access has a mask, or a boundary check, that is no constant. */
function isMasked(op: Operation): boolean {
  const access = tt.LoadOp.match(op) ?? tt.StoreOp.match(op) ?? tt.AtomicRMWOp.match(op);
  const mask = (access ?? amdg.BufferLoadOp.match(op) ?? amdg.BufferStoreOp.match(op) ?? amdg.BufferAtomicRMWOp.match(op))?.mask;
  if (mask) return mask.definingOp?.name !== "arith.constant" && mask.definingOp?.operands[0]?.definingOp?.name !== "arith.constant";
  return ((tt.LoadOp.match(op) ?? tt.StoreOp.match(op))?.boundaryCheck.length ?? 0) > 0;
}
function elementsOf(op: Operation): number {
  const { type } = op.results[0] ?? (tt.StoreOp.match(op) ?? amdg.BufferStoreOp.match(op))!.value;
  return RankedTensorType.is(type) ? numElements(type.params.shape) : 1;
}

/** Blocks of a region that some path from its entry goes through. */
function reachable(blocks: readonly Block[]): Iterable<Block> {
  const seen = new Set(blocks.slice(0, 1));
  for (const block of seen) for (const op of block.ops()) for (const { block: next } of op.successors) seen.add(next);
  return blocks.filter((b) => seen.has(b));
}

/** The coverage of the instructions of a PTX text, over runs of it. */
export function instructionCoverage(runs: readonly Pick<PtxRun, "sites">[]): Coverage {
  const sites = runs[0]?.sites ?? [];
  const never = sites.filter((_, i) => runs.every((run) => run.sites[i]!.executions === 0)).map(siteText);
  return { unit: "instructions", total: sites.length, never };
}

const SHOWN = 8;

/** `1504 of 1513 instructions executed; never: line 353: @%p1 bra $L__BB0_3, ...` */
export function coverageText({ unit, total, never }: Coverage): string {
  const counts = `${total - never.length} of ${total} ${unit} executed`;
  return never.length === 0 ? counts : `${counts}; never: ${listed(never)}`;
}

/** The first of a list, and how many more there are. */
export function listed(texts: readonly string[]): string {
  return texts.slice(0, SHOWN).join(", ") + (texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : "");
}
