/** Clicks focus and select; the wheel scrolls three lines of the pane under it. */
import { atField } from "../form/keys.js";
import type { TerminalInput } from "../keys.js";
import { PANES } from "../panes/index.js";
import { type PaneDef, upperBorder } from "../panes/pane.js";
import { borderAt, grabbed, insideOf, type Placed, placesOf, withBorder } from "../state/places.js";
import { type State, withView } from "../state/state.js";
import type { PaneId } from "../state/view.js";
import { go } from "./navigate.js";
import { overlayRect } from "./overlay-rect.js";
import { overlayKey, overlayScrolled } from "./overlays.js";
import { whatIfRows } from "./what-if.js";

const WHEEL = 3;
/** The column of a dialog at which the value of an option begins. */
const VALUE_AT = 42;

export function pressed(state: State, input: Extract<TerminalInput, { readonly kind: "mouse" }>): State {
  const { x, y, what } = input;
  if (what === "release") return state.dragged ? { ...state, dragged: undefined } : state;
  if (what === "drag") return state.dragged ? { ...state, view: withBorder(state, state.dragged, x, y) } : state;
  if (state.overlay) return overOverlay(state, state.overlay, input);
  const place = placesOf(state).panes.find(({ rect }) => x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height);
  if (!place) return state;
  const { pane, rect } = place;
  const { scroll, move, click } = PANES[pane];
  if (what !== "press") return (scroll ?? move)(state, what === "wheel-down" ? WHEEL : -WHEEL);
  const focused = withView(state, { focus: pane }, state.view.focus !== pane);
  const tab = y === rect.y ? tabAt(state, place, x) : undefined;
  if (tab !== undefined) return atTab(focused, pane, tab);
  const border = borderAt(state, x, y);
  // Read from the state before the focus moved: a focused pane may be higher.
  if (border) return { ...focused, dragged: grabbed(state, border, x, y) };
  const inside = insideOf(state, pane)!;
  const row = y - inside.y;
  return row < 0 || row >= inside.height ? focused : click(focused, x - inside.x, row);
}

/** The tab whose label is at a column of a pane's upper border. */
function tabAt(state: State, { pane, rect }: Placed, x: number): string | undefined {
  const { labels } = upperBorder(PANES[pane] as PaneDef<unknown>, state, rect.width);
  // They end a column before the corner.
  let at = rect.x + rect.width - 3 - labels.reduce((n, [label]) => n + label.length + 1, 0);
  for (const [label, tab] of labels) {
    if (x > at && x <= at + label.length) return tab;
    at += label.length + 1;
  }
  return undefined;
}
function atTab(state: State, pane: PaneId, wanted: string): State {
  const { tabs, tab } = PANES[pane] as PaneDef<unknown>;
  let at = state;
  for (const _ of tabs!(state).names) if (tabs!(at).active !== wanted) at = tab(at, 1);
  return at;
}

function overOverlay(
  state: State,
  overlay: NonNullable<State["overlay"]>,
  { x, y, what }: Extract<TerminalInput, { readonly kind: "mouse" }>,
): State {
  const rect = overlayRect(state, overlay);
  const by = what === "wheel-down" ? WHEEL : -WHEEL;
  if (what !== "press") return overlayScrolled(state, overlay, by);
  const inside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
  // A click beside it loses nothing that was typed.
  if (!inside) return overlay.kind === "form" || overlay.kind === "prompt" ? state : { ...state, overlay: undefined };
  if (overlay.kind === "help" || overlay.kind === "prompt" || y === rect.y) return state;
  if (y === rect.y + rect.height - 1) return overlayKey(state, overlay, "enter");
  if (overlay.kind === "form") {
    const row = Math.max(0, overlay.row + 1 - (rect.height - 2)) + y - rect.y - 1;
    return row < overlay.form.fields.length ? { ...state, overlay: atField(overlay, row) } : state;
  }
  if (overlay.kind === "what-if") {
    const row = Math.max(0, overlay.row + 3 - (rect.height - 2)) + y - rect.y - 2;
    const found = whatIfRows(overlay.draft, state.session.input)[row];
    if (!found) return state;
    // Left of the value goes down, the value and what is right of it up.
    return { ...state, overlay: { ...overlay, row, draft: found.change(x - rect.x < VALUE_AT ? -1 : 1) } };
  }
  const row = overlay.top + y - rect.y - 1;
  const item = overlay.items[row];
  if (!item) return state;
  return row === overlay.row ? go(state, item) : { ...state, overlay: { ...overlay, row } };
}
