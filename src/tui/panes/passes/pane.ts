import { selectedStep } from "../../state/steps.js";
import type { PaneModel } from "../pane.js";
import { passItems, passRows, passSummary } from "./model.js";

export const passesPane: PaneModel = {
  id: "passes",
  key: "1",
  title: ({ session, view }) => {
    const { target, options } = session.trace;
    const warps = options["numWarps"];
    const where = [target, warps === undefined ? undefined : `${String(warps)} warps`].filter((x) => x !== undefined).join(" ");
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
};
