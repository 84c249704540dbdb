/**
 * The actual numbers of a value that depends on constants only: what AxisInfo, which knows only runs and divisors, can be held against
 * (see `axisInfoOf`). Undefined where a program id, an argument or memory comes in, or where there are too many numbers.
 */
import * as arith from "../dialects/arith/ops/index.js";
import * as tt from "../dialects/tt/ops/index.js";
import { DenseElementsAttr, IntegerAttr } from "../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, numElements, RankedTensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

const MOST_ELEMENTS = 1 << 14;

const BINARY: ReadonlyMap<OpDef, (a: bigint, b: bigint) => bigint | undefined> = new Map<
  OpDef,
  (a: bigint, b: bigint) => bigint | undefined
>([
  [arith.AddIOp, (a, b) => a + b],
  [arith.SubIOp, (a, b) => a - b],
  [arith.MulIOp, (a, b) => a * b],
  [arith.DivSIOp, (a, b) => (b === 0n ? undefined : a / b)],
  [arith.RemSIOp, (a, b) => (b === 0n ? undefined : a % b)],
  [arith.AndIOp, (a, b) => a & b],
  [arith.OrIOp, (a, b) => a | b],
  [arith.XOrIOp, (a, b) => a ^ b],
  [arith.ShLIOp, (a, b) => (0n <= b && b < 64n ? a << b : undefined)],
  [arith.ShRSIOp, (a, b) => (0n <= b && b < 64n ? a >> b : undefined)],
  [arith.MinSIOp, (a, b) => (a - b < 0n ? a : b)],
  [arith.MaxSIOp, (a, b) => (a - b > 0n ? a : b)],
]);

/** The numbers in row-major order. */
export function knownValues(value: Value): readonly bigint[] | undefined {
  const known = new Map<Value, readonly bigint[] | undefined>();
  const visit = (at: Value): readonly bigint[] | undefined => {
    if (known.has(at)) return known.get(at);
    known.set(at, undefined);
    const op = at.definingOp;
    const { type } = at;
    const count = RankedTensorType.is(type) ? numElements(type.params.shape) : 1;
    const bits = bitWidth(elementTypeOrSelf(type));
    const numbers = op && bits !== undefined && count <= MOST_ELEMENTS ? compute(op, count, visit) : undefined;
    const wrapped = numbers?.map((n) => BigInt.asIntN(bits!, n));
    known.set(at, wrapped);
    return wrapped;
  };
  return visit(value);
}

function compute(op: Operation, count: number, visit: (value: Value) => readonly bigint[] | undefined): readonly bigint[] | undefined {
  const constant = arith.ConstantOp.match(op)?.value;
  if (IntegerAttr.is(constant)) return [constant.params.value];
  if (DenseElementsAttr.is(constant)) {
    const { elements, splat } = constant.params;
    return splat ? new Array<bigint>(count).fill(elements[0]!) : elements;
  }
  const range = tt.MakeRangeOp.match(op);
  if (range) return Array.from({ length: count }, (_, i) => BigInt(range.start + i));
  const binary = BINARY.get(op.def);
  if (binary) {
    const [a, b] = op.operands.map(visit);
    if (!a || !b) return undefined;
    const numbers = a.map((n, i) => binary(n, b[i]!));
    return numbers.every((n): n is bigint => n !== undefined) ? numbers : undefined;
  }
  if (!PASS_ON.has(op.def)) return undefined;
  const source = visit(op.operand(0));
  if (!source || source.length === count) return source;
  return tt.BroadcastOp.is(op) ? broadcast(op, source) : new Array<bigint>(count).fill(source[0]!);
}
const PASS_ON: ReadonlySet<OpDef> = new Set<OpDef>([tt.SplatOp, tt.ExpandDimsOp, tt.BroadcastOp, arith.ExtSIOp, arith.TruncIOp]);

function broadcast(op: Operation, source: readonly bigint[]): bigint[] {
  const shapeOf = ({ type }: Value): readonly number[] => (RankedTensorType.is(type) ? type.params.shape : []);
  const [from, to] = [shapeOf(op.operand(0)), shapeOf(op.result(0))];
  return Array.from({ length: numElements(to) }, (_, i) => {
    let at = 0;
    let rest = i;
    let stride = 1;
    for (let d = to.length - 1; d >= 0; d--) {
      const index = rest % to[d]!;
      rest = Math.trunc(rest / to[d]!);
      if (from[d] !== 1) at += index * stride;
      stride *= from[d]!;
    }
    return source[at]!;
  });
}
