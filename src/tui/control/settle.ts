/** After every action: selections within what is there, and within what is seen. */

import { PANE_IDS, PANES } from "../panes/index.js";
import { selectedRow } from "../panes/passes/model.js";
import { sourceFollows } from "../panes/source/follow.js";
import { insideOf } from "../state/places.js";
import { type State, withView } from "../state/state.js";
import { isLower, isUpper, type PaneId, type PaneViews, type Scroll } from "../state/view.js";

/** Rows kept between the cursor and the edge. */
const MARGIN = 3;

/** Brings selections and scrolling back within what is shown. */
export function settle(state: State): State {
  let { view } = state;
  const steps = state.session.trace.steps.length;
  const selected = Math.max(0, Math.min(steps - 1, view.passes.selected));
  if (selected !== view.passes.selected) view = { ...view, passes: { ...view.passes, selected } };
  if (PANES[view.focus].absent?.(state) !== undefined) view = { ...view, focus: "passes" };
  if (isLower(view.focus) && view.lower !== view.focus) view = { ...view, lower: view.focus };
  if (isUpper(view.focus) && view.upper !== view.focus) view = { ...view, upper: view.focus };
  let next = view === state.view ? state : { ...state, view };

  const row = selectedRow(next);
  const passesTop = visible(next, "passes", next.view.passes.top, row <= 1 ? 0 : row, 1);
  next = withView(next, { passes: { ...next.view.passes, top: passesTop } }, next.view.passes.top !== passesTop);

  next = sourceFollows(rowWithin(next, "diff"));
  return ROW_PANES.reduce(rowWithin, next);
}

/** The panes whose cursor is a row. */
type RowPane = { [P in PaneId]: PaneViews[P] extends Scroll & { readonly row: number } ? P : never }[PaneId];
const ROW_PANES = PANE_IDS.filter((id): id is RowPane => "row" in PANES[id].initial);

/** The first row is always there: the rows are not counted for it, which takes long where they are found out first. */
function rowWithin(state: State, pane: RowPane): State {
  const { row } = state.view[pane];
  const length = () => PANES[pane].length(state, insideOf(state, pane) ?? { width: 80, height: 20 });
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
