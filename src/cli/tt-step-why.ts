/** `--why` and `--layout`: what a value is like after a pass, and why. */
import { type Explanation, explain, queriesOf, type StepQueries } from "../explain/queries.js";
import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { printTensorView } from "../layout/print-layout.js";
import { nearest } from "../support/nearest.js";
import { findStep, noStep, type Step, type Trace } from "../trace/trace.js";
import { UserError } from "./layout-input.js";
import { tensorOf } from "./layout-value.js";
import { shortened, withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";

type Answer = { readonly text: string } | { readonly error: string };

/** What `--why` and `--layout` print. */
export function whyAndLayout(trace: Trace, { why, layout, at }: TtStepArgs): Answer {
  const step = at === undefined ? lastStep(trace) : findStep(trace, at);
  if (!step) return { error: at === undefined ? "there is no IR to ask" : withHint(noStep(trace, at), "--list") };
  const queries = queriesOf(trace, step);
  if ("error" in queries) return { error: `the IR after ${step.label} ${step.flag} cannot be read back: ${queries.error}` };
  let text = "";
  for (const [asked, print] of [
    [layout, (entity: Operation | Value) => layoutText(queries, entity)],
    [why, (entity: Operation | Value) => explanationText(explain(queries, entity), step)],
  ] as const) {
    if (asked === undefined) continue;
    const found = resolve(queries, asked);
    if ("error" in found) return found;
    for (const entity of found.entities) {
      const printed = print(entity);
      if (typeof printed !== "string") return printed;
      text += printed;
    }
  }
  return { text };
}

/** The last TTGIR step, or the last one at all. */
function lastStep(trace: Trace): Step | undefined {
  const top = trace.steps.filter((step) => step.parent === undefined && step.kind !== "internal" && step.known);
  return top.findLast((step) => step.stage === "ttgir") ?? top.at(-1);
}

/** `%23`, `%3#1`, `@kernel:%23` or `kernel.py:12`. */
function resolve(queries: StepQueries, asked: string): { readonly entities: readonly (Operation | Value)[] } | { readonly error: string } {
  const after = `after ${queries.step.label} ${queries.step.flag}`;
  const named = /^(?:@([^:]+):)?(%[\w$.-]+(?:#\d+)?)$/.exec(asked);
  if (named) {
    const [, func, name] = named;
    const values = queries.valuesCalled(name!).filter((value) => func === undefined || functionOf(value) === func);
    if (values.length > 0) return { entities: values };
    const near = nearest(name!, queries.names());
    return { error: `there is no value ${shortened(asked)} ${after}${near ? `; did you mean '${near}'?` : ""}` };
  }
  const place = /^(.+):(\d+)(?::\d+)?$/.exec(asked);
  if (!place)
    return { error: `expected a value (%23, @kernel:%23) or a line of the Python source (kernel.py:12), not '${shortened(asked)}'` };
  const ops = queries.opsAtSource(place[1]!, Number(place[2]));
  if (ops.length === 0) {
    const lines = queries.linesOfSource(place[1]!);
    const hint = lines.length === 0 ? "" : `; ops stand at lines ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", ..." : ""}`;
    return { error: `no op comes from ${shortened(asked)} ${after}${hint}` };
  }
  return { entities: worthAsking(ops) };
}
function functionOf(value: Value): string | undefined {
  for (let op = value.definingOp ?? value.parentBlock?.parentOp; op; op = op.parentOp ?? undefined) {
    const symbol = op.name === "builtin.module" ? undefined : stringOf(op.attr("sym_name"));
    if (symbol !== undefined) return symbol;
  }
  return undefined;
}

/** Of the ops of a line those that there is most to say of: accesses, dots, conversions and loops; else all that give something. */
function worthAsking(ops: readonly Operation[]): readonly Operation[] {
  const main = ops.filter((op) =>
    /^(?:tt\.(?:load|store|atomic_|dot|reduce|descriptor_)|ttg\.(?:convert_layout|async_copy)|scf\.(?:for|while))/.test(op.name),
  );
  return main.length > 0 ? main : ops.filter((op) => op.numResults > 0);
}

function layoutText(queries: StepQueries, entity: Operation | Value): string | { readonly error: string } {
  const value = "isOperation" in entity ? entity.results[0] : entity;
  if (!value) return { error: `${(entity as Operation).name} has no result to show the layout of` };
  const lines: string[] = [];
  try {
    const tensor = tensorOf(value, queries.nameOf(value));
    lines.push(`${queries.nameOf(value)} after ${queries.step.label} ${queries.step.flag}: ${tensor.text}`);
    printTensorView(tensor.layout, (line) => void lines.push(line));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { error: error.message.replace(/^error: /, "").trimEnd() };
  }
  return `${lines.join("\n")}\n`;
}

function explanationText({ subject, source, sections }: Explanation, step: Step): string {
  const place = source ? ` (${source.file.slice(source.file.lastIndexOf("/") + 1)}:${source.line})` : "";
  let text = `${subject}${place}, after ${step.label} ${step.flag}\n`;
  for (const { title, lines } of sections) {
    text += `  ${title}\n`;
    for (const line of lines) text += `    ${line}\n`;
  }
  return text;
}
