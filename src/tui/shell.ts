/** The state and the terminal, shared by the parts around the pure core. */
import type { Action } from "./control/reducer.js";
import type { State } from "./state/state.js";

export interface Shell {
  readonly state: () => State;
  readonly dispatch: (action: Action) => void;
  readonly say: (text: string, kind?: "info" | "error") => void;
  /** Does something when keys have been read, unless the program has ended; what goes wrong in there ends it. */
  readonly soon: (what: () => void) => void;
  /** Milliseconds. */
  readonly clock: () => number;
  /** Says that a compilation was given up. */
  readonly freed: () => void;
  /** Lends the terminal to another program. */
  readonly away: <T>(what: () => T) => T;
  /** Ends the program with a code, and a text on the terminal that it leaves. */
  readonly end: (code: number, text: string) => void;
}

/** Milliseconds of work between two looks at the keyboard. */
export const SLICE = 10;
