/** What becomes of the screen when something is known that was computed behind it. */
import { displayOf } from "../panes/diff/model.js";
import type { Computed, State } from "./state.js";
import { comparedOf } from "./steps.js";
import { atStep, reanchored } from "./walk.js";

/** A difference that was waited for is shown at its first change, or at the line that the user went to meanwhile. */
export function withComputed(state: State, computed: Computed): State {
  const next: State = { ...state, session: { ...state.session, computed } };
  if (!comparedOf(state)?.wanted || comparedOf(next)?.wanted || !displayOf(next)) return next;
  const { row, top } = state.view.diff;
  return row === 0 && top === 0 ? atStep(next, state.view.passes.selected, true) : reanchored(state, next);
}
