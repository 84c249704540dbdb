/** Tabs that are rows of text, as the terminal UI has them; rows that lead somewhere are buttons. */
import type { Go } from "../../../tui/state/state.js";
import type { Answer, RowsPicture } from "../../protocol.js";
import { h, inked } from "../dom.js";
import { panels, threadMap } from "./map.js";

export function rowList({ rows }: RowsPicture, go: (go: Go) => void): HTMLElement {
  return h(
    "div",
    { class: "rows" },
    ...rows.map(({ spans, go: to }) =>
      to ? h("button", { type: "button", class: "row", onclick: () => go(to) }, inked(spans)) : h("div", { class: "row" }, inked(spans)),
    ),
  );
}

/** An answer: its text, its drawings, its sections. */
export function answered({ sections, text, map, panels: tiles, failed }: Answer): HTMLElement {
  return h(
    "div",
    { class: failed ? "answer failed" : "answer" },
    ...(map ? [threadMap(map, { element: () => undefined })] : []),
    ...(tiles ? [panels(tiles)] : []),
    text !== undefined && h("pre", {}, text),
    ...sections.flatMap(({ title, lines }) => [h("h3", {}, title), h("pre", {}, lines.join("\n"))]),
  );
}
