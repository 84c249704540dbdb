/** The part of the UI that can be undone: which panes are shown and where each is. A part for each pane, and a general part. */

import type { CodegenTab } from "../panes/codegen/tabs.js";

export interface GeneralView {
  readonly focus: PaneId;
  /** Which pane has the largest place. */
  readonly upper: "findings" | "diff";
  /** Which of the lower panes is shown where there is room for one. */
  readonly lower: "layout" | "codegen";
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
export type PaneId = keyof PaneViews;
export type View = GeneralView & PaneViews;
