/** The narrator of a tour: the box below the panes. */
import { wrapText } from "../../support/wrap-text.js";
import { ACCENT, GOOD, KEY, line, MUTED, PLAIN, type Row, textOf } from "../draw/style.js";
import { keyLabel, keysOf } from "../keymap.js";
import type { State } from "../state/state.js";
import { commandShown, stepOf } from "./step.js";

type Told = Pick<State, "tour" | "size" | "settings">;
/** Rows of the narrator's box with its border; 0 without a tour. It takes half of the screen at most. */
export function narratorHeight(state: Told): number {
  const { text, asked } = parts(state);
  return !state.tour ? 0 : Math.min(text.length + asked.length + 2, Math.floor(state.size.rows / 2));
}

/** The part of the text that has room, from `tour.top` on, and below it what is to be done or was reached. */
export function narratorRows(state: Told): Row[] {
  const { text, asked } = parts(state);
  const { top, room } = scrolled(state);
  return [...text.slice(top, top + room), ...asked].slice(2 - narratorHeight(state));
}
/** The first line of the text that is shown, how many there is room for, and whether there are more below. */
export function scrolled(state: Told): { readonly top: number; readonly room: number; readonly more: boolean } {
  const { text, asked } = parts(state);
  const room = Math.max(1, narratorHeight(state) - 2 - asked.length);
  const top = Math.max(0, Math.min(state.tour?.top ?? 0, text.length - room));
  return { top, room, more: top + room < text.length };
}
/** Says which lines of the text the box shows, unless it shows all. */
export function narratorNote(state: Told): string {
  const { top, room, more } = scrolled(state);
  const { length } = parts(state).text;
  return length <= room
    ? ""
    : ` lines ${top + 1} to ${Math.min(length, top + room)} of ${length}${more ? ", ) shows more" : ", ( goes up"} `;
}

/** The step's text, and what is to be done or was reached. */
function parts({ tour, size, settings }: Told): { readonly text: readonly Row[]; readonly asked: readonly Row[] } {
  if (!tour) return { text: [], asked: [] };
  const { text, keys, command, seen } = stepOf(tour);
  const width = Math.min(size.columns, 150) - 4;
  const wrapped = (from: string) => from.split("\n").flatMap((part) => wrapText(part, width));
  const [next, show] = (["tour-next", "tour-show"] as const).map((id) => keyLabel(keysOf(id, settings.keys)[0]!));
  const asked: Row[] = command === "" ? [] : hanging(" $ ", commandShown(command, tour.tour), ACCENT, width);
  if (tour.done) {
    if (seen !== "") asked.push(...wrapped(seen).map((part) => line(` ${part}`, GOOD)));
    asked.push([
      [" ", PLAIN],
      [next!, KEY],
      [tour.at + 1 < tour.tour.steps.length ? " goes on" : " ends the tour", MUTED],
    ]);
  } else {
    const isPressed = command === "" && keys !== "";
    const press = isPressed ? hanging(" press ", keys, KEY, width) : [];
    const shows: Row = [
      [show!, KEY],
      [command === "" ? " goes there" : " shows its output", MUTED],
    ];
    const or = ", or ";
    const last = press.at(-1);
    if (!last) asked.push([[" ", PLAIN], ...shows]);
    else if (textOf(last).length + or.length + textOf(shows).length > width + 2) asked.push(...press, [[" or ", MUTED], ...shows]);
    else asked.push(...press.slice(0, -1), [...last, [or, MUTED], ...shows]);
  }
  return { text: wrapped(text).map((part) => line(` ${part}`, PLAIN)), asked };
}

/** A label, and a text whose further rows begin below its first. */
function hanging(label: string, text: string, ink: number, width: number): Row[] {
  return wrapText(text, width + 1 - label.length).map((part, i) => [
    [i === 0 ? label : " ".repeat(label.length), MUTED],
    [part, ink],
  ]);
}

/** Where there is little room, without the name of the tour. */
export function narratorTitle({ tour, size }: State): Row {
  if (!tour) return [];
  const at = `${tour.at + 1}/${tour.tour.steps.length}`;
  const { title } = stepOf(tour);
  const whole = ` ${tour.tour.title}: ${title} `;
  return [
    [at, KEY],
    [at.length + whole.length + 4 > size.columns ? ` ${title} ` : whole, ACCENT],
  ];
}
