/**
 * The integers that each value may be. Loops with a known number of rounds are followed, and `llvm.intr.assume` narrows ranges.
 * Source: third_party/amd/lib/Analysis/RangeAnalysis.cpp, mlir/lib/Analysis/DataFlow/IntegerRangeAnalysis.cpp.
 */
import { constantAnalyses } from "../../analysis/dataflow/constant-propagation.js";
import { blockStart, DataFlowSolver } from "../../analysis/dataflow/solver.js";
import { SparseForwardAnalysis } from "../../analysis/dataflow/sparse-forward.js";
import { ARITH_RANGES } from "../../analysis/integer-ranges/arith-rules.js";
import {
  constantOfRange,
  constantRange,
  type IntRange,
  intersect,
  maxRange,
  rangeWidth,
  sameRange,
  signedRange,
  unite,
  unsignedRange,
} from "../../analysis/integer-ranges/range.js";
import { ExtractSliceOp } from "../../dialects/amdg/ops/tiles.js";
import { CmpIOp, SelectOp } from "../../dialects/arith/ops/index.js";
import { AssumeOp } from "../../dialects/llvm/ops/assume.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { GatherOp, HistogramOp } from "../../dialects/tt/ops/gather.js";
import { GetNumProgramsOp, GetProgramIdOp, MakeRangeOp } from "../../dialects/tt/ops/program.js";
import { BroadcastOp, CatOp, ExpandDimsOp, JoinOp, ReshapeOp, SplatOp, SplitOp, TransOp } from "../../dialects/tt/ops/shape.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import type { Block } from "../../ir/block.js";
import { intAttr, splatOf } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, isShaped } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { ancestorInRegion, Dominance } from "../../ir/dominance.js";
import { LoopLike } from "../../ir/interfaces.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** A loop of more rounds, or of an unknown number, is not followed round by round. */
const MAX_TRIP_COUNT = 1024n;
const MAX_PROGRAMS = 1n << 31n;

type Analysis = SparseForwardAnalysis<IntRange>;
type Report = (op: Operation, message: string) => void;

export interface RangeAnalysis {
  /** The integers that a value may be; undefined for a value that is no integer or is never computed. */
  rangeOf(value: Value): IntRange | undefined;
  /** How often the body of a loop runs in all, rounds of the loops around it included; 1025 for each that is not known. */
  tripCount(loop: Operation): bigint;
}

/** Whether the bounds of a value without sign are known, and no bit of it means minus. */
export const isNonNegative = (range: IntRange | undefined): boolean => range !== undefined && range.smin >= 0n;

/** Runs the analysis on a module. `report` takes the remarks that real Triton makes of facts that it cannot use. */
export function analyzeRanges(module: Operation, report?: Report): RangeAnalysis {
  const { code, constants } = constantAnalyses();
  const facts = new Assumptions(module, report);
  const rounds = new LoopRounds();
  const ranges: Analysis = new SparseForwardAnalysis<IntRange>(
    {
      name: "integer-ranges",
      entry: (value) => {
        const width = rangeWidth(value.type);
        if (width === 0) return undefined;
        const entry = entryBlockAround(value);
        return (entry && facts.of(value, entry)) ?? maxRange(width);
      },
      join(a, b) {
        const both = unite(a, b);
        return sameRange(a, both) ? a : both;
      },
      visitOperation: (op, operands, self) => visitOperation(op, operands, self, facts),
      visitOtherArguments(op, values, first, count, self) {
        if (ForOp.is(op)) visitInductionVar(op, self);
        else self.setToEntry(values.filter((_, i) => i < first || i >= first + count));
      },
      beforeHandOver(op, values, self) {
        if (op.def.interface(LoopLike)) rounds.enter(op, values, tripCount(op, self));
      },
      handOver(op, from, to, state, self) {
        if (op.def.interface(LoopLike)) rounds.handOver(op, from, to, state, self);
        else self.join(to, state);
      },
      // A range of one number is a constant.
      changed(value, range) {
        const number = constantOfRange(range);
        if (number === undefined) return void constants.join(value, "unknown");
        const attr = intAttr(elementTypeOrSelf(value.type), number);
        const by = value.definingOp ?? value.argOwner!.parentOp!;
        constants.join(value, { value: isShaped(value.type) ? splatOf(value.type, attr) : attr, dialect: by.def.dialect });
      },
    },
    code,
  );
  module.walk((func) => {
    if (!FuncOp.is(func)) return;
    const entry = func.regions[0]!.firstBlock;
    for (const arg of entry?.args ?? [])
      if (facts.has(arg)) ranges.fact(arg).value = facts.of(arg, entry!) ?? maxRange(rangeWidth(arg.type));
  });
  new DataFlowSolver().run(module, [code, constants, ranges]);
  return {
    rangeOf: (value) => ranges.get(value),
    tripCount: (loop) => tripCount(loop, ranges),
  };
}

