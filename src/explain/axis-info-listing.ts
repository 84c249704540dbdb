/** The AxisInfo of every value beside the IR: each with the rule that gave it and the numbers of the operands. */
import type { AxisInfo } from "../analysis/axis-info.js";
import { axisInfoOf } from "../analysis/axis-info-of-values.js";
import { AXIS_INFO_WORDS } from "../analysis/axis-info-words.js";
import { knownValues } from "../analysis/known-values.js";
import type { ModuleAxisInfo } from "../analysis/module-axis-info.js";
import { ForOp } from "../dialects/scf/ops/for.js";
import { PointerType } from "../dialects/tt/types.js";
import { elementTypeOrSelf, IntegerType, isIndex, RankedTensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { axisInfoOfModule, type StepQueries } from "./queries.js";

/** The lines of a step's IR; after each that defines numbers or pointers comments with their AxisInfo. */
export function axisInfoListing(queries: StepQueries): string[] {
  const { trace, step, ir } = queries;
  const axes = axisInfoOfModule(ir.module);
  const lines = [...step.text.lines].flatMap((index, i) => {
    const text = trace.lines.line(index);
    const op = ir.opAtLine.get(i);
    if (!op) return [text];
    const indent = `${/^ */.exec(text)![0]}    // `;
    return [text, ...notesOf(queries, axes, op).map((note) => indent + note)];
  });
  return ["// c: contiguity (runs of consecutive numbers), d: divisibility, k: constancy (runs of equal numbers)", ...lines];
}

function notesOf(queries: StepQueries, axes: ModuleAxisInfo, op: Operation): string[] {
  const loop = ForOp.match(op);
  if (loop) return carriedNotes(queries, axes, op);
  return op.results.flatMap((value) => {
    const info = isCounted(value) ? axes.get(value) : undefined;
    if (!info) return [];
    const rule = AXIS_INFO_WORDS.get(op.def);
    const hints = ["tt.contiguity", "tt.divisibility", "tt.constancy"].filter((name) => op.hasAttr(name));
    const operands = op.operands.filter((operand) => isCounted(operand) && axes.get(operand));
    const letters = operands.map((operand, i) => `${"abc"[i] ?? "?"} = ${queries.nameOf(operand)}: ${short(axes.get(operand)!)}`);
    return [
      `${queries.nameOf(value)}: ${short(info)}`,
      `${op.name}: ${rule ?? "no rule: the worst case"}${hints.length > 0 ? `; ${hints.join(", ")} of the op says more` : ""}`,
      ...(letters.length > 0 ? [letters.join("; ")] : []),
      ...definitionNote(value, info),
    ];
  });
}

/** The definition may allow more than the rule found, where the numbers themselves are known. */
function definitionNote(value: Value, info: AxisInfo): string[] {
  const { type } = value;
  const numbers = RankedTensorType.is(type) ? knownValues(value) : undefined;
  const actual = numbers && RankedTensorType.is(type) ? axisInfoOf(numbers, type.params.shape) : undefined;
  return actual && short(actual) !== short(info) ? [`by the definition, of the numbers themselves: ${short(actual)}`] : [];
}

/** A value that a loop carries is either the first or the yielded one: a bound for both. */
function carriedNotes(queries: StepQueries, axes: ModuleAxisInfo, op: Operation): string[] {
  const block = op.regions[0]?.firstBlock;
  const yielded = block?.lastOp?.operands ?? [];
  return (block?.args ?? []).slice(1).flatMap((carried, i) => {
    const info = isCounted(carried) ? axes.get(carried) : undefined;
    if (!info) return [];
    const [first, next] = [op.operand(3 + i), yielded[i]];
    const part = (value: Value | undefined): string => (value ? `${queries.nameOf(value)}: ${shortOr(axes.get(value))}` : "?");
    return [
      `${queries.nameOf(carried)}: ${short(info)}, the gcd of what enters (${part(first)}) and what a round hands on (${part(next)})`,
    ];
  });
}

const isCounted = ({ type }: Value): boolean => {
  const element = elementTypeOrSelf(type);
  return IntegerType.is(element) || isIndex(element) || PointerType.is(element);
};
const shortOr = (info: AxisInfo | undefined): string => (info ? short(info) : "not known");
/** `c [1, 64] d [16, 16] k [1, 1]`; large powers of two as such. */
function short({ contiguity, divisibility, constancy, constantValue }: AxisInfo): string {
  const number = (n: number): string => (n >= 2 ** 20 && Number.isInteger(Math.log2(n)) ? `2^${Math.log2(n)}` : String(n));
  const list = (numbers: readonly number[]): string => `[${numbers.map(number).join(", ")}]`;
  const constant = constantValue === undefined ? "" : `, all are ${constantValue}`;
  return `c ${list(contiguity)} d ${list(divisibility)} k ${list(constancy)}${constant}`;
}
