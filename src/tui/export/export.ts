/** The files that `E` and `--export` write: the format follows from the name's ending. */
import { toJson } from "../../trace/json.js";
import { reproducer } from "../../trace/reproducer.js";
import { openWords } from "../control/open-state.js";
import { plainText } from "../draw/ansi.js";
import { THEMES, type Theme } from "../draw/theme.js";
import { type Frame, frame } from "../frame.js";
import { PANES } from "../panes/index.js";
import { insideOf } from "../state/places.js";
import type { State } from "../state/state.js";
import { selectedStep } from "../state/steps.js";
import { type PageParts, pageHtml } from "./html.js";
import { screenSvg } from "./svg.js";

/** Parts that are loaded where they are wanted: Ink, which draws screens, and the scripts of a page. */
export interface ExportParts {
  readonly app: () => Promise<{ readonly screenText: (frame: Frame) => string }>;
  readonly page: () => PageParts;
}

/** Rows of the highest drawing. */
const HIGHEST = 500;
/** A pane that has the screen for itself is drawn from its first row to its last. */
function whole(state: State): State {
  const { size, view } = state;
  const pane = PANES[view.focus];
  const inside = insideOf(state, view.focus);
  if (!view.zoomed || !inside) return state;
  const rows = pane.length(state, inside) + size.rows - inside.height;
  if (rows <= size.rows || rows > HIGHEST) return state;
  return { ...state, size: { ...size, rows }, view: { ...view, [view.focus]: { ...view[view.focus], top: 0 } } };
}

export async function exportText(
  path: string,
  state: State,
  theme: Theme,
  { app, page }: ExportParts,
): Promise<{ readonly text: string } | { readonly error: string }> {
  const drawn = async (how: Theme): Promise<string> => {
    // Messages about the writing itself are no part of the screen.
    const shown = frame({ ...whole(state), message: undefined }, how);
    // A screen is not written with a part missing.
    if (shown.failure) throw shown.failure;
    return (await app()).screenText(shown);
  };
  if (path.endsWith(".svg")) return { text: screenSvg(await drawn({ ...theme, trueColour: true }), state.size.columns, theme) };
  if (path.endsWith(".json")) return { text: toJson(state.session.trace) };
  if (path.endsWith(".html") || path.endsWith(".htm")) {
    const { trace } = state.session;
    const shown = { name: trace.source.name, screen: openWords(state), theme: theme.name === "dark" ? "dark" : "light" } as const;
    return { text: await pageHtml(page(), toJson(trace), shown) };
  }
  if (path.endsWith(".mlir")) {
    const step = selectedStep(state);
    if (step?.kind !== "pass" || step.parent !== undefined) return { error: "a reproducer is of a pass of the pipeline: select one" };
    const comment = [`${step.label} ${step.flag} of ${state.session.name}: tt-opt --run-reproducer runs it`];
    return { text: reproducer(state.session.trace, step, comment) };
  }
  if (path.endsWith(".txt")) return { text: `${plainText(await drawn(THEMES.none))}\n` };
  return { error: `cannot tell from '${path}' what to write: it should end with .html, .svg, .json, .txt or .mlir` };
}