/** Undefined in functions of other dialects. */
function entryBlockAround(value: Value): Block | undefined {
  const at = value.definingOp ?? value.argOwner!.parentOp!;
  const fn = FuncOp.is(at) ? at : at.parentOfType(FuncOp);
  return fn?.regions[0]?.firstBlock ?? undefined;
}

// --- ops --------------------------------------------------------------------------------------

/** Ops whose results have elements of their first operand. */
const FORWARDING: ReadonlySet<OpDef> = new Set<OpDef>([
  TransOp,
  SplitOp,
  BroadcastOp,
  ExpandDimsOp,
  SplatOp,
  ReshapeOp,
  ConvertLayoutOp,
  GatherOp,
]);

function visitOperation(op: Operation, states: readonly (IntRange | undefined)[], self: Analysis, facts: Assumptions): void {
  const assumed = op.results.map((result) => facts.of(result, op.block!));
  const operands = op.operands.map((operand, i) => facts.of(operand, op.block!) ?? states[i]);
  const join = (i: number, range: IntRange | undefined): void => {
    const fact = assumed[i];
    self.join(op.result(i), range && fact ? intersect(range, fact) : range);
  };
  infer(op, operands, join, self);
  op.results.forEach((result, i) => {
    if (self.get(result) === undefined) self.join(result, assumed[i]);
  });
}

function infer(
  op: Operation,
  operands: readonly (IntRange | undefined)[],
  join: (result: number, range: IntRange | undefined) => void,
  self: Analysis,
): void {
  const { def } = op;
  const fixed = fixedRange(op);
  if (fixed) return join(0, fixed);
  const known = operands.every((operand) => operand !== undefined) ? operands : undefined;
  if (FORWARDING.has(def)) return known ? op.results.forEach((_, i) => join(i, known[0])) : self.setToEntry(op.results);
  if (ExtractSliceOp.is(op)) return join(0, operands[0]);
  if (JoinOp.is(op) || CatOp.is(op)) return known ? join(0, unite(known[0]!, known[1]!)) : self.setToEntry(op.results);
  if (SelectOp.is(op)) return join(0, selected(operands));
  const rule = ARITH_RANGES.get(def);
  if (!rule) return self.setToEntry(op.results);
  if (known) join(0, rule(op, known));
}

/** The range of an op whose range does not depend on its operands. */
function fixedRange(op: Operation): IntRange | undefined {
  const width = op.results.length === 1 ? rangeWidth(op.result(0).type) : 0;
  if (GetProgramIdOp.is(op)) return unsignedRange(width, 0n, MAX_PROGRAMS - 1n);
  if (GetNumProgramsOp.is(op)) return unsignedRange(width, 0n, MAX_PROGRAMS);
  // As upstream: every bit may be set.
  if (HistogramOp.is(op)) return signedRange(width, 0n, -1n);
  const makeRange = MakeRangeOp.match(op);
  return makeRange && unsignedRange(width, BigInt(makeRange.start), BigInt(makeRange.end - 1));
}
function selected([condition, whenTrue, whenFalse]: readonly (IntRange | undefined)[]): IntRange | undefined {
  const known = condition && constantOfRange(condition);
  if (known !== undefined) return known === 0n ? whenFalse : whenTrue;
  return whenTrue && whenFalse ? unite(whenTrue, whenFalse) : (whenTrue ?? whenFalse);
}

// --- loops ------------------------------------------------------------------------------------

/** From the lower bound to the last number before the upper one. */
function visitInductionVar(loop: Operation, self: Analysis): void {
  const { lowerBound, upperBound, step, region } = ForOp.match(loop)!;
  const body = region.firstBlock!;
  const iv = body.args[0]!;
  const width = rangeWidth(iv.type);
  const read = (value: Value): IntRange => self.fact(value).dependOn(blockStart(body), self).value ?? maxRange(width);
  let [from, to] = [read(lowerBound).smin, read(upperBound).smax];
  if (read(step).smax < 0n) [from, to] = [to, from];
  else to -= 1n;
  if (to >= from) self.join(iv, signedRange(width, from, to));
}

