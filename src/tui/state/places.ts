/** How a screen is divided among panes: arithmetic on its size. Ink places boxes of these sizes, and the mouse finds them there. */
import { narratorHeight } from "../tour/narrator.js";
import type { State } from "./state.js";
import { type Border, LOWER_PANES, type PaneId } from "./view.js";

/** Cells of the screen, 0-based. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
/** A pane with its frame, or areas beside or below each other. */
export type Area =
  | { readonly pane: PaneId; readonly width: number; readonly height: number }
  | { readonly split: "row" | "column"; readonly parts: readonly Area[] };
export interface Placed {
  readonly pane: PaneId;
  /** Frame included. */
  readonly rect: Rect;
}
export interface Places {
  readonly kind: "wide" | "medium" | "single" | "tiny";
  /** Undefined where there is no room for a pane. */
  readonly area: Area | undefined;
  readonly panes: readonly Placed[];
  /** The last line: keys and messages. */
  readonly footer: number;
}

/** Below this width the diff shows one column: two would show the beginnings of lines only. */
export const SIDE_BY_SIDE_COLUMNS = 200;
/** From this width on the layout is beside the final code. */
const WIDE_COLUMNS = 140;

/**
 * One row less than the terminal has is used. From 140 columns all panes are side by side; below, passes and diff above
 * layout and codegen; below 80x24 only the focused pane.
 */
export function placesOf(state: State): Places {
  const { columns, rows } = state.size;
  const footer = Math.max(0, rows - 2);
  if (columns < 40 || rows < 10) return { kind: "tiny", area: undefined, panes: [], footer: 0 };
  const height = rows - 2 - narratorHeight(state);
  const [kind, area] = arranged(state, columns, height);
  return { kind, area, panes: placed(area, 0, 0), footer };
}

function arranged({ size, view, session }: State, columns: number, height: number): ["wide" | "medium" | "single", Area] {
  const rows = height + 2;
  const of = (pane: PaneId, width: number, tall: number): Area => ({ pane, width, height: tall });
  if (view.zoomed || columns < 80 || rows < 24) return ["single", of(view.focus, columns, height)];
  const hasSource = session.sources.length > 0;
  const isBeside = sourceBeside({ size, view, session });
  const narrow = columns >= WIDE_COLUMNS ? Math.min(44, Math.max(34, Math.floor(columns * 0.2))) : Math.max(26, Math.floor(columns * 0.27));
  // The source's lines are longer than names of passes: it grows when it is looked at.
  const isReadThere = view.focus === "source" && hasSource && !isBeside;
  const usual = isReadThere ? Math.max(narrow, Math.min(SOURCE_COLUMNS, Math.floor(columns / 2))) : narrow;
  const passesWidth = within(view.sizes.passes ?? usual, 20, columns - 40);
  const rightWidth = columns - passesWidth;
  const passesHeight = hasSource && !isBeside && height >= 34 ? Math.floor(height * 0.62) : height;
  const left =
    passesHeight < height
      ? [of("passes", passesWidth, passesHeight), of("source", passesWidth, height - passesHeight)]
      : [of(isReadThere ? "source" : "passes", passesWidth, height)];
  const sourceWidth = isBeside ? within(view.sizes.source ?? Math.floor(rightWidth * 0.42), 20, rightWidth - 20) : 0;
  const top = (tall: number): Area =>
    isBeside
      ? { split: "row", parts: [of("source", sourceWidth, tall), of("diff", rightWidth - sourceWidth, tall)] }
      : of(view.upper, rightWidth, tall);
  const beside = (upper: number, below: Area): Area => ({
    split: "row",
    parts: [
      { split: "column", parts: left },
      { split: "column", parts: [top(upper), below] },
    ],
  });
  if (columns >= WIDE_COLUMNS && rows >= 36) {
    const lower = within(view.sizes.lower ?? Math.max(10, Math.floor(height * 0.36)), 5, height - 8);
    const layoutWidth = within(view.sizes.layout ?? Math.floor(rightWidth / 2), 20, rightWidth - 20);
    const [first, second] = lowerPair(view.lower);
    const parts = [of(first, layoutWidth, lower), of(second, rightWidth - layoutWidth, lower)];
    return ["wide", beside(height - lower, { split: "row", parts })];
  }
  // It grows when it is looked at.
  const isRead = view.focus === view.lower || (view.lower === "codegen" && view.codegen.tab === "why");
  const lower = within(view.sizes.lower ?? Math.max(7, Math.floor(height * (isRead ? 0.5 : 0.34))), 5, height - 8);
  return ["medium", beside(height - lower, of(view.lower, rightWidth, lower))];
}

