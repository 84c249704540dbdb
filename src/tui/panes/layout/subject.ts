/** The subject of the layout pane: the value under the cursor, at the selected step. */

import { linesOfOps } from "../../../explain/provenance.js";
import { layoutOfType, type ValueLayout } from "../../../explain/value-layout.js";
import { typeText } from "../../../ir/text-hook.js";
import { memo } from "../../../support/memo.js";
import { type StepModule, stepModule, type Value, valueOnLine, valuesOnLine } from "../../../trace/step-module.js";
import type { Step, Trace } from "../../../trace/trace.js";
import type { State } from "../../state/state.js";
import { comparedOf } from "../../state/steps.js";
import { cursorLine, namesOn } from "../diff/model.js";

export interface Subject {
  readonly name: string;
  readonly value: Value;
  readonly ir: StepModule;
  readonly layout: ValueLayout;
  readonly step: Step;
}

/** The subject, or a sentence that says why there is none. */
export function subjectOf(state: State): Subject | { readonly reason: string } {
  const cursor = cursorLine(state);
  const compared = comparedOf(state);
  if (!cursor || !compared) return { reason: "no line under the cursor" };
  const step = cursor.side === "right" ? compared.afterStep : compared.beforeStep;
  if (!step) return { reason: "the line under the cursor is of another input; + and | show this one alone" };
  const text = cursor.side === "right" ? compared.diff.after : compared.diff.before;
  // Where one function of a module is compared, its lines have other numbers in the step.
  const line = text === step.text ? cursor.line : cursor.op === 0 ? -1 : (linesOfOps(step.text).get(cursor.op) ?? -1);
  const name = namesOn(cursor.text)[state.view.diff.word]?.name;
  return find(state.session.trace, step, line, name?.startsWith("%") ? name : undefined);
}

const find = memo((trace: Trace, step: Step, line: number, name: string | undefined): Subject | { readonly reason: string } => {
  if (step.stage === "ptx" || step.flag === "llir") return { reason: "machine code has no tensor layouts; go to a TTGIR pass" };
  if (line < 0) return { reason: "no op under the cursor" };
  const text = trace.lines.line(step.text.lines[line]!);
  if (!text.includes("%")) return { reason: "no value on this line" };
  // Large modules are lowered ones: they are not read back to learn that.
  if (/^\s*(?:%[^=]*= )?"?(?:llvm|nvvm)\./.test(text))
    return { reason: "the LLVM dialect has no tensors: their elements are values of their own; go to a TTGIR pass" };
  const ir = stepModule(trace, step);
  if ("error" in ir) return { reason: `this IR cannot be read back: ${ir.error}` };
  const candidates = name === undefined ? valuesOnLine(ir, line) : [valueOnLine(ir, line, name)].filter((v) => v !== undefined);
  if (candidates.length === 0) return { reason: name === undefined ? "no value on this line" : `${name} is no value here` };
  let reason = "";
  for (const value of candidates) {
    const layout = layoutOfType(value.type);
    if ("reason" in layout) {
      reason ||= `%${ir.nameOf.get(value) ?? "?"} is ${layout.reason}`;
      continue;
    }
    return { name: `%${ir.nameOf.get(value) ?? "?"}`, value, ir, layout, step };
  }
  return { reason: reason || typeText(candidates[0]!.type) };
}, 8);
