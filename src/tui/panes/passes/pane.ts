/** The pass list. */
import { atStep, marked } from "../../control/walk.js";
import { withView } from "../../state/state.js";
import { selectedStep } from "../../state/steps.js";
import type { PassesView } from "../../state/view.js";
import { diffPane } from "../diff/pane.js";
import type { PaneDef } from "../pane.js";
import { passItems, passRows, passSummary, stepAway } from "./model.js";

export const passesPane: PaneDef<PassesView> = {
  initial: { selected: 0, hideUnchanged: false, nested: false, filter: "", top: 0 },
  title: ({ session, view }) => {
    const { target, options } = session.trace;
    const warps = options["numWarps"];
    const where = [target, warps === undefined ? undefined : `${String(warps)} warps`].filter((x) => x !== undefined).join(" · ");
    return `passes${view.passes.filter ? ` /${view.passes.filter}` : ""}${view.passes.hideUnchanged ? " (changed)" : ""}${where ? ` · ${where}` : ""}`;
  },
  note: (state) => {
    const step = selectedStep(state);
    const position = step ? `${step.label} · ` : "";
    return position + passSummary(state.session);
  },
  rows: passRows,
  length: (state) => passItems(state).length,
  top: (state) => state.view.passes.top,

  // The diff follows.
  move: (state, by) => atStep(state, stepAway(state, by)),
  sideways: diffPane.sideways,
  click: (state, _, y) => {
    const item = passItems(state)[state.view.passes.top + y];
    return item?.kind === "step" ? atStep(state, item.step.index) : state;
  },
  enter: (state) =>
    withView(
      state,
      { focus: "codegen", codegen: { ...state.view.codegen, tab: "rewrites", row: 0, top: 0, left: 0 } },
      selectedStep(state) !== undefined,
    ),
  select: marked,
  tab: (state) => withView(state, { passes: { ...state.view.passes, hideUnchanged: !state.view.passes.hideUnchanged } }),
  copied: diffPane.copied,
};
