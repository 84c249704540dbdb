/** Updates the screen when a result of background work arrives. */
import { ptxOf, ptxRowOf } from "../panes/codegen/final-code.js";
import { displayOf } from "../panes/diff/model.js";
import { atFinding } from "../panes/findings/pane.js";
import type { Computed, State } from "../state/state.js";
import { comparedOf } from "../state/steps.js";
import { atStep, reanchored } from "./walk.js";

/** A difference that was waited for is shown at its first change, or at the line that the user went to meanwhile. */
export function withComputed(state: State, computed: Computed): State {
  const next = withPtx(state, { ...state, session: { ...state.session, computed } });
  // An overlay stays open: an output of a tour, the help. A pass that failed stays selected.
  if (computed.findings && !state.session.computed.findings && state.view.focus === "findings" && state.session.failure === undefined)
    return { ...atFinding(next, 0), overlay: state.overlay };
  if (!comparedOf(state)?.wanted || comparedOf(next)?.wanted || !displayOf(next)) return next;
  const { row, top } = state.view.diff;
  return row === 0 && top === 0 ? atStep(next, state.view.passes.selected, true) : reanchored(state, next);
}

/** Until there is PTX, the cursor is on a line of the last step. */
function withPtx(state: State, next: State): State {
  const { codegen } = next.view;
  if (codegen.tab !== "ptx" || ptxOf(next.session).kind !== "text" || ptxOf(state.session).kind === "text") return next;
  return { ...next, view: { ...next.view, codegen: { ...codegen, row: ptxRowOf(next, codegen.row) } } };
}
