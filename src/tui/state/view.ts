/** The part of the UI that can be undone: which panes are shown and where each is. A part for each pane, and a general part. */

import type { CodegenTab } from "../panes/codegen/tabs.js";

export interface PaneEntry {
  /** The key that focuses it, and what the list of keys says of it. */
  readonly key: string;
  readonly title: string;
  /** A word for the footers of some panes. */
  readonly footer?: Readonly<Partial<Record<PaneId, string>>>;
  /** Panes of the upper place take turns; of the lower ones, wide terminals show two. */
  readonly place: "left" | "upper" | "lower";
}
/** The panes, in the order of the list of keys. Each is a row here, a part of the view (`PaneViews`), and a `PaneDef` in `panes/`. */
export const PANE_TABLE = {
  passes: { key: "1", title: "the pass list", place: "left" },
  diff: { key: "2", title: "the diff", place: "upper" },
  layout: { key: "3", title: "the layout of the value under the cursor", place: "lower" },
  codegen: { key: "4", title: "the final code", place: "lower" },
  source: { key: "0", title: "the Python source", place: "left" },
  findings: { key: "5", title: "what holds the kernel back, worst first", footer: { passes: "findings" }, place: "upper" },
} as const satisfies Readonly<Record<PaneId, PaneEntry>>;
export type PaneId = keyof PaneViews;
type PaneAt<Place> = { [P in PaneId]: (typeof PANE_TABLE)[P]["place"] extends Place ? P : never }[PaneId];
const isAt =
  <Place extends PaneEntry["place"]>(place: Place) =>
  (pane: PaneId): pane is PaneAt<Place> =>
    PANE_TABLE[pane].place === place;
export const isUpper = isAt("upper");
export const isLower = isAt("lower");
export const LOWER_PANES = (Object.keys(PANE_TABLE) as PaneId[]).filter(isLower);

export interface GeneralView {
  readonly focus: PaneId;
  /** Which pane has the largest place. */
  readonly upper: PaneAt<"upper">;
  /** Which of the lower panes is shown where there is room for one. */
  readonly lower: PaneAt<"lower">;
  readonly zoomed: boolean;
  /** Rows of the lower panes and columns of the others, where the user has dragged their borders. */
  readonly sizes: Partial<Readonly<Record<Border, number>>>;
  /** The letters of the steps marked with `m`, by index. */
  readonly marks: Readonly<Record<number, string>>;
  /** The marked step that other steps are compared with. */
  readonly mark: number | undefined;
  readonly search: Search | undefined;
}

export interface Search {
  readonly pane: PaneId;
  readonly text: string;
}

/** The right edge of a pane, or the upper one of the lower panes. */
export type Border = "passes" | "source" | "layout" | "lower";

/** First row and column shown. */
export interface Scroll {
  readonly top: number;
  readonly left: number;
}

export interface PassesView {
  /** Index of the selected step. */
  readonly selected: number;
  readonly hideUnchanged: boolean;
  /** Passes run by passes are listed. */
  readonly nested: boolean;
  readonly filter: string;
  readonly top: number;
}

export const DIFF_MODES = ["side by side", "unified", "IR"] as const;
export type DiffMode = (typeof DIFF_MODES)[number];

export interface DiffView extends Scroll {
  /** The mode that the user asked for; narrow terminals show less. */
  readonly mode: DiffMode;
  /** The other side of the comparison with the selected step. */
  readonly base: "previous" | "mark" | "baseline" | "against";
  /** The Python source is beside it. */
  readonly python: boolean;
  /** Types are short. */
  readonly short: boolean;
  /** Long lines go on in the next row. */
  readonly wrap: boolean;
  /** Unchanged lines shown around a change. */
  readonly context: number;
  /** First rows of the folds that are open. */
  readonly open: readonly number[];
  /** The row under the cursor, among those displayed. */
  readonly row: number;
  /** Which name on its line is meant; -1 for none in particular. */
  readonly word: number;
}

export const LAYOUT_TABS = ["map", "hw", "shared", "pair", "bases"] as const;

export interface LayoutView extends Scroll {
  readonly tab: (typeof LAYOUT_TABS)[number];
  /** The cursor, as an element of the tensor. */
  readonly element: readonly number[];
  /** The thread whose elements are shown; undefined for none. */
  readonly thread: number | undefined;
  readonly colour: "thread" | "warp" | "register";
}

export interface CodegenView extends Scroll {
  readonly tab: CodegenTab;
  readonly row: number;
  /** The subject of the why tab. */
  readonly about: "op" | "pass" | "instruction" | "element";
  /** The line of final code whose instruction it is about. */
  readonly instruction: string;
  /** The launch whose limits are shown, as it was typed after `:limits`; empty before. */
  readonly launch: string;
}

export interface SourceView extends Scroll {
  readonly file: number;
  readonly row: number;
}

export interface FindingsView extends Scroll {
  /** The row under the cursor. */
  readonly row: number;
}

/** The parts of the panes, by id. */
export interface PaneViews {
  readonly passes: PassesView;
  readonly diff: DiffView;
  readonly layout: LayoutView;
  readonly codegen: CodegenView;
  readonly source: SourceView;
  readonly findings: FindingsView;
}
export type View = GeneralView & PaneViews;
