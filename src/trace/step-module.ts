/** A step's text read back as IR, for questions that text does not answer: types, encodings, analyses. */
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import type { Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import { Context } from "../ir/context.js";
import { fileLoc } from "../ir/location.js";
import { Operation } from "../ir/operation.js";
import { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { takeSpellingOfText } from "../syntax/older-forms.js";
import { Parser } from "../syntax/parser.js";
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
  const text = trace.lines.textOf(step.text);
  const ctx = new Context(ALL_DIALECTS);
  const parser = new Parser(ctx, ctx.addSource("step", text));
  const nameOf = new Map<Value, string>();
  parser.values.onDefine = (name, definition) => {
    if (Array.isArray(definition))
      (definition as readonly Value[]).forEach((value, i) => nameOf.set(value, i === 0 ? name : `${name}#${i}`));
    else nameOf.set(definition as Value, name);
  };
  const parsed = parser.parseSource();
  if (!parsed) {
    const first = ctx.diagnostics[0];
    return { error: first ? renderDiagnostic(first, ctx.sources).split("\n")[0]! : "the IR does not parse" };
  }
  const [only] = parsed.ops;
  takeSpellingOfText(ctx, text, only);
  let module = only;
  if (!module || parsed.ops.length !== 1) {
    const region = new Region(ctx, null, 0);
    const block = new Block(ctx);
    region.insertBlock(block);
    for (const op of parsed.ops) block.append(op);
    module = new Operation(ctx, ctx.ops.get("builtin.module")!, { loc: fileLoc(ctx, "step", 0, 0), regions: [region] });
  }
  const opAtLine = new Map<number, Operation>();
  module.walk((op) => {
    const { locRef } = op;
    const line = typeof locRef === "number" ? ctx.positionOf(locRef)?.line : undefined;
    if (line !== undefined && !opAtLine.has(line - 1)) opAtLine.set(line - 1, op);
  });
  return { module, opAtLine, nameOf };
}

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
export type { Type, Value };
