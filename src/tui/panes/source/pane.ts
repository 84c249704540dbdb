/** The Python source, with the line of the op under the cursor. */
import { callersOf, locationOf, locationsOf, type SourcePosition } from "../../../explain/provenance.js";
import { memo } from "../../../support/memo.js";
import type { Trace } from "../../../trace/trace.js";
import { sourceOf } from "../../control/navigate.js";
import { overlay, pythonSpans } from "../../draw/ir-text.js";
import { line, MUTED, onPaper, type Row, style } from "../../draw/style.js";
import { padded } from "../../draw/text-width.js";
import { type State, withView } from "../../state/state.js";
import type { SourceView } from "../../state/view.js";
import { cursorLine, fitted, matchesIn, skipped } from "../diff/model.js";
import { leftAway } from "../diff/pane.js";
import type { PaneDef, Size2 } from "../pane.js";

import { diffFollows } from "./follow.js";

export const sourcePane: PaneDef<SourceView> = {
  initial: { file: 0, row: 0, top: 0, left: 0 },
  absent: ({ session }) => {
    if (session.sources.length > 0) return undefined;
    return session.progress
      ? "still compiling; the Python source comes after it"
      : "no Python source: no location of the input names a file that is here";
  },
  title: ({ session, view }) => {
    const path = session.sources[view.source.file]?.path;
    return path === undefined ? "source" : path.slice(path.lastIndexOf("/") + 1);
  },
  note: (state) => {
    const { session, view } = state;
    if (session.sources.length === 0) return "";
    const calls = callsHere(state).map(
      ({ file, line }) =>
        ` ← ${file === session.sources[view.source.file]!.path ? "" : `${file.slice(file.lastIndexOf("/") + 1)}:`}${line}`,
    );
    return `${view.source.row + 1}/${session.sources[view.source.file]?.lines.length ?? 0}${calls.length > 0 ? ` called${calls.join("")}` : ""}`;
  },
  rows: sourceRows,
  length: ({ session, view }) => session.sources[view.source.file]?.lines.length ?? 0,
  top: (state) => state.view.source.top,

  move: (state, by) => atRow(state, state.view.source.row + by),
  sideways: (state, by) => withView(state, { source: { ...state.view.source, left: leftAway(state.view.source, by) } }),
  click: (state, _, y) => atRow(state, state.view.source.top + y),
  enter: sourceOf,
  tab: (state, by) => {
    const count = state.session.sources.length;
    return withView(state, { source: { ...state.view.source, file: (state.view.source.file + by + count) % count, row: 0, top: 0 } });
  },
  copied: ({ session, view }) => {
    const text = session.sources[view.source.file]?.lines[view.source.row];
    return text === undefined ? undefined : ["the line", text.trim()];
  },
};

/** The calls that the op under the diff's cursor was inlined by, where it is from the line that the pane is at. */
function callsHere(state: State): readonly SourcePosition[] {
  const { session, view } = state;
  const op = cursorLine(state)?.op ?? 0;
  const place = op === 0 ? undefined : locationOf(session.trace, op);
  const isHere = place?.line === view.source.row + 1 && place.file === session.sources[view.source.file]?.path;
  return isHere ? callersOf(session.trace, op) : [];
}

function atRow(state: State, row: number): State {
  const last = (state.session.sources[state.view.source.file]?.lines.length ?? 1) - 1;
  return diffFollows(withView(state, { source: { ...state.view.source, row: Math.max(0, Math.min(last, row)) } }));
}

/** Lines of a file from which ops came. */
const linesWithOps = memo((trace: Trace, file: string): ReadonlySet<number> => {
  const lines = new Set<number>();
  for (const at of locationsOf(trace).values()) if (at.file === file) lines.add(at.line);
  return lines;
}, 4);

function sourceRows(state: State, { width, height }: Size2): Row[] {
  const file = state.session.sources[state.view.source.file];
  if (!file) return [line("no Python source here", MUTED)];
  const { top, left, row } = state.view.source;
  const used = linesWithOps(state.session.trace, file.path);
  const digits = String(file.lines.length).length;
  const needle = state.view.search?.pane === "source" ? state.view.search.text : "";
  return file.lines.slice(top, top + height).map((text, i) => {
    const at = top + i;
    let spans = pythonSpans(text);
    if (needle) spans = overlay(spans, matchesIn(text, needle), (s) => onPaper(s, "match"));
    return fitted(
      [
        [padded(String(at + 1), digits), style(used.has(at + 1) ? "number" : "comment")],
        [used.has(at + 1) ? "·" : " ", style("accent")],
        ...skipped(spans, left),
      ],
      width,
      at === row ? (state.view.focus === "source" ? "selected" : "cursor") : "none",
    );
  });
}
