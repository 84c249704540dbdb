/** The cursors of the IR and of the Python source follow each other. */
import { locationOf, locationsOf } from "../../../explain/provenance.js";
import { memo } from "../../../support/memo.js";
import type { Step, Trace } from "../../../trace/trace.js";
import { centred } from "../../control/walk.js";
import { type SourceFile, type State, withView } from "../../state/state.js";
import { selectedStep } from "../../state/steps.js";
import { placeInStep } from "../codegen/final-code.js";
import { cursorLine, displayOf } from "../diff/model.js";

/** The source on the line that the op under the diff's cursor is from; at first on the kernel. */
export function sourceFollows(state: State): State {
  const { session, view } = state;
  const { trace, sources } = session;
  if (sources.length === 0 || view.focus === "source") return state;
  const cursor = cursorLine(state);
  const step = selectedStep(state);
  const own = cursor && cursor.op > 0 ? locationOf(trace, cursor.op) : undefined;
  const place = own ?? (cursor && step && placeInStep(session, step, cursor.line));
  const file = place ? sources.findIndex((source) => source.path === place.file) : -1;
  if (place && file >= 0) return sourceAt(state, file, place.line - 1);
  const { row, top } = view.source;
  return row === 0 && top === 0 ? sourceAt(state, view.source.file, kernelRow(trace, sources[view.source.file]!)) : state;
}
function sourceAt(state: State, file: number, row: number): State {
  const { source } = state.view;
  return withView(state, { source: { ...source, file, row } }, source.file !== file || source.row !== row);
}

/** The line of the first function that ops are from. */
const kernelRow = memo((trace: Trace, { path, lines }: SourceFile): number => {
  let first = Number.POSITIVE_INFINITY;
  for (const { file, line } of locationsOf(trace).values()) if (file === path) first = Math.min(first, line - 1);
  if (first >= lines.length) return 0;
  for (let row = first; row >= 0; row--) if (/^\s*def\s/.test(lines[row]!)) return row;
  return first;
}, 4);

/** The diff on the first op that is from the source's line, where there is one. */
export function diffFollows(state: State): State {
  const step = selectedStep(state);
  const file = state.session.sources[state.view.source.file];
  const shown = displayOf(state);
  if (!step || !file || !shown) return state;
  const line = firstLines(state.session.trace, step, file.path).get(state.view.source.row + 1);
  const row = line === undefined ? -1 : shown.indexOf("right", line);
  return row < 0 || shown.compared.diff.after !== step.text ? state : centred(state, row);
}
/** By a line of a source file, the first line of a step with an op from there. */
const firstLines = memo((trace: Trace, step: Step, path: string): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  step.text.ops.forEach((op, line) => {
    const at = op === 0 ? undefined : locationOf(trace, op);
    if (at?.file === path && !found.has(at.line)) found.set(at.line, line);
  });
  return found;
}, 4);
