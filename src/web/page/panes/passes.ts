/** The list of passes: a list box, in which the arrows choose. */
import type { PassesPicture, PassItem } from "../../protocol.js";
import { h } from "../dom.js";

/** The list of passes; `choose` is called with an item's label. */
export function passList({ items, summary }: PassesPicture, choose: (label: string) => void): readonly HTMLElement[] {
  const selected = items.find((item) => item.kind === "step" && item.selected);
  const list = h(
    "div",
    {
      role: "listbox",
      id: "pass-list",
      tabindex: 0,
      "aria-label": "passes",
      "aria-activedescendant": selected?.kind === "step" ? `pass-${selected.index}` : undefined,
    },
    ...groups(items).map(([stage, steps]) =>
      h("div", { role: "group", class: "stage", "aria-label": stage }, ...steps.map((step) => option(step, choose))),
    ),
  );
  return [list, h("div", { class: "summary" }, summary)];
}
type StepItem = Extract<PassItem, { kind: "step" }>;

function groups(items: readonly PassItem[]): readonly (readonly [stage: string, steps: StepItem[]])[] {
  const found: [string, StepItem[]][] = [];
  for (const item of items)
    if (item.kind === "stage") found.push([item.stage, []]);
    else found.at(-1)?.[1].push(item);
  return found;
}

function option(step: StepItem, choose: (label: string) => void): HTMLElement {
  const { index, label, name, flag, selected, changed, failed, differs, nested, added, removed, time } = step;
  const said = [failed ? "failed" : changed ? "changed the IR" : "no change", differs ? "differs from the other side" : ""].filter(
    (t) => t !== "",
  );
  // A name that is cut keeps its number: it tells passes that run several times apart.
  const number = /#\d+$/.exec(name)?.[0] ?? "";
  return h(
    "div",
    {
      role: "option",
      id: `pass-${index}`,
      "aria-selected": String(selected),
      class: ["pass", changed ? "changed" : "same", nested ? "nested" : "", failed ? "failed" : ""].join(" "),
      title: `${label} ${flag}: ${said.join(", ")}${time === "" ? "" : `, ${time}`}`,
      onclick: () => choose(label),
    },
    h("span", { class: "mark", "aria-hidden": true }, failed ? "!" : differs ? "≠" : changed ? "•" : ""),
    h("span", { class: "name" }, h("span", { class: "stem" }, name.slice(0, name.length - number.length)), number),
    added > 0 && h("span", { class: "plus" }, `+${added}`),
    removed > 0 && h("span", { class: "minus" }, `−${removed}`),
  );
}
