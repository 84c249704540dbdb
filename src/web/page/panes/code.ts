/** The final code: the last TTGIR and PTX beside each other, and the instructions; lines of one source line have one colour. */
import type { Go } from "../../../tui/state/state.js";
import type { CodeLine, CodePicture } from "../../protocol.js";
import { h, inked } from "../dom.js";

export interface CodeListeners {
  readonly go: (go: Go) => void;
  readonly light: (source: number) => void;
}

/** The colours of source lines that the final code has, in order. */
export function coloursOf({ machine, facts }: Pick<CodePicture, "machine" | "facts">): ReadonlyMap<number, number> {
  const lines = new Set(facts.map(({ source }) => source));
  if (lines.size === 0) for (const { source } of machine) lines.add(source);
  lines.delete(0);
  return new Map([...lines].sort((a, b) => a - b).map((line, i) => [line, i % 8]));
}

/** The final code, with the lines of the IR that each instruction comes from. */
export function codePane(picture: CodePicture, { go, light }: CodeListeners): readonly HTMLElement[] {
  const colours = coloursOf(picture);
  const listing = (title: string, lines: readonly CodeLine[]): HTMLElement =>
    h(
      "section",
      { class: "listing" },
      h("h2", {}, title),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("div", { class: "lines" }, ...lines.map(line))),
    );
  const line = ({ spans, source, go: to }: CodeLine): HTMLElement =>
    h(
      "div",
      {
        class: `codeline ${colours.has(source) ? `s${colours.get(source)}` : ""}`,
        "data-source": source > 0 ? source : undefined,
        onpointerenter: () => light(source),
        onclick: () => light(source),
        ondblclick: () => to && go(to),
      },
      inked(spans),
    );
  const facts = h(
    "table",
    { class: "facts" },
    h("thead", {}, h("tr", {}, ...["", "instruction", "bytes a thread", "", "line"].map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      ...picture.facts.map(({ count, instruction, kind, bytes, note, source, go: to }) =>
        h(
          "tr",
          {
            class: colours.has(source) ? `s${colours.get(source)}` : "",
            "data-source": source > 0 ? source : undefined,
            onpointerenter: () => light(source),
          },
          h("td", { class: "number" }, `${count}×`),
          h("td", {}, to ? h("button", { type: "button", class: `link ${kind}`, onclick: () => go(to) }, instruction) : instruction),
          h("td", { class: "number" }, bytes > 0 ? String(bytes) : ""),
          h("td", { class: "note" }, note),
          h("td", { class: "number" }, source > 0 ? String(source) : ""),
        ),
      ),
    ),
  );
  return [
    h(
      "section",
      { class: "listing wide" },
      h("h2", {}, "memory, tensor cores, barriers"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "instructions" }, facts),
    ),
    listing("TTGIR", picture.ttgir),
    listing("PTX", picture.machine),
  ];
}
