/** The headline of a kernel and its findings, on which the UI opens. The other panes follow the finding under the cursor. */
import { headlineOf } from "../../../explain/headline.js";
import { go } from "../../control/navigate.js";
import { rowOn, textOf } from "../../draw/style.js";
import { insideOf } from "../../state/places.js";
import { type Go, type State, say, withView } from "../../state/state.js";
import type { FindingsView } from "../../state/view.js";
import { fitted } from "../diff/model.js";
import type { PaneDef } from "../pane.js";
import { findingRows, findingsOf } from "./model.js";

export const findingsPane: PaneDef<FindingsView> = {
  initial: { row: 0, top: 0, left: 0 },
  title: ({ session }) => headlineOf(session.trace).kernels.join(", ") || "findings",
  note: (state) => {
    const count = findingsOf(state.session)?.length ?? 0;
    const at = current(state);
    return count === 0 ? "" : `finding ${(at ?? 0) + 1} of ${count}`;
  },
  rows: (state, { width, height }) => {
    const { top } = state.view.findings;
    const at = state.view.focus === "findings" ? current(state) : undefined;
    return rowsIn(state, width)
      .slice(top, top + height)
      .map(({ row, finding }) => (at !== undefined && finding === at ? fitted(rowOn(row, "cursor"), width, "cursor") : row));
  },
  length: (state, { width }) => rowsIn(state, width).length,
  top: (state) => state.view.findings.top,

  move: (state, by) => {
    const count = findingsOf(state.session)?.length ?? 0;
    // A page of rows is a few findings.
    const wanted = (current(state) ?? -1) + (Math.abs(by) > 1 && Math.abs(by) < 1e6 ? 3 * Math.sign(by) : by);
    return count === 0 ? state : atFinding(state, Math.max(0, Math.min(count - 1, wanted)));
  },
  scroll: (state, by) => withView(state, { findings: { ...state.view.findings, top: Math.max(0, state.view.findings.top + by) } }),
  sideways: (state) => state,
  click: (state, _, y) => {
    const finding = rowsIn(state)[state.view.findings.top + y]?.finding;
    if (finding === undefined) return state;
    return finding === current(state) && state.view.focus === "findings" ? entered(state) : atFinding(state, finding);
  },
  enter: entered,
  tab: (state) => state,
  copied: (state) => {
    const at = current(state);
    const texts = rowsIn(state, 1000).flatMap(({ row, finding }) => (finding === at ? [textOf(row).trim()] : []));
    return at === undefined ? undefined : ["the finding", texts.join("\n")];
  },
  next: (state, direction) => findingsPane.move(state, direction),
};

function rowsIn(state: State, width = insideOf(state, "findings")?.width ?? 80) {
  return findingRows(state, width);
}
/** The finding under the cursor. */
function current(state: State): number | undefined {
  return rowsIn(state)[state.view.findings.row]?.finding;
}
/** Where a finding leads. */
export function placeOf(state: State, finding: number): Go | undefined {
  const found = findingsOf(state.session)?.[finding];
  if (!found) return undefined;
  return found.op === undefined ? { to: "step", step: found.step } : { to: "op", step: found.step, op: found.op };
}
/** The cursor on a finding; the panes around show its place. */
export function atFinding(state: State, finding: number): State {
  const to = placeOf(state, finding);
  if (!to) return state;
  const { focus } = state.view;
  const row = rowsIn(state).findIndex((r) => r.finding === finding);
  return withView(go(state, { text: "", go: to }), { focus, upper: "findings", findings: { ...state.view.findings, row } });
}
function entered(state: State): State {
  const at = current(state);
  const to = at === undefined ? undefined : placeOf(state, at);
  if (to) return withView(go(state, { text: "", go: to }), { focus: "diff" });
  const isKnown = findingsOf(state.session) !== undefined;
  return say(state, `${isKnown ? "no finding here" : "findings are not known yet"}; > goes to the next changed pass`);
}
