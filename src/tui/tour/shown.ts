/** The pane that a step of a tour is about, for its text and its page. */
import { settle } from "../control/settle.js";
import type { Row } from "../draw/style.js";
import { PANES } from "../panes/index.js";
import type { PaneDef } from "../panes/pane.js";
import { insideOf } from "../state/places.js";
import type { State } from "../state/state.js";
import { paneNamed, stepOf } from "./step.js";

/** The size of a pane on paper, in characters. */
const SIZE = { columns: 122, rows: 36 } as const;

/** The title and the rows of the pane that the step's state names, or of the focused one. */
export function shownPane(state: State): { readonly title: string; readonly rows: readonly Row[] } {
  const focus = paneNamed(stepOf(state.tour!).state) ?? state.view.focus;
  const alone = settle({ ...state, tour: undefined, size: SIZE, view: { ...state.view, focus, zoomed: true } });
  const pane: PaneDef<unknown> = PANES[focus] as PaneDef<unknown>;
  const inside = insideOf(alone, focus)!;
  const rows = [...pane.rows(alone, inside)];
  while (rows.at(-1)?.every(([text]) => text.trim() === "")) rows.pop();
  const tab = pane.tabs?.(alone).active;
  return {
    title: `${pane.title(alone)}${tab === undefined ? "" : ` [${tab}]`}`,
    rows: [...(pane.head ? [pane.head(alone, inside.width)] : []), ...rows],
  };
}
