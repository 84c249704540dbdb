/** The difference of a pass: rows side by side, unified, or the IR alone. */
import type { DiffLine, DiffPicture, DiffRow } from "../../protocol.js";
import { h, inked } from "../dom.js";

const SIGNS = { same: "", changed: "~", added: "+", removed: "−", "moved-from": "‹", "moved-to": "›" } as const;
const SAID = {
  same: "",
  changed: "changed",
  added: "added",
  removed: "removed",
  "moved-from": "moved away",
  "moved-to": "moved here",
} as const;

export interface DiffListeners {
  readonly row: (row: number, source: number) => void;
  readonly more: (count: number) => void;
  readonly mode: (mode: DiffPicture["mode"]) => void;
}

/** The lines above the diff: what is compared, and the choice of its mode. */
export function diffHead({ title, about, note, mode }: DiffPicture, { mode: choose }: DiffListeners): readonly HTMLElement[] {
  return [
    h("div", { class: "line" }, h("h2", {}, title), h("span", { class: "note" }, note)),
    h(
      "div",
      { class: "line" },
      h("span", { class: "about" }, about),
      h(
        "span",
        { class: "choice", role: "group", "aria-label": "how the pass is shown" },
        ...(["side by side", "unified", "IR"] as const).map((name) =>
          h("button", { type: "button", "aria-pressed": String(name === mode), onclick: () => choose(name) }, name),
        ),
      ),
    ),
  ];
}

/** The table of rows; where there are more, the last one asks for them when it comes into sight. */
export function diffTable({ rows, mode, cursor, length }: DiffPicture, listeners: DiffListeners): HTMLElement {
  const isTwo = mode === "side by side";
  const body = h("tbody");
  rows.forEach((row, i) => body.append(tableRow(row, i, isTwo, listeners)));
  const table = h("table", { class: isTwo ? "diff two" : "diff" }, body);
  if (rows.length < length) {
    const left = length - rows.length;
    const more = h("button", { type: "button", class: "more", onclick: () => listeners.more(rows.length + 1000) }, `${left} more lines`);
    body.append(h("tr", {}, h("td", { colspan: isTwo ? 5 : 3 }, more)));
  }
  markCursor(table, cursor);
  return table;
}
/** The cursor on another row of the same rows. */
export function markCursor(table: HTMLElement, cursor: number): void {
  for (const old of table.querySelectorAll("tr[aria-current]")) old.removeAttribute("aria-current");
  const row = table.querySelector(`tr[data-row="${cursor}"]`);
  row?.setAttribute("aria-current", "true");
  row?.scrollIntoView({ block: "nearest" });
}

function tableRow(row: DiffRow, index: number, isTwo: boolean, { row: choose }: DiffListeners): HTMLElement {
  if ("fold" in row) {
    const open = h("button", { type: "button", onclick: () => choose(index, 0) }, `${row.fold} unchanged lines`);
    return h("tr", { class: "fold", "data-row": index }, h("td", { colspan: isTwo ? 5 : 3 }, open));
  }
  const { kind, left, right, note, source } = row;
  const attributes = { "data-row": index, "data-source": source > 0 ? source : undefined, onclick: () => choose(index, source) };
  const sign = h("td", { class: `sign ${kind}`, title: SAID[kind] }, SIGNS[kind]);
  const said = note === "" ? undefined : h("span", { class: "note" }, `  ${note}`);
  if (isTwo)
    return h(
      "tr",
      attributes,
      number(left),
      code(left, kind === "changed" ? "removed" : kind),
      sign,
      number(right),
      code(right, kind === "changed" ? "added" : kind, said),
    );
  const line = right ?? left;
  const look = kind === "changed" ? (right ? "added" : "removed") : kind;
  return h("tr", attributes, number(line), h("td", { class: `sign ${look}`, title: SAID[kind] }, SIGNS[look]), code(line, look, said));
}
const number = (line: DiffLine | undefined): HTMLElement => h("td", { class: "number" }, line ? String(line.number) : "");
const code = (line: DiffLine | undefined, look: string, said?: HTMLElement): HTMLElement =>
  line ? h("td", { class: `code ${look}` }, inked(line.spans), said) : h("td", { class: "code none" });
