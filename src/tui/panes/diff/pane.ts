/** The diff of the selected step. */
import { countsText } from "../../../diff/hunks.js";
import { PASSES } from "../../../passes/index.js";
import { reanchored } from "../../control/walk.js";
import { line, MUTED, type Row } from "../../draw/style.js";
import { cut, fitting } from "../../draw/text-width.js";
import { insideOf } from "../../state/places.js";
import { type State, say, withView } from "../../state/state.js";
import { selectedStep, symbolOf } from "../../state/steps.js";
import { DIFF_MODES, type DiffView, type Scroll } from "../../state/view.js";
import type { PaneDef } from "../pane.js";
import { cursorLine, diffRows, displayOf, isUnchanged, namesOn, rowAt, shownMode } from "./model.js";

export const diffPane: PaneDef<DiffView> = {
  initial: {
    mode: "side by side",
    base: "previous",
    python: false,
    short: false,
    wrap: false,
    context: 3,
    open: [],
    row: 0,
    word: -1,
    top: 0,
    left: 0,
  },
  title: (state) => {
    const options = selectedStep(state)?.options ?? "";
    return `${titlesOf(state)[0]}${options === "" ? "" : ` {${options}}`}`;
  },
  shorterTitles: titlesOf,
  tabs: (state) => ({ names: DIFF_MODES, short: ["2", "uni", "IR"], active: displayOf(state)?.mode ?? "IR" }),
  note: (state) => {
    const shown = displayOf(state);
    const step = selectedStep(state);
    if (!shown || !step) return "";
    if (!step.known) return "its result is not in the log";
    if (shown.compared.wanted) return "comparing ...";
    const verdict = step.verified ? "" : " · failed";
    const { beforeName, afterName } = shown.compared;
    const counts = shown.rows.every(({ kind }) => kind === "same") ? "no change" : countsText(shown);
    // The source and machine code are compared with nothing.
    return `${beforeName === afterName ? "" : `${counts}${verdict} · `}${state.view.diff.row + 1}/${shown.length}`;
  },
  head: (state, width) => passHead(state, width),
  rows: diffRows,
  length: (state) => displayOf(state)?.length ?? 0,
  top: (state) => state.view.diff.top,

  move: (state, by) => {
    const row = Math.max(0, Math.min((displayOf(state)?.length ?? 0) - 1, state.view.diff.row + by));
    return withView(state, { diff: { ...state.view.diff, row, word: -1 } }, row !== state.view.diff.row);
  },
  // The cursor stays where it is, as long as that is seen.
  scroll: (state, by) => {
    const { view } = state;
    const height = insideOf(state, "diff")?.height ?? 20;
    const length = displayOf(state)?.length ?? 0;
    const top = Math.max(0, Math.min(length - height, view.diff.top + by));
    const margin = Math.min(3, Math.floor((height - 1) / 2));
    const lowest = top === 0 ? 0 : top + margin;
    const highest = top >= length - height ? length - 1 : top + height - 1 - margin;
    const row = Math.max(lowest, Math.min(highest, view.diff.row));
    return withView(state, { diff: { ...view.diff, top, row } }, top !== view.diff.top);
  },
  across: (state, by) => {
    const at = cursorLine(state);
    const count = at ? namesOn(at.text).length : 0;
    if (count === 0) return undefined;
    const word = Math.max(-1, Math.min(count - 1, state.view.diff.word + by));
    return withView(state, { diff: { ...state.view.diff, word } });
  },
  sideways: (state, by) =>
    state.view.diff.wrap
      ? say(state, "long lines go on in the next row; W cuts them")
      : withView(state, { diff: { ...state.view.diff, left: leftAway(state.view.diff, by) } }),
  click: (state, _, y) => {
    const row = rowAt(state, insideOf(state, "diff") ?? { width: 80, height: 20 }, y);
    return withView(state, { diff: { ...state.view.diff, row, word: -1 } });
  },
  enter: (state) => {
    const { diff } = state.view;
    const shown = displayOf(state);
    const at = shown && shown.length > 0 ? shown.at(diff.row) : undefined;
    if (at?.kind === "fold") return withView(state, { diff: { ...diff, open: [...diff.open, at.first] } });
    if (shown && (at?.row.kind === "moved-from" || at?.row.kind === "moved-to")) {
      const there = shown.indexOf(at.row.kind === "moved-from" ? "right" : "left", at.row.counterpart!);
      if (there >= 0) return withView(state, { diff: { ...diff, row: there } });
    }
    return withView(state, { focus: "layout" });
  },
  tab: nextMode,
  copied: (state) => {
    const at = cursorLine(state);
    return at && ["the line", at.text.trim()];
  },
};

/** The legend of short types; where there is little room, its beginning. */
const SHORT_TYPES = "‹8xf16 #a› = tensor<8xf16, #a> · #a·slice1 = slice, dim 1 · #a·dot0·k2 = dot_op, opIdx 0, kWidth 2 · *f16 = tt.ptr";
const SUMMARIES: Readonly<Record<string, string>> = {
  edit: "the IR as you edited it; the passes after it ran on this",
  source: "the IR before the first pass",
  ptx: "what NVIDIA's assembler reads",
  sass: "machine code, as ptxas makes it of the PTX",
  amdgcn: "AMD's assembly, as LLVM makes it of the LLVM IR",
};
/** `tritongpu-coalesce: gives accesses of global memory wide layouts`. */
function passHead(state: State, width: number): Row {
  const step = selectedStep(state);
  if (step && state.view.diff.short) return line(` ${fitting(SHORT_TYPES, width - 1)}`, MUTED);
  const summary = step && (SUMMARIES[step.kind === "source" ? "source" : step.flag] ?? PASSES.get(step.flag)?.summary);
  return step ? line(cut(` ${step.flag}${summary ? `: ${summary}` : ""}`, width), MUTED) : [];
}

/** The steps that are compared; where there is no room for both, the selected one. */
function titlesOf(state: State): readonly [string, ...string[]] {
  const shown = displayOf(state);
  if (!shown) return ["diff"];
  const { beforeName, afterName } = shown.compared;
  if (beforeName === afterName) return [`after ${afterName}`];
  if (isUnchanged(shown.compared, symbolOf(state.session))) return [`${beforeName} → ${afterName}: no change`, `${afterName}: no change`];
  return shown.mode === "IR" ? [`after ${afterName}`] : [`${beforeName} → ${afterName}`, `→ ${afterName}`];
}

/** Another way of showing it, the same line under the cursor. */
export function nextMode(state: State): State {
  const { mode } = state.view.diff;
  // Where the terminal is too narrow for two columns, unified comes by itself.
  let to = DIFF_MODES[(DIFF_MODES.indexOf(mode) + 1) % DIFF_MODES.length]!;
  if (to === "unified" && shownMode(state) === "unified") to = "IR";
  return reanchored(state, withView(state, { diff: { ...state.view.diff, mode: to } }));
}

/** First column shown after scrolling sideways. */
export function leftAway({ left }: Scroll, by: number): number {
  return Math.max(0, Math.min(2000, left + by));
}
