/** Why a loop, or a load in it, is not pipelined. */
import { accessWidth } from "../../../analysis/access-width.js";
import { explainAccess } from "../../../analysis/explain-access.js";
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { AssertOp, PrintOp } from "../../../dialects/tt/ops/debug.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { type Explain, RemarkRefs } from "../../../pass/remark.js";
import {
  bodyOf,
  findAncestorInBlock,
  getNestedOperands,
  isOuterLoop,
  loopHasDistGreaterThanOne,
  NUM_STAGES,
} from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  canBeConvertedToAsyncLoad,
  getCopyVecBytes,
  getSharedEncIfAllUsersAreDotEnc,
  localAllocEncodings,
} from "../../ttg/software-pipelining/shared-encoding-of-users.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { getSharedEncoding } from "./shared-encoding.js";

/** Says why a loop cannot have stages whatever is in it. */
export function explainUnfitLoop(explain: Explain, loop: ForView, numStages: number): void {
  const reasons: string[] = [];
  const refs = new RemarkRefs(loop.op);
  const own = intOf(loop.op.attr(NUM_STAGES));
  if (numStages <= 1) {
    if (own === undefined) reasons.push(`num_stages is ${numStages}`);
    else if (own === 0 && loop.op.hasAttr("tt.warp_specialize"))
      reasons.push("it is left to warp specialization, which sets tt.num_stages = 0");
    else reasons.push(`its tt.num_stages is ${own}`);
  }
  const far = bodyOf(loop).lastOp!.operandUses.find(({ value }) => !value.definingOp);
  if (loopHasDistGreaterThanOne(loop) && far)
    reasons.push(`it carries ${refs.of(far.value)} over more than one iteration: it is handed on as it is`);
  if (isOuterLoop(loop)) reasons.push("it holds another loop, and only innermost loops are pipelined");
  if (reasons.length > 0) declined(explain, loop, reasons, refs, { numStages });
}

/** Says of a loop whose loads all get no latency that it will not be pipelined. */
export function explainLoopWithoutLatencies(explain: Explain, loop: ForView, numStages: number): void {
  const refs = new RemarkRefs(loop.op);
  const loads = loadsIn(loop);
  const names = loads.map((load) => refs.of(load));
  const reason = names.length === 0 ? "it loads nothing" : `none of its loads (${names.join(", ")}) can or need be started ahead`;
  declined(explain, loop, [reason], refs, { numStages, loads: loads.length });
}

export function explainBarrier(explain: Explain, loop: ForView, barrier: Operation): void {
  const refs = new RemarkRefs(loop.op);
  const effect = AssertOp.is(barrier) || PrintOp.is(barrier) ? "is seen from outside" : "makes all threads wait";
  declined(explain, loop, [`${refs.of(barrier)} in it ${effect}: iterations must not overlap`], refs, {});
}

function declined(
  explain: Explain,
  loop: ForView,
  reasons: readonly string[],
  refs: RemarkRefs,
  fields: Readonly<Record<string, number>>,
): void {
  const message = `{0} is not pipelined: ${reasons.join("; and ")}`;
  explain(loop.op, "pipeline.declined", { kind: "missed", message, refs: refs.list, fields: { ...fields, reasons } });
}

const isLoad = (op: Operation): boolean => LoadOp.is(op) || isTMALoad(op);
function loadsIn(loop: ForView): Operation[] {
  return bodyOf(loop).opsWithoutTerminator().filter(isLoad);
}

/** Says of each load of a loop how far ahead it starts, or why it does not. */
export function explainLoads(
  explain: Explain,
  loop: ForView,
  levels: ReadonlyMap<Operation, number>,
  { numStages, latency, withoutDot, axes }: { numStages: number; latency: number; withoutDot: boolean; axes: ModuleAxisInfo },
): void {
  const depths = loadDepths(loop, withoutDot);
  for (const op of loadsIn(loop)) {
    const level = levels.get(op);
    if (level !== undefined) {
      const chain = level === 0 ? "" : `; ${level} other load${level === 1 ? "" : "s"} lie${level === 1 ? "s" : ""} between it and the dot`;
      const message = `{0} starts ${latency} stage${latency === 1 ? "" : "s"} before its first use${chain}`;
      explain(op, "pipeline.load", { kind: "applied", message, fields: { latency, level, numStages } });
      continue;
    }
    const refs = new RemarkRefs(op);
    const reason = whyNotAhead(op, depths.get(op) ?? new Set(), numStages, axes, refs);
    explain(op, "pipeline.load", {
      kind: "missed",
      message: `{0} is not started ahead: ${reason}`,
      refs: refs.list,
      fields: { latency: 0, numStages, depths: [...(depths.get(op) ?? [])] },
    });
  }
}

