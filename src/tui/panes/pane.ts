/** What a pane is to the frame around it. */
import type { Row } from "../draw/style.js";
import type { PaneId, State } from "../state/state.js";

export interface Size2 {
  readonly width: number;
  readonly height: number;
}
export interface PaneModel {
  readonly id: PaneId;
  /** The key that focuses it. */
  readonly key: string;
  readonly title: (state: State) => string;
  readonly tabs?: (state: State) => { readonly names: readonly string[]; readonly active: string };
  /** What stands in the lower edge. */
  readonly note?: (state: State) => string;
  /** The rows shown, from the first one visible on. */
  readonly rows: (state: State, size: Size2) => readonly Row[];
  /** How many rows there are in all, for the scroll bar. */
  readonly length: (state: State, size: Size2) => number;
  readonly top: (state: State) => number;
}
