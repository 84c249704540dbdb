/** A pane: what it shows, and what keys and clicks do in it. One file each, and a line in `index.ts`; its key and place are in `PANE_TABLE`. */
import type { Row } from "../draw/style.js";
import { textWidth } from "../draw/text-width.js";
import type { State } from "../state/state.js";

export interface Size2 {
  readonly width: number;
  readonly height: number;
}
export interface PaneDef<Slice> {
  /** Its part of the view, as it begins. */
  readonly initial: Slice;
  /** Why it cannot be looked at. */
  readonly absent?: (state: State) => string | undefined;

  readonly title: (state: State) => string;
  /** Shorter titles, where there is no room for the whole one: the last one says the least. */
  readonly shorterTitles?: (state: State) => readonly string[];
  readonly tabs?: (state: State) => Tabs;
  /** A line above the rows, which is not scrolled; `places.ts` leaves room for it. */
  readonly head?: (state: State, width: number) => Row;
  /** Text in the lower border. */
  readonly note?: (state: State) => string;
  /** The rows shown, from the first one visible on. */
  readonly rows: (state: State, size: Size2) => readonly Row[];
  /** How many rows there are in all, for the scroll bar. */
  readonly length: (state: State, size: Size2) => number;
  readonly top: (state: State) => number;

  /** Moves the cursor by rows. */
  readonly move: (state: State, by: number) => State;
  /** Scrolls by rows, where that is another thing than moving. */
  readonly scroll?: (state: State, by: number) => State;
  /** To the left and to the right: by a value or an element (`h l`), and by columns (`H L`); undefined where it does not. */
  readonly across?: (state: State, by: 1 | -1) => State | undefined;
  readonly sideways: (state: State, by: number) => State;
  /** A cell inside the frame, from 0. */
  readonly click: (state: State, x: number, y: number) => State;
  readonly enter: (state: State) => State;
  /** Space; enter where there is none. */
  readonly select?: (state: State) => State;
  readonly tab: (state: State, by: 1 | -1) => State;
  /** The text that `y` copies, and a name for it. */
  readonly copied: (state: State) => readonly [what: string, text: string] | undefined;
  /** The place that `n` and `N` go to without a search, where it is not a change of the diff. */
  readonly next?: (state: State, direction: 1 | -1) => State | undefined;
  /** When it gets the focus. */
  readonly focused?: (state: State) => State;
}

/** The tabs of a pane as they are written in its upper border. */
export interface Tabs {
  readonly names: readonly string[];
  /** Labels, where they are not the names. */
  readonly long?: readonly string[];
  /** Labels where there is little room. */
  readonly short?: readonly string[];
  readonly active: string;
}
type Labels = readonly (readonly [label: string, tab: string])[];
/** The title of a pane and the labels of its tabs, with the tab of each, as they fit into the upper border of a frame of that width. */
export function upperBorder(
  { title, shorterTitles, tabs }: PaneDef<unknown>,
  state: State,
  width: number,
): { readonly title: string; readonly labels: Labels; readonly active: string } {
  const titles = [title(state), ...(shorterTitles?.(state) ?? [])];
  const shortest = titles.at(-1)!;
  const all = tabs?.(state);
  if (!all) return { title: titles.find((text) => textWidth(text) <= width - 6) ?? shortest, labels: [], active: "" };
  const { names, long = names, short = names, active } = all;
  const forms = [long, short].map((labels): Labels => labels.map((label, i) => [label, names[i]!]));
  const room = (labels: Labels) => width - 8 - labels.reduce((n, [label]) => n + label.length + 1, 0);
  // The title comes before long labels, and gives way to short ones as far as it stays readable.
  for (const text of titles) for (const labels of forms) if (textWidth(text) <= room(labels)) return { title: text, labels, active };
  const labels: Labels = room(forms[1]!) >= LEAST_TITLE ? forms[1]! : [[short[names.indexOf(active)]!, active]];
  return { title: shortest, labels, active };
}
const LEAST_TITLE = 4;

/** The tab `by` away. */
export function tabAway<T>(tabs: readonly T[], at: T, by: 1 | -1): T {
  return tabs[(tabs.indexOf(at) + by + tabs.length) % tabs.length]!;
}