/** The lower panes that a wide terminal shows: the first two, or the first one and the one that was asked for. */
function lowerPair(wanted: PaneId): readonly [PaneId, PaneId] {
  const [first, second, ...others] = LOWER_PANES as [PaneId, PaneId, ...PaneId[]];
  return [first, others.includes(wanted) ? wanted : second];
}

/** Columns of the source, where there is room for them. */
const SOURCE_COLUMNS = 72;

/** Whether the Python source is shown beside the diff: both need some columns. */
export function sourceBeside({ size, view, session }: Pick<State, "size" | "view" | "session">): boolean {
  return view.diff.python && view.upper === "diff" && !view.zoomed && session.sources.length > 0 && size.columns >= BESIDE_COLUMNS;
}
export const BESIDE_COLUMNS = 120;

const within = (size: number, least: number, most: number): number => Math.max(least, Math.min(most, size));

/** The border that is at a cell. */
export function borderAt(state: State, x: number, y: number): Border | undefined {
  const { kind, panes, footer } = placesOf(state);
  if (kind === "tiny" || kind === "single" || y >= footer) return undefined;
  const upper = panes.find(({ pane }) => pane === state.view.upper)!.rect;
  const below = upper.y + upper.height;
  const list = panes[0]!.rect.width;
  if (x >= list - 1 && (y === below - 1 || y === below)) return "lower";
  if (x === list - 1 || x === list) return "passes";
  const beside = panes.find(({ pane, rect }) => BESIDE.has(pane) && rect.x === list && rect.y <= y && y < rect.y + rect.height);
  const edge = beside && beside.rect.x + beside.rect.width;
  // The terminal's edge is no border.
  return edge !== undefined && edge < state.size.columns && (x === edge - 1 || x === edge) ? (beside!.pane as Border) : undefined;
}
/** Panes that have another one on their right. */
const BESIDE: ReadonlySet<PaneId> = new Set(["source", "layout"]);

/** A border that was grabbed at a cell: the size that it gives, and where the cell is. `by` keeps the border at the same distance from the mouse. */
export function grabbed(state: State, border: Border, x: number, y: number): NonNullable<State["dragged"]> {
  const of = border === "lower" ? state.view.lower : border;
  const { rect } = placesOf(state).panes.find(({ pane }) => pane === of)!;
  return { border, by: (border === "lower" ? rect.height : rect.width) - sizeAt(state, border, x, y) };
}
/** The view after a border was dragged to a cell. */
export function withBorder(state: State, { border, by }: NonNullable<State["dragged"]>, x: number, y: number): State["view"] {
  const { view } = state;
  return { ...view, sizes: { ...view.sizes, [border]: sizeAt(state, border, x, y) + by } };
}
function sizeAt(state: State, border: Border, x: number, y: number): number {
  if (border === "lower") return state.size.rows - 2 - narratorHeight(state) - y;
  return border === "passes" ? x : x - placesOf(state).panes[0]!.rect.width;
}

/** The panes of an area whose upper left cell is (x, y). */
function placed(area: Area, x: number, y: number): Placed[] {
  if ("pane" in area) return [{ pane: area.pane, rect: { x, y, width: area.width, height: area.height } }];
  return area.parts.flatMap((part) => {
    const found = placed(part, x, y);
    const { rect } = found.at(-1)!;
    if (area.split === "row") x = rect.x + rect.width;
    else y = rect.y + rect.height;
    return found;
  });
}

/** Whether the first row of a pane of that height is a heading: the diff says what the pass is for. */
export const hasHead = (pane: PaneId, height: number): boolean => pane === "diff" && height >= 9;

/** Where the rows of a pane go, inside its frame; undefined while it is not shown. */
export function insideOf(state: State, pane: PaneId): Rect | undefined {
  const rect = placesOf(state).panes.find((p) => p.pane === pane)?.rect;
  if (!rect) return undefined;
  const head = hasHead(pane, rect.height) ? 1 : 0;
  return { x: rect.x + 1, y: rect.y + 1 + head, width: Math.max(0, rect.width - 2), height: Math.max(0, rect.height - 2 - head) };
}
