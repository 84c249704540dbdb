/** Where overlays lie. */
import type { Rect } from "../state/places.js";
import type { Overlay, State } from "../state/state.js";
import { narratorHeight } from "../tour/narrator.js";
import { helpLines } from "./help.js";
import { whatIfRows } from "./what-if.js";

/** Where an overlay is; prompts are in the last line. */
export function overlayRect(state: State, overlay: Overlay): Rect {
  const { size, settings } = state;
  const { columns } = size;
  // The narrator of a tour stays in sight.
  const rows = size.rows - (overlay.kind === "prompt" ? 0 : narratorHeight(state));
  const width = Math.min(
    columns - 2,
    overlay.kind === "help" ? 104 : overlay.kind === "what-if" ? 74 : overlay.kind === "form" ? 110 : 150,
  );
  const height =
    overlay.kind === "help"
      ? helpLines({ filter: undefined }, settings.keys, width - 4).length + 2
      : overlay.kind === "list"
        ? Math.max(3, overlay.items.length + 2)
        : overlay.kind === "what-if"
          ? whatIfRows(overlay.draft, state.session.input).length + 4
          : overlay.kind === "form"
            ? overlay.form.fields.length + 2
            : 1;
  if (overlay.kind === "prompt") return { x: 0, y: rows - 2, width: columns, height: 1 };
  const fits = Math.max(3, Math.min(height, rows - 3));
  return { x: Math.max(0, Math.floor((columns - width) / 2)), y: Math.max(0, Math.floor((rows - 1 - fits) / 2)), width, height: fits };
}
