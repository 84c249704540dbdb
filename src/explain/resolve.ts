/** Finds what a question is about: a step of a Trace, and values or ops in it by name or by line of the source. */
import { type Rejected, rejected } from "../compile/source.js";
import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { nearest } from "../support/nearest.js";
import { findStep, noStep, type Step, type Trace } from "../trace/trace.js";
import { type Explanation, explain, queriesOf, type StepQueries } from "./queries.js";

/** The explanations of an op or value, or of all ops of a line, after a step. */
export interface Explained {
  readonly kind: "explained";
  readonly step: Step;
  readonly explanations: readonly Explanation[];
}

/** Why a value (`%23`, `@kernel:%23`), or every op of a source line (`kernel.py:12`), is as it is after the pass `at`; by default the last of ttgir. */
export function explainAt(trace: Trace, asked: string, at?: string): Explained | Rejected {
  const queries = queriesAt(trace, at);
  if ("error" in queries) return rejected(queries.error);
  const found = resolve(queries, asked);
  if ("error" in found) return rejected(found.error);
  return { kind: "explained", step: queries.step, explanations: found.entities.map((entity) => explain(queries, entity)) };
}

/** The step that `at` names (`tritongpu-coalesce`, `canonicalize#3`, a label of the list), by default the last of ttgir, to ask. */
export function queriesAt(trace: Trace, at: string | undefined): StepQueries | { readonly error: string } {
  const step = at === undefined ? lastStep(trace) : findStep(trace, at);
  if (!step) return { error: at === undefined ? "there is no IR to ask" : noStep(trace, at) };
  const queries = queriesOf(trace, step);
  return "error" in queries ? { error: `the IR after ${step.label} ${step.flag} cannot be read back: ${queries.error}` } : queries;
}

/** The last TTGIR step, or the last one at all. */
function lastStep(trace: Trace): Step | undefined {
  const top = trace.steps.filter((step) => step.parent === undefined && step.kind !== "internal" && step.known);
  return top.findLast((step) => step.stage === "ttgir") ?? top.at(-1);
}

/** `%23`, `%3#1`, `@kernel:%23` or `kernel.py:12`. */
export function resolve(
  queries: StepQueries,
  asked: string,
): { readonly entities: readonly (Operation | Value)[] } | { readonly error: string } {
  const after = `after ${queries.step.label} ${queries.step.flag}`;
  const named = /^(?:@([^:]+):)?(%[\w$.-]+(?:#\d+)?)$/.exec(asked);
  if (named) {
    const [, func, name] = named;
    const values = queries.valuesCalled(name!).filter((value) => func === undefined || functionOf(value) === func);
    const own = values.length > 0 ? undefined : queries.valueNamedInInput(name!);
    if (own) return { entities: [own] };
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
    const hint = lines.length === 0 ? "" : `; ops come from lines ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", ..." : ""}`;
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

/** The ops of a line with the most to explain: accesses, dots, conversions and loops; if there are none, all ops with results. */
function worthAsking(ops: readonly Operation[]): readonly Operation[] {
  const main = ops.filter((op) =>
    /^(?:tt\.(?:load|store|atomic_|dot|reduce|descriptor_)|ttg\.(?:convert_layout|async_copy)|ttng\.(?:warp_group_dot$|tc_gen5_mma|async_tma_copy)|scf\.(?:for|while))/.test(
      op.name,
    ),
  );
  return main.length > 0 ? main : ops.filter((op) => op.numResults > 0);
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text);
