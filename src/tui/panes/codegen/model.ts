/** The codegen pane: the final code, the reasons for it, and figures, in tabs over one Trace. */
import { ratedFacts } from "../../../explain/codegen/explain-facts.js";
import { wrapText } from "../../../support/wrap-text.js";
import type { Row } from "../../draw/style.js";
import { line, MUTED } from "../../draw/style.js";
import type { State } from "../../state/state.js";
import { selectedStep } from "../../state/steps.js";
import { cursorLine, fitted, skipped } from "../diff/model.js";
import type { Size2 } from "../pane.js";
import { compareItems } from "./compare.js";
import { familyOf } from "./family.js";
import { codeRows, whyNoCode } from "./final-code.js";
import { flowItems } from "./flow.js";
import type { CodegenItem } from "./item.js";
import { limitsItems } from "./limits.js";
import { memoryItems, mmaItems } from "./memory.js";
import { rewriteItems } from "./rewrites.js";
import { statsItems } from "./stats.js";
import { isCode } from "./tabs.js";
import { whyItems } from "./why.js";

/** The items of a tab; tabs of code are drawn from its lines instead. */
export function codegenItems(state: State, width: number): readonly CodegenItem[] {
  const { session, view } = state;
  const cursor = cursorLine(state);
  const family = familyOf(session.trace, cursor?.op ?? 0);
  switch (view.codegen.tab) {
    case "memory":
    case "mma": {
      const facts = session.progress ? [] : ratedFacts(session.trace);
      if (facts.length === 0) return wrapText(whyNoCode(session), width).map((text) => ({ row: line(text, MUTED) }));
      return view.codegen.tab === "mma" ? mmaItems(facts, family) : memoryItems(facts, family, width);
    }
    case "compare":
      return compareItems(session, width);
    case "why":
      return whyItems(state, width);
    case "flow":
      return flowItems(session, selectedStep(state), width);
    case "stats":
      return statsItems(session, selectedStep(state), width);
    case "rewrites":
      return rewriteItems(session, selectedStep(state), width);
    case "limits":
      return limitsItems(state, width);
    case "ptx":
    case "sass":
      return [];
  }
}

export function codegenRows(state: State, size: Size2): readonly Row[] {
  const { tab, top, left, row } = state.view.codegen;
  if (isCode(tab)) return codeRows(state, size);
  const items = codegenItems(state, size.width);
  if (items.length === 0) return [line("nothing here", MUTED)];
  const focused = state.view.focus === "codegen";
  return items
    .slice(top, top + size.height)
    .map((item, i) => fitted(skipped(item.row, left), size.width, focused && top + i === row ? "cursor" : "none"));
}
