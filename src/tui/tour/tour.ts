/** A tour under way: going on and back, and whether the screen is as its step says. */
import { withOpened, wordsMissing } from "../control/open-state.js";
import { settle } from "../control/settle.js";
import { insideOf } from "../state/places.js";
import { ask, type State, say, type TourState, withView } from "../state/state.js";
import { scrolled } from "./narrator.js";
import { commandShown, paneNamed, stepOf } from "./step.js";

/** The state with a tour at one of its steps. */
export function atTourStep(state: State, tour: TourState["tour"], at: number): State {
  const begun: TourState = { tour, at, top: 0, done: false };
  const { state: words, command } = stepOf(begun);
  return ask({ ...state, tour: { ...begun, done: words === "" && command === "" } }, { kind: "tour-step", at });
}

/** After every action: the step is done once the screen has been as it says. */
export function followed(state: State): State {
  const { tour } = state;
  if (!tour || tour.done || state.session.progress) return state;
  const { state: words } = stepOf(tour);
  if (words === "") return state;
  const left = wordsMissing(state, words);
  if (left.length === 0) return { ...state, tour: { ...tour, done: true } };
  return tour.isAwaited && !left.some(isOption) ? followed(brought({ ...state, tour: { ...tour, isAwaited: false } }, words)) : state;
}

/** The state with the screen of the words; where an option is to be changed first, that is all, and the rest comes up after the compilation. */
function brought(state: State, words: string): State {
  const options = wordsMissing(state, words).filter(isOption);
  if (options.length === 0) return inSight(withOpened(state, words), words);
  return withOpened({ ...state, tour: state.tour && { ...state.tour, isAwaited: true } }, options.join(","));
}
/** The state with the focus on the pane that the words are about, where the screen has no place for it beside the focused one. */
function inSight(state: State, words: string): State {
  const pane = paneNamed(words);
  return pane && !insideOf(state, pane) ? settle(withView(state, { focus: pane })) : state;
}
const isOption = (word: string): boolean => word.startsWith("option=");

/** Goes on in the tour: to the rest of a long text, or to the next step once this one is done. */
export function nextTourStep(state: State): State {
  const { tour } = state;
  if (!tour) return noTour(state);
  const { top, room, more } = scrolled(state);
  if (more) return { ...state, tour: { ...tour, top: top + room } };
  const { state: words, command, keys } = stepOf(tour);
  if (!tour.done)
    return say(
      state,
      command !== ""
        ? "= shows the output of the command first"
        : `not there yet (${missing(state, words)}): ${keys === "" ? "" : `press ${keys}, or `}= goes there`,
    );
  if (tour.at + 1 < tour.tour.steps.length) return atTourStep({ ...state, overlay: undefined }, tour.tour, tour.at + 1);
  return say(ask(state, { kind: "tour-step", at: tour.at + 1 }), "the tour ends here; look around as long as you like, q quits");
}
const missing = (state: State, words: string): string => wordsMissing(state, words).join(", ");

/** Goes back in the tour: in a long text, or to the step before. */
export function previousTourStep(state: State): State {
  const { tour } = state;
  if (!tour) return noTour(state);
  const { top, room } = scrolled(state);
  if (top > 0) return { ...state, tour: { ...tour, top: Math.max(0, top - room) } };
  return tour.at === 0 ? say(state, "this is the first step") : atTourStep({ ...state, overlay: undefined }, tour.tour, tour.at - 1);
}

/** Does what the step asks for: brings its screen up, or runs its command. */
export function showTourStep(state: State): State {
  const { tour } = state;
  if (!tour) return noTour(state);
  const { state: words, command } = stepOf(tour);
  if (command !== "") return ask(say(state, "running ..."), { kind: "tour-command", command });
  return words === "" ? say(state, "this step is to be read; ) goes on") : brought({ ...state, overlay: undefined }, words);
}

/** The output of the step's command over the panes. */
export function withOutput(state: State, title: string, text: string): State {
  const items = text
    .trimEnd()
    .split("\n")
    .map((line) => ({ text: line, muted: false }));
  const { tour } = state;
  const shown = tour ? commandShown(title, tour.tour) : title;
  return {
    ...state,
    message: undefined,
    overlay: { kind: "list", title: shown, items, row: 0, top: 0 },
    tour: tour && { ...tour, done: true },
  };
}

const noTour = (state: State): State => say(state, "no tour is open; tt-step learn lists them");
