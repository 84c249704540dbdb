/** What `E` and `--export` write: chosen by the name's ending. */
import { toJson } from "../../trace/json.js";
import type { Canvas } from "../draw/canvas.js";
import type { Theme } from "../draw/theme.js";
import { frame } from "../frame.js";
import type { State } from "../state/state.js";
import { traceHtml } from "./html.js";
import { canvasSvg } from "./svg.js";

/** A drawing is not written with a part missing. */
function whole(state: State): Canvas {
  const canvas = frame(state);
  if (canvas.failure) throw canvas.failure;
  return canvas;
}

export function exportText(path: string, state: State, theme: Theme): { readonly text: string } | { readonly error: string } {
  if (path.endsWith(".svg")) return { text: canvasSvg(whole(state), theme) };
  if (path.endsWith(".json")) return { text: toJson(state.session.trace) };
  if (path.endsWith(".html") || path.endsWith(".htm")) return { text: traceHtml(state.session.trace, theme) };
  if (path.endsWith(".txt")) return { text: whole(state).toText() };
  return { error: `cannot tell from '${path}' what to write: it should end with .html, .svg, .json or .txt` };
}
