/**
 * Where contiguity, divisibility or constancy got lost: a walk from a value back to the first op or argument that has too little of it.
 *
 *     %o = arith.addi %row, %col         // %row = splat(pid * 128), %col = make_range 0..128
 *     %q = tt.addptr %p, %o              // %p = splat(%arg0), which nothing says to be aligned
 *
 * The divisibility of %q is 4: with a better %o it would still be 4, with a better %p it would not. So the walk goes on at %p, and ends
 * at %arg0. Which operand is to blame is so asked of the op's own rule, with one operand after the other taken to be ideal.
 */

import { ForOp } from "../dialects/scf/ops/for.js";
import { IfOp } from "../dialects/scf/ops/if.js";
import { WhileOp } from "../dialects/scf/ops/while.js";
import { YieldOp } from "../dialects/scf/ops/yield.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import { BranchOp, FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import type { AxisInfo } from "./axis-info.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";
import { inferAxisInfo } from "./sparse-axis-info.js";

export const AXIS_PROPERTIES = ["contiguity", "divisibility", "constancy"] as const;
export type AxisProperty = (typeof AXIS_PROPERTIES)[number];

/** A value that has less of a property than is needed of it. */
export interface AxisShortage {
  readonly value: Value;
  readonly property: AxisProperty;
  readonly dim: number;
  readonly has: number;
  /** The amount needed here for the value that was asked about to have enough. */
  readonly needed: number;
}

/** The values from the one asked about to the one to blame, which is the last; empty when there is enough of the property. */
export function findAxisLoss(axes: ModuleAxisInfo, value: Value, property: AxisProperty, dim: number, needed: number): AxisShortage[] {
  const path: AxisShortage[] = [];
  const seen = new Set<Value>();
  for (let next: Shortage | undefined = { value, property, dim, needed }; next; next = blame(axes, next, seen)) {
    const has: number = axes.getOrWorst(next.value)[next.property][next.dim] ?? 1;
    if (has >= next.needed) break;
    path.push({ ...next, has });
    seen.add(next.value);
  }
  return path;
}

type Shortage = Omit<AxisShortage, "has">;

/** The operand, or value handed in by control flow, that makes `at` fall short; undefined where nothing else does. */
function blame(axes: ModuleAxisInfo, at: Shortage, seen: ReadonlySet<Value>): Shortage | undefined {
  const { value, property, dim, needed } = at;
  const sources = handedIn(value);
  // A value carried by a loop falls short when what comes in at first does, or what comes from the round before.
  if (sources) {
    const poor = sources.find((source) => !seen.has(source) && (axes.getOrWorst(source)[property][dim] ?? 1) < needed);
    return poor && { ...at, value: poor };
  }
  const op = value.definingOp;
  return op && blameOperand(axes, op, at, seen);
}

/** The values that a block's argument or the result of a branch may be; undefined where control flow does not decide. */
function handedIn(value: Value): Value[] | undefined {
  const op = value.definingOp;
  if (op) {
    if (IfOp.is(op)) return op.regions.flatMap((region) => yielded(region.firstBlock?.lastOp, value.index));
    const loop = ForOp.match(op);
    if (loop) return [loop.initArgs[value.index]!, ...yielded(loop.region.firstBlock!.lastOp, value.index)];
    if (WhileOp.is(op)) return [op.regions[0]!.firstBlock!.lastOp!.operand(value.index + 1)];
    return undefined;
  }
  const block = value.argOwner!;
  const owner = block.region!.parentOp!;
  const loop = ForOp.match(owner);
  if (loop) {
    if (value.index === 0) return [loop.lowerBound, loop.step];
    return [loop.initArgs[value.index - 1]!, ...yielded(block.lastOp, value.index - 1)];
  }
  if (WhileOp.is(owner)) {
    if (block.region!.index === 1) return [owner.regions[0]!.firstBlock!.lastOp!.operand(value.index + 1)];
    return [owner.operand(value.index), ...yielded(owner.regions[1]!.firstBlock!.lastOp, value.index)];
  }
  if (block.region!.firstBlock === block) return undefined;
  const values: Value[] = [];
  for (let use = block.firstUse; use; use = use.nextUse) {
    const range = use.owner.def.interface(BranchOp)?.successorOperandRange(use.owner, use.index);
    if (range && value.index < range.size) values.push(use.owner.operand(range.start + value.index));
  }
  return values;
}
function yielded(terminator: Operation | null | undefined, index: number): Value[] {
  return terminator && YieldOp.is(terminator) && index < terminator.numOperands ? [terminator.operand(index)] : [];
}

interface Candidate extends Shortage {
  /** The amount that the result would have if this were ideal. */
  readonly gain: number;
}

