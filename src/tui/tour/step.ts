/** A tour as the UI is given it, and the step at which it is. */
import type { Tour, TourStep } from "../../learn/tour.js";
import type { TourState } from "../state/state.js";

/** A tour at the step where it begins. */
export interface TourRequest {
  readonly tour: Tour;
  /** From 0. */
  readonly at: number;
  /** Runs a command of the tour and returns its output. */
  readonly run: (command: string) => Promise<string>;
  /** Stores how many steps are done. */
  readonly save: (at: number) => void;
}

export const stepOf = ({ tour, at }: TourState): TourStep => tour.steps[at]!;

/** The pane whose tab the words of a state name last. */
export const paneNamed = (words: string): "layout" | "codegen" | undefined =>
  [...words.matchAll(/(?:^|,)(layout|codegen)=/g)].at(-1)?.[1] as "layout" | "codegen" | undefined;

/** A command of a tour for the reader: with the name of the kernel's file. */
export const commandShown = (command: string, { kernel }: Pick<Tour, "kernel">): string => command.replaceAll(/\bKERNEL\b/g, () => kernel);
