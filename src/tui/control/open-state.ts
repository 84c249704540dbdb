/** The part of a screen that a command line can bring back: pass, line, pane, tabs. `--open pass=11,line=17,focus=diff` */

import { CODEGEN_TABS } from "../panes/codegen/tabs.js";
import { cursorLine, displayOf } from "../panes/diff/model.js";
import { DIFF_MODES } from "../panes/diff/pane.js";
import { PANE_IDS } from "../panes/index.js";
import { LAYOUT_TABS } from "../panes/layout/pane.js";
import { type State, say, withView } from "../state/state.js";
import { selectedStep } from "../state/steps.js";
import { atLine } from "./navigate.js";
import { settle } from "./settle.js";
import { atStep } from "./walk.js";

/** The words for the screen of a state. */
export function openWords(state: State): string {
  const { view } = state;
  const line = view.upper === "diff" ? cursorLine(state) : undefined;
  const words = [
    view.diff.mode === "side by side" ? "" : `mode=${view.diff.mode}`,
    `pass=${selectedStep(state)?.label ?? 0}`,
    line ? `line=${line.line + 1}${line.side === "left" ? "-" : ""}` : "",
    `focus=${view.focus}`,
    view.focus === "layout" || view.lower === "layout" ? `layout=${view.layout.tab}` : "",
    view.focus === "codegen" || view.lower === "codegen" ? `codegen=${view.codegen.tab}` : "",
    view.zoomed ? "zoomed" : "",
  ];
  return words.filter((word) => word !== "").join(",");
}

/** The state with the screen that the words name; words that name nothing here are told. */
export function withOpened(state: State, text: string): State {
  let next = state;
  const wrong: string[] = [];
  for (const word of text.split(",")) {
    const [name, value = ""] = word.split("=");
    const after = opened(next, name!, value);
    if (after) next = after;
    else wrong.push(word);
  }
  return wrong.length > 0 ? say(settle(next), `--open: nothing here is called ${wrong.join(", ")}`, "error") : settle(next);
}

function opened(state: State, name: string, value: string): State | undefined {
  const { view, session } = state;
  const among = <T extends string>(values: readonly T[]): T | undefined => values.find((v) => v === value);
  switch (name) {
    case "pass": {
      const step = session.trace.steps.find(({ label }) => label === value);
      return step && atStep(withView(state, { upper: "diff", focus: "passes" }), step.index, true);
    }
    case "line": {
      const [, number, left] = /^(\d+)(-?)$/.exec(value) ?? [];
      return number && displayOf(state) ? atLine(state, Number(number) - 1, left ? "left" : "right") : undefined;
    }
    case "focus": {
      const pane = among(PANE_IDS);
      return pane && withView(state, { focus: pane });
    }
    case "layout": {
      const tab = among(LAYOUT_TABS);
      return tab && withView(state, { lower: "layout", layout: { ...view.layout, tab } });
    }
    case "codegen": {
      const tab = among(CODEGEN_TABS);
      return tab && withView(state, { lower: "codegen", codegen: { ...view.codegen, tab, row: 0 } });
    }
    case "mode": {
      const mode = among(DIFF_MODES);
      return mode && withView(state, { diff: { ...view.diff, mode } });
    }
    case "zoomed":
      return withView(state, { zoomed: true });
    default:
      return undefined;
  }
}
