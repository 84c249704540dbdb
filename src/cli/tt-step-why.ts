/** `--why` and `--layout`: what a value is like after a pass, and why. */
import { axisInfoListing } from "../explain/axis-info-listing.js";
import { type Explanation, explain, type StepQueries } from "../explain/queries.js";
import { queriesAt, resolve } from "../explain/resolve.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { printTensorView } from "../layout/print-layout.js";
import { findStep, noStep, type Step, type Trace } from "../trace/trace.js";
import { UserError } from "./layout-input.js";
import { tensorOf } from "./layout-value.js";
import { withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";

type Answer = { readonly text: string } | { readonly error: string };

/** The output of `--why` and `--layout`. */
export function whyAndLayout(trace: Trace, { why, layout, axisInfo, at }: TtStepArgs): Answer {
  if (at !== undefined && !findStep(trace, at)) return { error: withHint(noStep(trace, at), "--list") };
  const queries = queriesAt(trace, at);
  if ("error" in queries) return queries;
  const { step } = queries;
  let text = axisInfo ? `${axisInfoListing(queries).join("\n")}\n` : "";
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
