/** After every action: selections within what is there, and within what is seen. */

import { displayOf } from "../panes/diff/model.js";
import { PANES } from "../panes/index.js";
import { selectedRow } from "../panes/passes/model.js";
import { sourceFollows } from "../panes/source/follow.js";
import { insideOf } from "../state/places.js";
import { type State, withView } from "../state/state.js";
import type { PaneId, Scroll } from "../state/view.js";

/** Rows kept between the cursor and the edge. */
const MARGIN = 3;

/** Brings selections and scrolling back within what is shown. */
export function settle(state: State): State {
  let { view } = state;
  const steps = state.session.trace.steps.length;
  const selected = Math.max(0, Math.min(steps - 1, view.passes.selected));
  if (selected !== view.passes.selected) view = { ...view, passes: { ...view.passes, selected } };
  if (PANES[view.focus].absent?.(state) !== undefined) view = { ...view, focus: "passes" };
  if ((view.focus === "layout" || view.focus === "codegen") && view.lower !== view.focus) view = { ...view, lower: view.focus };
  if ((view.focus === "findings" || view.focus === "diff") && view.upper !== view.focus) view = { ...view, upper: view.focus };
  let next = view === state.view ? state : { ...state, view };

  const row = selectedRow(next);
  const passesTop = visible(next, "passes", next.view.passes.top, row <= 1 ? 0 : row, 1);
  next = withView(next, { passes: { ...next.view.passes, top: passesTop } }, next.view.passes.top !== passesTop);

  next = rowWithin(next, "diff", () => displayOf(next)?.length ?? 0);
  next = sourceFollows(next);
  for (const pane of ["codegen", "source", "findings"] as const)
    next = rowWithin(next, pane, () => PANES[pane].length(next, insideOf(next, pane) ?? { width: 80, height: 20 }));
  return next;
}

type RowPane = "diff" | "codegen" | "source" | "findings";

/** The first row is always there: the rows are not counted for it, which takes long where they are found out first. */
function rowWithin(state: State, pane: RowPane, length: () => number): State {
  const { row } = state.view[pane];
  const at = row === 0 ? 0 : Math.max(0, Math.min(length() - 1, row));
  const within = at === row ? state : withView(state, { [pane]: { ...state.view[pane], row: at } }, true);
  return scrolledTo(within, pane, at);
}

function scrolledTo(state: State, pane: RowPane, row: number): State {
  const scroll: Scroll = state.view[pane];
  const top = visible(state, pane, scroll.top, row, MARGIN);
  return withView(state, { [pane]: { ...state.view[pane], top } }, top !== scroll.top);
}

/** The first row to show so that `row` is seen with a margin. */
function visible(state: State, pane: PaneId, top: number, row: number, margin: number): number {
  if (row === 0) return 0;
  const inside = insideOf(state, pane);
  if (!inside) return top;
  const { height } = inside;
  const keep = Math.min(margin, Math.floor((height - 1) / 2));
  const length = PANES[pane].length(state, inside);
  if (row - keep < top) top = row - keep;
  if (row + keep >= top + height) top = row + keep - height + 1;
  return Math.max(0, Math.min(top, length - height));
}