type Load = NonNullable<ReturnType<typeof LoadOp.match>>;
function whyNotAhead(op: Operation, depths: ReadonlySet<number>, numStages: number, axes: ModuleAxisInfo, refs: RemarkRefs): string {
  const load = LoadOp.match(op);
  const result = op.result(0);
  const narrow = load && whyNoAsyncCopy(load, axes, refs);
  if (narrow) return narrow;
  if (load && RankedTensorType.is(result.type)) {
    if (getSharedEncIfAllUsersAreDotEnc(result).incompatible) return "its users want it in shared memory in different layouts";
    const [encoding, ...others] = localAllocEncodings(op);
    if (encoding && others.some((other) => other !== encoding)) return "it is put into buffers of different layouts";
  }
  if (depths.size === 0) return "no dot of the loop needs it, and the loop does not ask for stages by tt.num_stages";
  if (depths.size > 1) return `dots need it at different distances, with ${[...depths].sort((a, b) => a - b).join(" and ")} loads between`;
  const [depth] = depths;
  if (depth! >= numStages - 1)
    return `${depth} load${depth === 1 ? "" : "s"} that depend${depth === 1 ? "s" : ""} on it lie${depth === 1 ? "s" : ""} between it and the dot: that takes ${depth! + 2} stages, and there are ${numStages}`;
  return "a load that it feeds is not started ahead either";
}

/** Why a load cannot be a cp.async; undefined when it can. */
export function whyNoAsyncCopy(load: Load, axes: ModuleAxisInfo, refs: RemarkRefs): string | undefined {
  const { op, result } = load;
  if (!canBeConvertedToAsyncLoad(load, axes)) {
    const { message } = explainAccess(accessWidth(op, axes)!, axes, refs);
    return `cp.async copies 4, 8 or 16 bytes at once, and ${message}`;
  }
  if (!RankedTensorType.is(result.type) || getSharedEncIfAllUsersAreDotEnc(result).incompatible) return undefined;
  const bytes = getCopyVecBytes(result.type as TensorType, getSharedEncoding(op));
  if (bytes >= 4) return undefined;
  return `cp.async copies 4, 8 or 16 bytes at once, and the layout of the buffer that its users want lets only ${bytes} bytes lie together`;
}

/** For each load the numbers of other loads on ways from it to a dot (or, without dots, to any op). */
function loadDepths(loop: ForView, withoutDot: boolean): ReadonlyMap<Operation, ReadonlySet<number>> {
  const depths = new Map<Operation, Set<number>>();
  const body = bodyOf(loop);
  const seen = new Map<Operation, Set<number>>();
  const work: [Operation, number][] = [];
  const visit = (op: Operation, depth: number): void => {
    const known = seen.get(op) ?? new Set();
    // Chains longer than any number of stages make no difference.
    if (known.has(depth) || depth > 8) return;
    seen.set(op, known.add(depth));
    work.push([op, depth]);
  };
  for (const op of body.opsWithoutTerminator()) if (op.def.interface(DotOpInterface) || (withoutDot && !isLoad(op))) visit(op, 0);
  for (let next = work.pop(); next; next = work.pop()) {
    const [op, depth] = next;
    if (isLoad(op)) depths.set(op, (depths.get(op) ?? new Set()).add(depth));
    const accumulator = op.def.interface(DotOpInterface) ? op.operand(2) : undefined;
    for (const operand of getNestedOperands(op)) {
      const def = operand === accumulator ? undefined : operand.definingOp;
      if (def && findAncestorInBlock(body, def) === def) visit(def, depth + (isLoad(op) ? 1 : 0));
    }
  }
  return depths;
}
