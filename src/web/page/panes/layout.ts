/** The layout of the value under the cursor: drawings, or the text of the views that are text. */
import type { LayoutPicture, Order } from "../../protocol.js";
import { h } from "../dom.js";
import { drawings } from "./drawings.js";
import { rowList } from "./rows.js";

/** The views of the layout, with what each shows. */
const VIEWS = { map: "elements", hw: "registers", shared: "shared memory", pair: "two layouts", bases: "bases" } as const;

/** The drawing of a layout, and its controls. */
export function layoutPane(layout: LayoutPicture, send: (order: Order) => void): readonly HTMLElement[] {
  if (layout.kind === "none")
    return [h("p", { class: "note" }, `${layout.reason}. A click on a line of a TTGIR pass shows the layout of its value.`)];
  const { name, type, encoding, tab, drawing, rows } = layout;
  const views = Object.entries(VIEWS).map(([view, title]) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(view === tab),
        onclick: () => send({ kind: "screen", screen: `layout=${view},focus=layout` }),
      },
      title,
    ),
  );
  const colour = drawing && `colour by ${drawing.colour}`;
  return [
    h(
      "div",
      { class: "line" },
      h("h2", {}, name),
      h("span", { class: "choice", role: "group", "aria-label": "view of the layout" }, ...views),
      colour && h("button", { type: "button", onclick: () => send({ kind: "command", command: "colour" }) }, colour),
    ),
    h("p", { class: "note" }, type),
    ...(type.includes(encoding) ? [] : [h("p", { class: "note" }, encoding)]),
    drawing
      ? drawings(drawing, (element, thread) => send({ kind: "element", element, thread }))
      : rowList({ tab: "layout", rows: rows.map((spans) => ({ spans, go: undefined })) }, () => undefined),
  ];
}
