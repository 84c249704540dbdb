/** Lowered code held against the Triton IR that it comes from: the same launch thread by thread, and whether it stored the same. */

import type { Operation } from "../ir/operation.js";
import type { LaunchArgument, PtxLaunch, PtxRun } from "./ptx/run.js";
import { compareRuns, differenceText, sameElements } from "./tensor/compare.js";
import type { RunResult } from "./tensor/run.js";

/** A run of Triton IR that lowered code is compared with. */
export interface Reference {
  readonly run: RunResult;
  readonly seed: number;
  /** Buffers that the source fills in an order of its own, with the size of their elements. */
  readonly reordered: ReadonlyMap<string, number>;
}

export function referenceOf(module: Operation, run: RunResult, seed: number): Reference {
  return { run, seed, reordered: reorderedBuffers(module, run) };
}

/** The same launch at thread level; nothing where an argument has no like there. */
export function launchOf({ run: { args, grid, programs }, seed }: Reference): PtxLaunch | undefined {
  const launched: LaunchArgument[] = [];
  for (const arg of args) {
    if (arg.kind === "descriptor") return undefined;
    if (arg.kind === "scalar") launched.push({ kind: "scalar", value: arg.value });
    else {
      const { name, element, init, data } = arg;
      launched.push({ kind: "buffer", spec: { name, element, ...(init ? { init } : {}), ...(data ? { data } : {}) } });
    }
  }
  const triple = ([x = 0, y = 0, z = 0]: readonly number[]) => [x, y, z] as const;
  return { grid: triple(grid), programs: programs.map(triple), args: launched, seed, facts: false };
}

/** What the lowered code does otherwise: a finding of its own, or the first store that differs. */
export function differenceOfLowered({ run: reference, reordered }: Reference, run: PtxRun): string | undefined {
  const [finding] = run.findings;
  if (finding) return `${finding.kind}: ${finding.message}${finding.site ? ` (${finding.site})` : ""}`;
  const after: RunResult = { ...reference, memory: run.memory, stores: [], findings: [] };
  const difference = compareRuns(reference, after, new Set(reordered.keys()));
  if (difference) return differenceText(difference);
  const lost = [...reordered].find(([name, bytes]) => !sameElements(reference, after, name, bytes));
  return lost && `other elements in '${lost[0]}', whose order is open`;
}

/** Buffers stored into from `tt.cat` or a reshape that may reorder: only which elements there are is defined. */
function reorderedBuffers(module: Operation, { stores, memory }: RunResult): ReadonlyMap<string, number> {
  const tainted = new Set<Operation>();
  const todo: Operation[] = [];
  module.walk((op) => {
    if (op.name === "tt.cat" || op.hasAttr("allow_reorder")) todo.push(op);
  });
  for (let op = todo.pop(); op; op = todo.pop()) {
    if (tainted.has(op)) continue;
    tainted.add(op);
    for (const result of op.results) todo.push(...result.users());
    // Out of calls and regions the source's own order is kept track of no further.
    if (op.def.isTerminator && op.parentOp) for (const use of op.parentOp.results) todo.push(...use.users());
  }
  const buffers = new Map<string, number>();
  for (const { op, addresses, element, mask } of stores) {
    if (!tainted.has(op)) continue;
    const lane = mask ? mask.findIndex((on: number | bigint) => Boolean(on)) : 0;
    const name = lane < 0 ? undefined : memory.bufferAt(addresses[lane] as number)?.spec.name;
    if (name !== undefined) buffers.set(name, element.bytes);
  }
  return buffers;
}
