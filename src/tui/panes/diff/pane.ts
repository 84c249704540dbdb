import { countsText } from "../../../diff/hunks.js";
import { selectedStep } from "../../state/steps.js";
import type { PaneModel } from "../pane.js";
import { diffRows, displayOf } from "./model.js";

export const diffPane: PaneModel = {
  id: "diff",
  key: "2",
  title: (state) => {
    const shown = displayOf(state);
    if (!shown) return "diff";
    const { beforeName, afterName } = shown.compared;
    const step = selectedStep(state)!;
    const options = step.options === "" ? "" : ` {${step.options}}`;
    if (shown.mode === "IR" || beforeName === afterName) return `after ${afterName}${options}`;
    return `${beforeName} → ${afterName}${options}`;
  },
  tabs: (state) => ({ names: ["side by side", "unified", "IR"], active: displayOf(state)?.mode ?? "IR" }),
  note: (state) => {
    const shown = displayOf(state);
    const step = selectedStep(state);
    if (!shown || !step) return "";
    if (!step.known) return "its result is not in the log";
    if (shown.compared.wanted) return "comparing ...";
    const verdict = step.verified ? "" : " · failed";
    return `${countsText(shown)}${verdict} · ${state.view.diff.row + 1}/${shown.length}`;
  },
  rows: diffRows,
  length: (state) => displayOf(state)?.length ?? 0,
  top: (state) => state.view.diff.top,
};
