/** Where panes stand on a screen: pure arithmetic on its size. */
import type { Rect } from "../draw/canvas.js";
import type { PaneId, State } from "./state.js";

export interface Placed {
  readonly pane: PaneId;
  /** Frame included. */
  readonly rect: Rect;
}
export interface Places {
  readonly kind: "wide" | "medium" | "single" | "tiny";
  readonly panes: readonly Placed[];
  /** The last line: keys and messages. */
  readonly footer: number;
}

/** Below this width the diff shows one column. */
export const SIDE_BY_SIDE_COLUMNS = 140;

/**
 * One row less than the terminal has is used. From 140 columns all panes stand side by side; below, passes and diff above
 * layout and codegen; below 80x24 only the focused pane.
 */
export function placesOf({ size, view, session }: State): Places {
  const { columns, rows } = size;
  const height = rows - 2;
  const footer = Math.max(0, rows - 2);
  if (columns < 40 || rows < 10) return { kind: "tiny", panes: [], footer: 0 };
  const whole: Rect = { x: 0, y: 0, width: columns, height };
  if (view.zoomed || columns < 80 || rows < 24) return { kind: "single", panes: [{ pane: view.focus, rect: whole }], footer };
  const passesWidth =
    columns >= SIDE_BY_SIDE_COLUMNS ? Math.min(44, Math.max(34, Math.floor(columns * 0.2))) : Math.max(26, Math.floor(columns * 0.27));
  const right: Rect = { x: passesWidth, y: 0, width: columns - passesWidth, height };
  const hasSource = session.sources.length > 0;
  const panes: Placed[] = [];
  const passesHeight = hasSource && height >= 34 ? Math.floor(height * 0.62) : height;
  const sourceFocused = view.focus === "source" && hasSource;
  if (hasSource && passesHeight < height) {
    panes.push({ pane: "passes", rect: { x: 0, y: 0, width: passesWidth, height: passesHeight } });
    panes.push({ pane: "source", rect: { x: 0, y: passesHeight, width: passesWidth, height: height - passesHeight } });
  } else panes.push({ pane: sourceFocused ? "source" : "passes", rect: { x: 0, y: 0, width: passesWidth, height } });
  if (columns >= SIDE_BY_SIDE_COLUMNS && rows >= 36) {
    const lower = Math.max(10, Math.floor(height * 0.36));
    const upper = height - lower;
    const layoutWidth = Math.floor(right.width / 2);
    panes.push({ pane: "diff", rect: { ...right, height: upper } });
    panes.push({ pane: "layout", rect: { x: right.x, y: upper, width: layoutWidth, height: lower } });
    panes.push({ pane: "codegen", rect: { x: right.x + layoutWidth, y: upper, width: right.width - layoutWidth, height: lower } });
    return { kind: "wide", panes, footer };
  }
  // It grows when it is looked at.
  const lower = Math.max(7, Math.floor(height * (view.focus === view.lower ? 0.5 : 0.34)));
  panes.push({ pane: "diff", rect: { ...right, height: height - lower } });
  panes.push({ pane: view.lower, rect: { x: right.x, y: height - lower, width: right.width, height: lower } });
  return { kind: "medium", panes, footer };
}

/** Where the rows of a pane go, inside its frame; undefined while it is not shown. */
export function insideOf(state: State, pane: PaneId): Rect | undefined {
  const rect = placesOf(state).panes.find((p) => p.pane === pane)?.rect;
  return rect && { x: rect.x + 1, y: rect.y + 1, width: Math.max(0, rect.width - 2), height: Math.max(0, rect.height - 2) };
}
