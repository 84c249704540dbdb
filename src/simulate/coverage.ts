/** Which ops and instructions runs of a kernel executed, with at least one lane active, and which none of them did. */

import type { Block } from "../ir/block.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { siteText } from "./ptx/findings.js";
import type { PtxRun } from "./ptx/run.js";
import { printableLocation } from "./tensor/place.js";
import type { RunResult } from "./tensor/run.js";

export interface Coverage {
  readonly unit: "ops" | "instructions";
  readonly total: number;
  /** What was never executed, each with its place. */
  readonly never: readonly string[];
}

/** Of the ops of `module`'s functions, over runs of it; blocks that no branch leads to are left out. */
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

/** Blocks of a region that some path from its entry goes through. */
function reachable(blocks: readonly Block[]): Iterable<Block> {
  const seen = new Set(blocks.slice(0, 1));
  for (const block of seen) for (const op of block.ops()) for (const { block: next } of op.successors) seen.add(next);
  return blocks.filter((b) => seen.has(b));
}

/** Of the instructions of a PTX text, over runs of it. */
export function instructionCoverage(runs: readonly Pick<PtxRun, "sites">[]): Coverage {
  const sites = runs[0]?.sites ?? [];
  const never = sites.filter((_, i) => runs.every((run) => run.sites[i]!.executions === 0)).map(siteText);
  return { unit: "instructions", total: sites.length, never };
}

const SHOWN = 8;

/** `1504 of 1513 instructions executed; never: line 353: @%p1 bra $L__BB0_3, ...` */
export function coverageText({ unit, total, never }: Coverage): string {
  const counts = `${total - never.length} of ${total} ${unit} executed`;
  if (never.length === 0) return counts;
  const more = never.length > SHOWN ? ` and ${never.length - SHOWN} more` : "";
  return `${counts}; never: ${never.slice(0, SHOWN).join(", ")}${more}`;
}
