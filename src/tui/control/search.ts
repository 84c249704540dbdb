/** Searching in panes. */
import { textOf } from "../draw/style.js";
import { displayOf } from "../panes/diff/model.js";
import { PANES } from "../panes/index.js";
import { type State, say, withView } from "../state/state.js";
import { atLine } from "./navigate.js";

/** The next match of the search in its pane. */
export function matchAway(state: State, direction: 1 | -1): State {
  const { search } = state.view;
  if (!search) return state;
  const none = () => say(state, `'${search.text}' is not here; g / searches all passes`);
  const matches = matcher(search.text);
  if (search.pane === "diff" || search.pane === "passes") {
    const shownRows = displayOf(state);
    if (!shownRows) return none();
    const { diff } = shownRows.compared;
    const { rows } = shownRows;
    const at = shownRows.length > 0 ? shownRows.at(state.view.diff.row) : undefined;
    const from = at === undefined ? 0 : at.kind === "fold" ? (direction > 0 ? at.first : at.first + at.count - 1) : rows.indexOf(at.row);
    const inFold = at?.kind === "fold" ? 0 : 1;
    for (let i = 0; i < rows.length; i++) {
      const r = (((from + direction * (i + inFold)) % rows.length) + rows.length) % rows.length;
      const row = rows[r]!;
      if (row.right >= 0 && matches(diff.lines.line(diff.after.lines[row.right]!))) return atLine(state, row.right, "right");
      if (row.left >= 0 && shownRows.mode !== "IR" && matches(diff.lines.line(diff.before.lines[row.left]!)))
        return atLine(state, row.left, "left");
    }
    return none();
  }
  if (search.pane === "layout") return say(state, "layouts are not searched");
  const { pane } = search;
  const model = PANES[pane];
  const top = { ...state, view: { ...state.view, [pane]: { ...state.view[pane], top: 0, left: 0 } } };
  const texts = model.rows(top, { width: 1000, height: 200_000 }).map(textOf);
  const from = state.view[pane].row;
  for (let i = 1; i <= texts.length; i++) {
    const r = (((from + direction * i) % texts.length) + texts.length) % texts.length;
    if (matches(texts[r]!))
      return pane === "findings" ? withView(state, { findings: { ...state.view.findings, row: r } }) : model.move(state, r - from);
  }
  return none();
}
/** Lower-case searches find any case. */
function matcher(needle: string): (text: string) => boolean {
  if (/[A-Z]/.test(needle)) return (text) => text.includes(needle);
  return (text) => text.toLowerCase().includes(needle);
}
