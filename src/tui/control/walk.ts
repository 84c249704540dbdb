/** Going from step to step: what the cursor of the diff stays on. */
import { ancestorsOf, descendantsOf } from "../../explain/provenance.js";
import { type CursorLine, cursorLine, type Display, displayOf } from "../panes/diff/model.js";
import { insideOf } from "../state/places.js";
import { type State, say, withView } from "../state/state.js";

/** Selects a step. The diff opens at its first change, or stays on the op under the cursor while the diff has the focus. */
export function atStep(state: State, step: number, fresh = false): State {
  const same = step === state.view.passes.selected;
  if (same && !fresh && state.view.upper === "diff") return state;
  const held = state.view.focus === "diff" && !fresh ? cursorLine(state) : undefined;
  const next = withView(state, {
    upper: "diff",
    focus: state.view.focus === "findings" ? "passes" : state.view.focus,
    passes: { ...state.view.passes, selected: step },
    diff: { ...state.view.diff, open: [], row: 0, top: 0, word: -1 },
  });
  const shown = displayOf(next);
  if (!shown) return next;
  const row = (held && rowOfOp(next, shown, held)) ?? firstChange(shown);
  return centred(next, row);
}

/** The same line under the cursor in another display of the same step. */
export function reanchored(before: State, after: State): State {
  const held = cursorLine(before);
  const shown = displayOf(after);
  if (!held || !shown) return after;
  const row = shown.indexOf(held.side, held.line);
  return centred(after, row >= 0 ? row : (rowOfOp(after, shown, held) ?? 0), after.view.diff.word);
}

/** The row in the middle of the pane. */
export function centred(state: State, row: number, word = -1): State {
  const height = insideOf(state, "diff")?.height ?? 20;
  return withView(state, { diff: { ...state.view.diff, row, word, top: Math.max(0, row - Math.floor(height / 2)) } });
}

function firstChange(shown: Display): number {
  const { added, removed, changed, moved } = shown.counts;
  if (added + removed + changed + moved === 0) return 0;
  for (let d = 0; d < shown.length; d++) {
    const at = shown.at(d);
    // Definitions of aliases come first, and say less than the ops.
    if (at.kind !== "fold" && at.row.kind !== "same" && (at.row.right < 0 || shown.compared.diff.after.ops[at.row.right] !== 0)) return d;
  }
  return 0;
}

/** Where the op that was under the cursor is now: itself, what was made of it, or what it was made of. */
function rowOfOp(state: State, shown: Display, held: CursorLine): number | undefined {
  if (held.op === 0) return undefined;
  const { trace } = state.session;
  const { after } = shown.compared.diff;
  for (const op of [held.op, ...descendantsOf(trace, held.op), ...ancestorsOf(trace, held.op)]) {
    const line = after.ops.indexOf(op);
    if (line < 0) continue;
    const row = shown.indexOf("right", line);
    if (row >= 0) return row;
  }
  return undefined;
}

/** The selected step marked, or no longer. */
export function marked(state: State): State {
  const { selected } = state.view.passes;
  const { [selected]: letter, ...others } = state.view.marks;
  const left = Object.keys(others).map(Number);
  if (letter !== undefined) {
    const mark = state.view.mark === selected ? left.at(-1) : state.view.mark;
    const base = mark === undefined && state.view.diff.base === "mark" ? "previous" : state.view.diff.base;
    return say(withView(state, { marks: others, mark, diff: { ...state.view.diff, base } }), `the mark ${letter} is gone`);
  }
  const used = new Set(Object.values(others));
  const next = [..."abcdefghijklmnopqrstuvwxyz"].find((name) => !used.has(name));
  if (next === undefined) return say(state, "26 steps are marked; m on one of them takes its mark away");
  return say(withView(state, { marks: { ...others, [selected]: next }, mark: selected }), `mark ${next}; ' holds other steps against it`);
}
/** The selected step, compared with a marked one. */
export function againstMarked(state: State, mark: number): State {
  if (mark === state.view.passes.selected) return say(state, "this step is the mark; select another one");
  return atStep(withView(state, { mark, diff: { ...state.view.diff, base: "mark", open: [] } }), state.view.passes.selected, true);
}
