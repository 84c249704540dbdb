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

/** The operand that is the same along the dimension: what a multiplication multiplies by, or a division divides by. */
function factor(op: Operation, { dim }: AxisShortage, refs: RemarkRefs, axes: ModuleAxisInfo): string {
  const [a, b] = op.operands as [Value, Value];
  const constancy = (value: Value): number => axes.getOrWorst(value).constancy[dim] ?? 1;
  return operandWords(constancy(b) >= constancy(a) ? b : a, refs, axes);
}
function operandWords(value: Value, refs: RemarkRefs, axes: ModuleAxisInfo): string {
  const { constantValue } = axes.getOrWorst(value);
  return constantValue === undefined ? refs.of(uniformSource(value)) : String(constantValue);
}

const scaled: Words = (loss, op, refs, axes) => {
  const name = refs.of(op);
  const by = factor(op, loss, refs, axes);
  if (loss.property !== "contiguity") return undefined;
  const known = op.operands.some((operand) => axes.getOrWorst(operand).constantValue !== undefined);
  const does = arith.ShLIOp.is(op) ? `shifts left by ${by}` : `multiplies by ${by}${known ? "" : ", which is not known to be 1"}`;
  return `${name} ${does}: neighbours are that far apart, not next to each other`;
};
const divided: Words = (loss, op, refs, axes) => {
  const by = factor(op, loss, refs, axes);
  const does = REM.has(op.def) ? "takes the remainder by" : "divides by";
  if (loss.property === "divisibility") return `${refs.of(op)} ${does} ${by}, after which nothing is known to divide it`;
  if (loss.property === "contiguity")
    return REM.has(op.def)
      ? `${refs.of(op)} ${does} ${by}: it may wrap around between neighbours`
      : `${refs.of(op)} ${does} ${by}: neighbours become equal`;
  return `${refs.of(op)} ${does} ${by}, after which neighbours differ`;
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
