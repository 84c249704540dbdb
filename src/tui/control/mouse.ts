/** Clicks focus and select; the wheel scrolls three lines of the pane under it. */
import type { TerminalInput } from "../keys.js";
import { PANES } from "../panes/index.js";
import { insideOf, placesOf } from "../state/places.js";
import { type State, withView } from "../state/state.js";
import { go } from "./navigate.js";
import { overlayRect } from "./overlay-rect.js";

const WHEEL = 3;

export function pressed(state: State, input: Extract<TerminalInput, { readonly kind: "mouse" }>): State {
  const { x, y, what } = input;
  if (state.overlay) return overOverlay(state, state.overlay, input);
  const place = placesOf(state).panes.find(({ rect }) => x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height);
  if (!place) return state;
  const { pane } = place;
  const { scroll, move, click } = PANES[pane];
  if (what !== "press") return (scroll ?? move)(state, what === "wheel-down" ? WHEEL : -WHEEL);
  const focused = withView(state, { focus: pane }, state.view.focus !== pane);
  const inside = insideOf(state, pane)!;
  const row = y - inside.y;
  return row < 0 || row >= inside.height ? focused : click(focused, x - inside.x, row);
}

function overOverlay(
  state: State,
  overlay: NonNullable<State["overlay"]>,
  { x, y, what }: Extract<TerminalInput, { readonly kind: "mouse" }>,
): State {
  const rect = overlayRect(state, overlay);
  const by = what === "wheel-down" ? WHEEL : -WHEEL;
  if (what !== "press") {
    if (overlay.kind === "help") return { ...state, overlay: { ...overlay, top: Math.max(0, overlay.top + by) } };
    if (overlay.kind === "list")
      return { ...state, overlay: { ...overlay, row: Math.max(0, Math.min(overlay.items.length - 1, overlay.row + by)) } };
    return state;
  }
  const inside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
  if (!inside) return { ...state, overlay: undefined };
  if (overlay.kind !== "list") return state;
  const row = overlay.top + y - rect.y - 1;
  const item = overlay.items[row];
  if (!item) return state;
  return row === overlay.row ? go(state, item) : { ...state, overlay: { ...overlay, row } };
}
