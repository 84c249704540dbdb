/** A step's text read back as IR, for questions that text does not answer: types, encodings, analyses. */

import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { followTriton } from "../ir/spelling.js";
import type { Value } from "../ir/value.js";
import { isWellFormed, verifyOperation } from "../ir/verify.js";
import { tritonOrDefault } from "../support/triton-version.js";
import { parseModule } from "../syntax/parse.js";
import "../syntax/print.js";
import type { StepText } from "./line-table.js";
import type { Step, Trace } from "./trace.js";

/** Steps of more lines are not read: nothing that large has encodings. */
const MAX_LINES = 20_000;

/** A step's IR; lines are counted from 0. */
export interface StepModule {
  readonly module: Operation;
  readonly opAtLine: ReadonlyMap<number, Operation>;
  readonly nameOf: ReadonlyMap<Value, string>;
}
const cache = new WeakMap<StepText, StepModule | { readonly error: string }>();

/** Reads a step back, once; `error` says in a line why it cannot be. */
export function stepModule(trace: Trace, step: Step): StepModule | { readonly error: string } {
  let found = cache.get(step.text);
  if (!found) cache.set(step.text, (found = read(trace, step)));
  return found;
}

function read(trace: Trace, step: Step): StepModule | { readonly error: string } {
  if (step.text.lines.length > MAX_LINES)
    return { error: `the step has ${step.text.lines.length} lines; at most ${MAX_LINES} are read back` };
  const nameOf = new Map<Value, string>();
  const { module, problem } = readStep(trace, step, (name, definition) => {
    if (Array.isArray(definition))
      (definition as readonly Value[]).forEach((value, i) => nameOf.set(value, i === 0 ? name : `${name}#${i}`));
    else nameOf.set(definition as Value, name);
  });
  // IR that does not verify can be asked about too, but analyses read operands and attributes that ops must have.
  if (!module || (problem !== undefined && !isWellFormed(module))) return { error: problem ?? "the IR does not parse" };
  const { ctx } = module;
  const opAtLine = new Map<number, Operation>();
  module.walk((op) => {
    const { locRef } = op;
    const line = typeof locRef === "number" ? ctx.positionOf(locRef)?.line : undefined;
    if (line !== undefined && !opAtLine.has(line - 1)) opAtLine.set(line - 1, op);
  });
  return { module, opAtLine, nameOf };
}

/** The IR after a step, read anew: as much as could be read, and in a line what is wrong with it. Its ops are at lines of that text. */
export function readStep(trace: Trace, step: Step, onDefine?: Parameters<typeof parseModule>[4]): ReadStep {
  const ctx = new Context(ALL_DIALECTS);
  ctx.language = trace.language ?? "triton";
  followTriton(ctx, tritonOrDefault(trace.triton));
  const module = parseModule(ctx, `<after ${step.flag}>`, trace.lines.textOf(step.text), 1, onDefine)?.module;
  if (module && verifyOperation(module)) return { module, problem: undefined };
  const problem = ctx.diagnostics.find((d) => d.severity === "error");
  return { module, problem: problem ? renderDiagnostic(problem, ctx.sources).split("\n")[0]! : "the IR does not parse" };
}
export type ReadStep =
  | { readonly module: Operation; readonly problem: undefined }
  | { readonly module: Operation | undefined; readonly problem: string };

/** The value called `name` (`%12`, `%3#1`) as it is seen on a line: a result, an operand, an argument of a region. */
export function valueOnLine(ir: StepModule, line: number, name: string): Value | undefined {
  const op = ir.opAtLine.get(line);
  if (!op) return undefined;
  const bare = name.replace(/^%/, "").replace(/#0$/, "");
  const called = (value: Value): boolean => ir.nameOf.get(value) === bare;
  const result = op.results.find(called);
  if (result) return result;
  for (const { value } of op.operandUses) if (called(value)) return value;
  for (const region of op.regions) for (const block of region.blocks()) for (const arg of block.args) if (called(arg)) return arg;
  return undefined;
}

/** The values of a line that have types of their own: results, else operands. */
export function valuesOnLine(ir: StepModule, line: number): readonly Value[] {
  const op = ir.opAtLine.get(line);
  if (!op) return [];
  return op.results.length > 0 ? op.results : op.operandUses.map(({ value }) => value);
}
export type { Value };
