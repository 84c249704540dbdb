/** The ptx tab: the final code as text, lines of the op under the cursor lit. */
import { codegenStep } from "../../../compile/codegen-facts.js";
import type { Step } from "../../../compile/trace.js";
import { memo } from "../../../support/memo.js";
import { irSpans } from "../../draw/ir-text.js";
import { line, MUTED, type Row, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { State } from "../../state/state.js";
import { cursorLine, fitted, skipped } from "../diff/model.js";
import type { Size2 } from "../pane.js";
import { familyOf } from "./family.js";

const stepOf = memo(codegenStep);
function finalStep(state: State): Step | undefined {
  return state.session.progress ? undefined : stepOf(state.session.trace);
}
export function ptxLength(state: State): number {
  return finalStep(state)?.text.lines.length ?? 0;
}

export function ptxRows(state: State, { width, height }: Size2): Row[] {
  const step = finalStep(state);
  const { trace } = state.session;
  if (!step) return [line(state.session.progress ? "compiling ..." : "no machine code in this Trace", MUTED)];
  const { top, left, row } = state.view.codegen;
  const family = familyOf(trace, cursorLine(state)?.op ?? 0);
  const digits = String(step.text.lines.length).length;
  const rows: Row[] = [];
  for (let at = top; at < Math.min(step.text.lines.length, top + height); at++) {
    const isFamily = family.has(step.text.ops[at]!);
    const spans = skipped(irSpans(shown(trace.lines.line(step.text.lines[at]!))), left);
    const isCursor = at === row && state.view.focus === "codegen";
    rows.push(
      fitted(
        [[`${String(at + 1).padStart(digits)}${isFamily ? "<" : " "}`, isFamily ? style("moved") : style("comment")], ...spans],
        width,
        isCursor ? "cursor" : isFamily ? "movedLine" : "none",
      ),
    );
  }
  return rows;
}