function blameOperand(axes: ModuleAxisInfo, op: Operation, at: Shortage, seen: ReadonlySet<Value>): Shortage | undefined {
  const { property, dim, needed } = at;
  // A value that the walk has passed is carried round a loop: it is as good as the values it is made from.
  const infos = op.operands.map((operand) => (seen.has(operand) ? idealInfo(axes.getOrWorst(operand), operand) : axes.getOrWorst(operand)));
  const resultWith = (operands: readonly AxisInfo[]): number => inferAxisInfo(op, operands)?.[property][dim] ?? 0;
  const now = resultWith(infos);
  if (now === 0) return undefined;
  let candidates = candidatesAmong(op, infos, now, resultWith, seen);
  if (candidates.length === 0) {
    // Two poor operands may hide each other: take all others to be ideal.
    const ideal = op.operands.map((operand, i) => idealInfo(infos[i]!, operand));
    candidates = op.operands.flatMap((operand, i) => {
      const others = ideal.map((info, j) => (j === i ? infos[i]! : info));
      const without = resultWith(others);
      return candidatesAmong(op, others, without, resultWith, seen).filter((c) => c.value === operand && c.gain > now);
    });
  }
  const best = candidates.sort((a, b) => enough(b, needed) - enough(a, needed) || uniformity(axes, b.value) - uniformity(axes, a.value))[0];
  if (!best) return undefined;
  // The amount needed here so that the result has enough once all else is as it should be.
  const index = op.operands.indexOf(best.value);
  const most = idealOf(best.value, best.property, best.dim);
  const improvedTo = (amount: number, among: readonly AxisInfo[]): number =>
    resultWith(replaced(among, index, improved(infos[index]!, best, amount)));
  // Where it alone cannot help enough, the others are taken to be ideal, which leaves out what rules make of several together.
  const alone = improvedTo(most, infos) >= needed;
  const others = op.operands.map((operand, i) => (alone || i === index ? infos[i]! : idealInfo(infos[i]!, operand)));
  const given = (amount: number): number => improvedTo(amount, others);
  const target = Math.min(needed, given(most));
  let amount = axes.getOrWorst(best.value)[best.property][best.dim]! * 2;
  while (amount < most && given(amount) < target) amount *= 2;
  return { value: best.value, property: best.property, dim: best.dim, needed: Math.min(amount, most) };
}

/** The properties of operands by whose improvement alone the result would have more than `now`. */
function candidatesAmong(
  op: Operation,
  infos: readonly AxisInfo[],
  now: number,
  resultWith: (infos: readonly AxisInfo[]) => number,
  seen: ReadonlySet<Value>,
): Candidate[] {
  const found: Candidate[] = [];
  op.operands.forEach((value, i) => {
    if (seen.has(value)) return;
    const info = infos[i]!;
    for (const property of AXIS_PROPERTIES)
      info[property].forEach((has, dim) => {
        const ideal = idealOf(value, property, dim);
        if (ideal <= has) return;
        const gain = resultWith(replaced(infos, i, improved(info, { property, dim }, ideal)));
        if (gain > now) found.push({ value, property, dim, needed: ideal, gain });
      });
  });
  return found;
}
const enough = ({ gain }: Candidate, needed: number): number => Math.min(gain, needed);

/** Values that are the same everywhere come first: they lead to arguments, of which more can be said by a hint. */
function uniformity(axes: ModuleAxisInfo, value: Value): number {
  const root = uniformSource(value);
  const isArgument = root && !root.definingOp && root.argOwner!.parentOp?.def.interface(FunctionOp) !== undefined;
  return axes.getOrWorst(value).constancy.reduce((n, c) => n * c, isArgument ? 2 ** 20 : 1);
}
/** The scalar that a tensor repeats, or the value that a cast passes on; undefined for anything else. */
export function uniformSource(value: Value): Value {
  let at = value;
  for (let op = at.definingOp; op && PASSES_ON.has(op.name); op = at.definingOp) at = op.operand(0);
  return at;
}
const PASSES_ON: ReadonlySet<string> = new Set([
  ...["tt.splat", "tt.broadcast", "tt.expand_dims", "tt.bitcast", "tt.reshape", "ttg.convert_layout"],
  ...["arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"],
]);

function idealOf({ type }: Value, property: AxisProperty, dim: number): number {
  // That of a range from 0, which is 32 bits wide.
  if (property === "divisibility") return 2 ** 30;
  return RankedTensorType.is(type) ? (type.params.shape[dim] ?? 1) : 1;
}
/** Divisible by all, and as contiguous and constant as it can be at once, which no value is: the best that a rule may find. */
function idealInfo(info: AxisInfo, value: Value): AxisInfo {
  const ideal = (property: AxisProperty) => info[property].map((_, dim) => idealOf(value, property, dim));
  return { ...info, contiguity: ideal("contiguity"), divisibility: ideal("divisibility"), constancy: ideal("constancy") };
}
function improved(info: AxisInfo, { property, dim }: Pick<AxisShortage, "property" | "dim">, amount: number): AxisInfo {
  return { ...info, [property]: info[property].map((n, d) => (d === dim ? amount : n)) };
}
function replaced(infos: readonly AxisInfo[], index: number, info: AxisInfo): AxisInfo[] {
  return infos.map((known, i) => (i === index ? info : known));
}
