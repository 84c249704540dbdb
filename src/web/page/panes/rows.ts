/** Tabs that are rows of text, as the terminal UI has them; rows that lead somewhere are buttons. */
import type { Go } from "../../../tui/state/state.js";
import type { Answer, RowsPicture } from "../../protocol.js";
import { h, inked } from "../dom.js";
import { type Choose, drawings, panels } from "./drawings.js";

/** A list of such rows. */
export function rowList({ rows }: RowsPicture, go: (go: Go) => void): HTMLElement {
  return h(
    "div",
    { class: "rows" },
    ...rows.map(({ spans, go: to }) =>
      to ? h("button", { type: "button", class: "row", onclick: () => go(to) }, inked(spans)) : h("div", { class: "row" }, inked(spans)),
    ),
  );
}

/** The result of a request: drawings, then text, then sections. */
export function answered({ sections, text, drawing, panels: tiles, failed }: Answer, choose: Choose = () => undefined): HTMLElement {
  return h(
    "div",
    { class: failed ? "answer failed" : "answer" },
    drawing && drawings(drawing, choose),
    ...(tiles ? [panels(tiles)] : []),
    text !== undefined && h("pre", {}, text),
    ...sections.flatMap(({ title, lines }) => [h("h3", {}, title), h("pre", {}, lines.join("\n"))]),
  );
}
