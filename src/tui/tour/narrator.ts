/** The narrator of a tour: the box below the panes. */
import { wrapText } from "../../support/wrap-text.js";
import { ACCENT, GOOD, KEY, line, MUTED, PLAIN, type Row } from "../draw/style.js";
import { keyLabel, keysOf } from "../keymap.js";
import type { State } from "../state/state.js";
import { stepOf } from "./step.js";

/** Rows of the narrator's box with its border; 0 without a tour. It takes half of the screen at most. */
export function narratorHeight(state: Pick<State, "tour" | "size" | "settings">): number {
  return state.tour ? Math.min(narratorRows(state).length + 2, Math.floor(state.size.rows / 2)) : 0;
}

/** Lines of the step: its text, and what is to be done or was reached. */
export function narratorRows({ tour, size, settings }: Pick<State, "tour" | "size" | "settings">): Row[] {
  if (!tour) return [];
  const { text, keys, command, seen } = stepOf(tour);
  const width = Math.min(size.columns, 150) - 4;
  const wrapped = (from: string) => from.split("\n").flatMap((part) => wrapText(part, width));
  const rows: Row[] = wrapped(text).map((part) => line(` ${part}`, PLAIN));
  const [next, show] = (["tour-next", "tour-show"] as const).map((id) => keyLabel(keysOf(id, settings.keys)[0]!));
  if (command !== "")
    rows.push([
      [" $ ", MUTED],
      [command, ACCENT],
    ]);
  if (tour.done) {
    if (seen !== "") rows.push(...wrapped(seen).map((part) => line(` ${part}`, GOOD)));
    rows.push([
      [" ", PLAIN],
      [next!, KEY],
      [tour.at + 1 < tour.tour.steps.length ? " goes on" : " ends the tour", MUTED],
    ]);
  } else if (command !== "")
    rows.push([
      [" ", PLAIN],
      [show!, KEY],
      [" shows its output", MUTED],
    ]);
  else
    rows.push([
      [" press ", MUTED],
      [keys, KEY],
      [keys === "" ? "" : ", or ", MUTED],
      [show!, KEY],
      [" goes there", MUTED],
    ]);
  return rows;
}

export function narratorTitle({ tour }: State): Row {
  if (!tour) return [];
  return [
    [`${tour.at + 1}/${tour.tour.steps.length}`, KEY],
    [` ${tour.tour.title}: ${stepOf(tour).title} `, ACCENT],
  ];
}