/** The rounds of one loop, without those around it. */
function roundsOf(loop: Operation, self: Analysis): bigint | undefined {
  const view = ForOp.match(loop);
  if (!view) return undefined;
  const body = view.region.firstBlock!;
  const width = rangeWidth(view.lowerBound.type);
  const read = (value: Value): IntRange => self.fact(value).dependOn(blockStart(body), self).value ?? maxRange(width);
  // As upstream, the largest lower bound.
  let [from, to] = [read(view.lowerBound).smax, read(view.upperBound).smax];
  const known = self.fact(view.step).dependOn(blockStart(body), self).value?.smin ?? 1n;
  if (known < 0n) [from, to] = [to, from];
  const step = known === 0n ? 1n : known;
  if (to < from) return undefined;
  const distance = to - from;
  return step > 0n ? (distance + step - 1n) / step : distance / step;
}
function tripCount(loop: Operation, self: Analysis): bigint {
  let count = 1n;
  for (let at: Operation | null = loop; at; at = at.parentOp)
    if (at.def.interface(LoopLike)) count = BigInt.asIntN(64, count * (roundsOf(at, self) ?? MAX_TRIP_COUNT + 1n));
  return count;
}

/** Counts how often the ranges of carried values were joined. */
class LoopRounds {
  readonly #limits = new Map<Operation, bigint>();
  readonly #visits = new Map<Operation, Map<Value, bigint>>();

  enter(loop: Operation, values: readonly Value[], tripCount: bigint): void {
    const limit = this.#limits.get(loop);
    if (limit === undefined) this.#visits.set(loop, new Map(values.map((value) => [value, 0n])));
    if (limit === undefined || tripCount < limit) this.#limits.set(loop, tripCount);
  }
  /** Joins once for each round at most; a value of a loop with too many rounds gets the whole range. */
  handOver(loop: Operation, from: Value, to: Value, state: IntRange | undefined, self: Analysis): void {
    const limit = this.#limits.get(loop)!;
    const visits = this.#visits.get(loop)!;
    const count = visits.get(to) ?? 0n;
    if (count >= limit) return;
    const width = rangeWidth(from.type);
    const range = limit > MAX_TRIP_COUNT ? (width === 0 ? undefined : maxRange(width)) : state;
    if (self.join(to, range)) visits.set(to, count + 1n);
  }
}

// --- facts ------------------------------------------------------------------------------------

/** Comparisons of values with constants that `llvm.intr.assume` states. */
class Assumptions {
  readonly #facts = new Map<Value, Set<Operation>>();
  readonly #dominance = new Dominance();
  readonly #reported = new Set<Operation>();
  constructor(
    module: Operation,
    private readonly report: Report | undefined,
  ) {
    module.walkPostOrder((op) => {
      const fact = AssumeOp.match(op)?.cond.definingOp;
      for (const operand of fact?.operands ?? []) {
        if (constantInt(operand) !== undefined) continue;
        const known = this.#facts.get(operand);
        if (known) known.add(fact!);
        else this.#facts.set(operand, new Set([fact!]));
      }
    });
  }

  has(value: Value): boolean {
    return this.#facts.has(value);
  }
  /** The ranges that are assumed of a value wherever control comes to `block`. */
  of(value: Value, block: Block): IntRange | undefined {
    let range: IntRange | undefined;
    for (const fact of this.#facts.get(value) ?? []) {
      const own = this.fromFact(fact, value, block);
      if (own) range = range ? intersect(range, own) : own;
    }
    return range && range.smin >= 0n ? signedRange(range.width, range.smin, range.smax) : range;
  }

  private fromFact(fact: Operation, value: Value, block: Block): IntRange | undefined {
    const compare = CmpIOp.match(fact);
    if (!compare) return this.remark(fact, "unsupported assumption operation");
    if (!this.dominates(fact.block!, block)) return undefined;
    const isLhs = compare.lhs === value;
    const number = constantInt(isLhs ? compare.rhs : compare.lhs);
    if (number === undefined) return undefined;
    const width = rangeWidth(value.type);
    const { predicate } = compare;
    if (predicate === "eq") return constantRange(width, number);
    if (predicate === "ne") return this.remark(fact, "unsupported cmp predicate for assumption");
    const isSigned = predicate[0] === "s";
    const all = maxRange(width);
    const isProgram = GetProgramIdOp.is(value.definingOp) || GetNumProgramsOp.is(value.definingOp);
    const [least, most] = isSigned ? [isProgram ? 0n : all.smin, all.smax] : [0n, all.umax];
    const isStrict = predicate.endsWith("t");
    const atLeast = (predicate[1] === "g") === isLhs;
    const make = isSigned ? signedRange : unsignedRange;
    return atLeast ? make(width, isStrict ? number + 1n : number, most) : make(width, least, isStrict ? number - 1n : number);
  }
  private dominates(a: Block, b: Block): boolean {
    if (a.region === b.region) return this.#dominance.blockDominates(a, b);
    const inner = b.parentOp && ancestorInRegion(b.parentOp, a.region!);
    return inner ? this.#dominance.blockDominates(a, inner.block!) : false;
  }
  private remark(fact: Operation, message: string): undefined {
    if (!this.#reported.has(fact)) this.report?.(fact, message);
    this.#reported.add(fact);
  }
}
