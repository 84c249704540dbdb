/**
 * Unrolls a counted loop. With factor 2 and bounds that are not constant:
 *
 *     for i = lb to ub step s { f(i) }
 *     ->
 *     end = lb + (n - n % 2) * s        // n: the trip count
 *     for i = lb to end step s * 2 { f(i); f(i + s * 1) }
 *     for i = end to ub step s { f(i) }
 *
 * With constant bounds there is an epilogue only if rounds are left over. A loop of one round (or none) dissolves.
 * Source: mlir/lib/Dialect/SCF/Utils/Utils.cpp, loopUnrollByFactor.
 */
import { AddIOp, ConstantOp, DivUIOp, MulIOp, RemSIOp, SubIOp } from "../../dialects/arith/ops/index.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { staticTripCount } from "../../dialects/scf/trip-count.js";
import { intAttr } from "../../ir/builtin-attrs.js";
import { Mapping } from "../../ir/clone.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** Unrolls by a factor of at least 2. Returns the loop of the rounds left over, where there is one. */
export function unrollLoop(loop: ForView, factor: number, rw: Rewriter): Operation | undefined {
  const { op, step, region } = loop;
  const body = region.firstBlock!;
  if (body.firstOp === body.lastOp) return undefined;
  const bounds = unrolledBounds(loop, factor, rw.setBefore(op));
  let epilogue: Operation | undefined;
  if (bounds.hasEpilogue) {
    epilogue = rw.setAfter(op).clone(op);
    epilogue.setOperand(0, bounds.upperBound);
    rw.replaceOpUses(op, epilogue.results);
    op.results.forEach((result, i) => epilogue!.setOperand(3 + i, result));
    if (dissolve(ForOp.match(epilogue)!, rw)) epilogue = undefined;
  }
  op.setOperand(1, bounds.upperBound);
  op.setOperand(2, bounds.step);
  repeatBody(loop, factor, step, rw);
  dissolve(loop, rw);
  return epilogue;
}

interface UnrolledBounds {
  readonly upperBound: Value;
  readonly step: Value;
  readonly hasEpilogue: boolean;
}
function unrolledBounds(loop: ForView, factor: number, rw: Rewriter): UnrolledBounds {
  const { lowerBound, upperBound, step } = loop;
  const { type } = step;
  const options = { loc: loop.op.locRef };
  const constant = (value: bigint): Value => rw.value(ConstantOp, { value: intAttr(type, value) }, options);
  const tripCount = staticTripCount(loop);
  const [lower, upper, stride] = [constantInt(lowerBound), constantInt(upperBound), constantInt(step)];
  if (tripCount !== undefined && lower !== undefined && upper !== undefined && stride !== undefined) {
    const end = lower + (tripCount - (tripCount % BigInt(factor))) * stride;
    const hasEpilogue = end < upper;
    return { upperBound: hasEpilogue ? constant(end) : upperBound, step: constant(stride * BigInt(factor)), hasEpilogue };
  }
  const distance = rw.value(SubIOp, { lhs: upperBound, rhs: lowerBound }, options);
  const one = constant(1n);
  const roundUp = rw.value(SubIOp, { lhs: step, rhs: one }, options);
  const sum = rw.value(AddIOp, { lhs: distance, rhs: roundUp }, options);
  const rounds = rw.value(DivUIOp, { lhs: sum, rhs: step }, options);
  const factorValue = constant(BigInt(factor));
  const rest = rw.value(RemSIOp, { lhs: rounds, rhs: factorValue }, options);
  const whole = rw.value(SubIOp, { lhs: rounds, rhs: rest }, options);
  const extent = rw.value(MulIOp, { lhs: whole, rhs: step }, options);
  const end = rw.value(AddIOp, { lhs: lowerBound, rhs: extent }, options);
  return { upperBound: end, step: rw.value(MulIOp, { lhs: step, rhs: factorValue }, options), hasEpilogue: true };
}

/** Appends `factor - 1` copies of the body, each on what the one before yields. */
function repeatBody(loop: ForView, factor: number, step: Value, rw: Rewriter): void {
  const block = loop.region.firstBlock!;
  const terminator = block.lastOp!;
  const [iv, ...iterArgs] = block.args as [Value, ...Value[]];
  const yielded = terminator.operands;
  const ops = [...block.ops()].slice(0, -1);
  const options = { loc: loop.op.locRef };
  let last: readonly Value[] = yielded;
  rw.setBefore(terminator);
  for (let i = 1; i < factor; i++) {
    const mapping = new Mapping().mapAll(iterArgs, last);
    if (iv.hasUses()) {
      const index = rw.value(ConstantOp, { value: intAttr(iv.type, i) }, options);
      const stride = rw.value(MulIOp, { lhs: step, rhs: index }, options);
      mapping.map(iv, rw.value(AddIOp, { lhs: iv, rhs: stride }, options));
    }
    for (const op of ops) rw.clone(op, mapping);
    last = yielded.map((value) => mapping.get(value));
  }
  terminator.setOperands(last);
}

/** Puts the body of a loop that is known to run once in its place, and removes one that never runs. Returns whether it did. */
function dissolve(loop: ForView, rw: Rewriter): boolean {
  const { op, lowerBound, initArgs, region } = loop;
  const tripCount = staticTripCount(loop);
  if (tripCount === undefined || tripCount > 1n) return false;
  if (tripCount === 0n) return rw.replace(op, initArgs);
  const body = region.firstBlock!;
  const terminator = body.lastOp!;
  rw.replaceOpUses(op, terminator.operands);
  rw.inlineBlockBefore(body, op, [lowerBound, ...initArgs]);
  rw.erase(terminator);
  return rw.erase(op);
}
