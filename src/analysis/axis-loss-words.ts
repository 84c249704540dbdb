/** Messages to a user about a value that lacks contiguity, divisibility or constancy. */
import * as arith from "../dialects/arith/ops/index.js";
import * as tt from "../dialects/tt/ops/index.js";
import { PointerType } from "../dialects/tt/types.js";
import { DenseElementsAttr, IntegerAttr } from "../ir/builtin-attrs.js";
import { elementTypeOrSelf, RankedTensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import type { RemarkRefs } from "../pass/remark.js";
import { type AxisShortage, uniformSource } from "./axis-loss.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";

/** Why the last value of a path has too little, as a clause: `argument {1} is not known to be divisible by 16 bytes ...`. */
export function lossWords(loss: AxisShortage, axes: ModuleAxisInfo, refs: RemarkRefs): string {
  const op = loss.value.definingOp;
  if (!op) return argumentWords(loss, refs);
  const { constantValue } = axes.getOrWorst(loss.value);
  if (constantValue !== undefined && !arith.ConstantOp.is(op)) {
    const only = loss.property === "divisibility" ? `, which is only ${amountWords(loss, loss.has)}` : "";
    return `${refs.of(loss.value)} is ${constantValue} in each element${only}`;
  }
  const words = WORDS.get(op.def)?.(loss, op, refs, axes);
  if (words) return words;
  if (loss.has === 1) return `nothing is known of the result of ${refs.of(loss.value)}`;
  return `of the result of ${refs.of(loss.value)} it is only known that it is ${amountWords(loss, loss.has)}`;
}

/** `divisible by 16 bytes`, `contiguous in runs of 8`, `the same for 4 neighbours`. */
export function amountWords({ property, value }: Pick<AxisShortage, "property" | "value">, amount: number): string {
  if (property === "contiguity") return amount === 1 ? "not contiguous" : `contiguous in runs of ${amount}`;
  if (property === "constancy") return amount === 1 ? "different for each element" : `the same for ${amount} neighbours`;
  return `divisible by ${BigInt(amount)}${PointerType.is(elementTypeOrSelf(value.type)) ? " bytes" : ""}`;
}

function argumentWords(loss: AxisShortage, refs: RemarkRefs): string {
  const { value, property, has, needed } = loss;
  const owner = value.argOwner!.parentOp;
  const name = refs.of(value);
  if (!owner?.def.interface(FunctionOp)) return `${name} is ${amountWords(loss, has)}`;
  if (RankedTensorType.is(value.type)) return `${name} comes in as a tensor, of which nothing is known`;
  if (property !== "divisibility") return `${name} is ${amountWords(loss, has)}`;
  const known = has === 1 ? "has no tt.divisibility" : `has only tt.divisibility = ${has}`;
  return `argument ${name} ${known}: it is not known to be ${amountWords(loss, needed)}`;
}

type Words = (loss: AxisShortage, op: Operation, refs: RemarkRefs, axes: ModuleAxisInfo) => string | undefined;

/** The operand that a number is multiplied, shifted or divided by: it is the same along the dimension, as far as that is known of one. */
interface Factor {
  readonly text: string;
  readonly known: bigint | undefined;
  /** Whether it is known to be the same for all elements along the dimension. */
  readonly uniform: boolean;
}
function factorOf(op: Operation, { dim }: AxisShortage, refs: RemarkRefs, axes: ModuleAxisInfo): Factor {
  const [a, b] = op.operands as [Value, Value];
  const constancy = (value: Value): number => axes.getOrWorst(value).constancy[dim] ?? 1;
  const value = !arith.MulIOp.is(op) || constancy(b) >= constancy(a) ? b : a;
  const known = axes.getOrWorst(value).constantValue;
  const size = RankedTensorType.is(value.type) ? (value.type.params.shape[dim] ?? 1) : 1;
  return { text: known === undefined ? refs.of(uniformSource(value)) : String(known), known, uniform: constancy(value) >= size };
}
/** `by 4: numbers that rise by 1 RISE`, as far as the factor is known; `idle` is the one that changes nothing. */
function factorWords({ text, known, uniform }: Factor, idle: number, certain: (by: bigint) => string, possible: string): string {
  if (known !== undefined) return `by ${text}: numbers that rise by 1 ${certain(known)} after it`;
  if (uniform) return `by ${text}, which is not known to be ${idle}: numbers that rise by 1 may ${possible} after it`;
  return `by ${text}, which may change from element to element: nothing is known of their order after it`;
}

const scaled: Words = (loss, op, refs, axes) => {
  if (loss.property !== "contiguity") return undefined;
  const name = refs.of(op);
  const factor = factorOf(op, loss, refs, axes);
  return arith.ShLIOp.is(op)
    ? `${name} shifts left ${factorWords(factor, 0, (by) => `rise by 2^${by}`, "rise by more")}`
    : `${name} multiplies ${factorWords(factor, 1, (by) => `rise by ${by}`, "rise by another number")}`;
};
const divided: Words = (loss, op, refs, axes) => {
  const name = refs.of(op);
  const factor = factorOf(op, loss, refs, axes);
  const does = REM.has(op.def) ? "takes the remainder" : "divides";
  if (loss.property === "divisibility") return `${name} ${does} by ${factor.text}, after which nothing is known to divide it`;
  if (loss.property === "constancy") return `${name} ${does} by ${factor.text}, after which neighbours may differ`;
  return REM.has(op.def)
    ? `${name} takes the remainder by ${factor.text}: it may wrap around between neighbours`
    : `${name} divides ${factorWords(factor, 1, () => "no longer all do", "be equal")}`;
};
const REM: ReadonlySet<OpDef> = new Set<OpDef>([arith.RemSIOp, arith.RemUIOp]);
const loaded: Words = ({ value, property }, _, refs) =>
  property === "constancy"
    ? `${refs.of(value)} is loaded, from addresses that differ`
    : `${refs.of(value)} is loaded from memory: nothing is known of its values`;
const constant: Words = (loss, op, refs) => {
  const attr = arith.ConstantOp.match(op)!.value;
  const number = IntegerAttr.is(attr)
    ? attr.params.value
    : DenseElementsAttr.is(attr) && attr.params.splat
      ? attr.params.elements[0]
      : undefined;
  if (loss.property === "divisibility" && number !== undefined)
    return `the constant ${number} (${refs.of(loss.value)}) is only ${amountWords(loss, loss.has)}`;
  return number === undefined
    ? `AxisInfo does not look into ${refs.of(loss.value)}, a constant of several numbers`
    : `the constant ${refs.of(loss.value)} is ${amountWords(loss, loss.has)}`;
};
const range: Words = (loss, op, refs) => {
  const { start, end } = tt.MakeRangeOp.match(op)!;
  if (loss.property === "constancy") return `${refs.of(loss.value)} counts up: its neighbours differ`;
  if (loss.property === "contiguity") return `${refs.of(loss.value)} counts only from ${start} to ${end}`;
  return `${refs.of(loss.value)} begins at ${start}, which is only divisible by ${loss.has}`;
};
const repeated: Words = (loss, _, refs) =>
  loss.property === "contiguity" ? `${refs.of(loss.value)} repeats one value: its elements are equal, not next to each other` : undefined;
const compared: Words = (loss, op, refs) => {
  if (loss.property !== "constancy") return undefined;
  const [a, b] = op.operands as [Value, Value];
  return `${refs.of(op)} compares ${refs.of(a)} with ${refs.of(b)}, and the outcome may change ${loss.has === 1 ? "at every element" : `every ${loss.has} elements`}`;
};
const combined: Words = (loss, op, refs) =>
  loss.property === "contiguity" ? `${refs.of(op)} combines bits: nothing is known of the order of its elements` : undefined;
const programId: Words = (loss, _, refs) =>
  loss.property === "divisibility" ? `${refs.of(loss.value)} may be any number: nothing is known to divide it` : undefined;
const moved: Words = (loss, _, refs) => {
  if (loss.property !== "contiguity") return undefined;
  return `${refs.of(loss.value)} adds parts of which neither rises by one where the other stays the same`;
};
const chosen: Words = (loss, op, refs) => `${refs.of(op)} chooses between values, and is ${amountWords(loss, loss.has)}`;

const WORDS: ReadonlyMap<OpDef, Words> = new Map<OpDef, Words>([
  [arith.MulIOp, scaled],
  [arith.ShLIOp, scaled],
  [arith.DivSIOp, divided],
  [arith.DivUIOp, divided],
  [arith.RemSIOp, divided],
  [arith.RemUIOp, divided],
  [tt.LoadOp, loaded],
  [arith.ConstantOp, constant],
  [tt.MakeRangeOp, range],
  [tt.SplatOp, repeated],
  [tt.BroadcastOp, repeated],
  [arith.CmpIOp, compared],
  [arith.AndIOp, combined],
  [arith.OrIOp, combined],
  [arith.XOrIOp, combined],
  [tt.GetProgramIdOp, programId],
  [arith.AddIOp, moved],
  [arith.SubIOp, moved],
  [tt.AddPtrOp, moved],
  [arith.SelectOp, chosen],
]);
