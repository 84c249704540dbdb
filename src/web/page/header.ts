/** The line at the top: the mode, the kernel and its settings, what can be done with them. */
import { TARGETS } from "../../backend/targets.js";
import { COMPILED_VERSIONS } from "../../support/triton-version.js";
import { MODES, type PageState } from "../link.js";
import type { Input, Pictures } from "../protocol.js";
import { h } from "./dom.js";
import { examples, tours } from "./examples.js";

export interface HeaderListeners {
  readonly mode: (mode: PageState["mode"]) => void;
  readonly example: (name: string) => void;
  /** The setting that was changed. */
  readonly settings: (asked: Pick<Input, "target" | "triton" | "options">) => void;
  readonly form: () => void;
  readonly pair: () => void;
  readonly share: () => void;
  readonly help: () => void;
}

const MODE_NAMES: Readonly<Record<PageState["mode"], string>> = { compiler: "compiler", layout: "layouts", cute: "CuTe" };

export class Header {
  readonly element: HTMLElement;
  readonly #modes = new Map<PageState["mode"], HTMLElement>();
  readonly #example = h("select", { "aria-label": "example" });
  readonly #target = h("select", { "aria-label": "target" });
  readonly #triton = h("select", { "aria-label": "version of Triton" });
  readonly #warps = h("select", { "aria-label": "warps" });
  readonly #stages = h("select", { "aria-label": "stages" });
  readonly #form: HTMLButtonElement;
  readonly #pair: HTMLButtonElement;

  constructor({ mode, example, settings, form, pair, share, help }: HeaderListeners) {
    const option = (name: string) => h("option", { value: name }, name);
    const group = (label: string, names: readonly string[]) => h("optgroup", { label }, ...names.map(option));
    this.#example.append(
      group(
        "kernels",
        examples.map(({ name }) => name),
      ),
      group(
        "tours",
        tours.map(({ title }) => title),
      ),
      h("option", { value: "", hidden: true }, "your own"),
    );
    this.#example.addEventListener("change", () => example(this.#example.value));
    const choice = (
      select: HTMLSelectElement,
      values: readonly (string | number)[],
      asked: (value: string) => Pick<Input, "target" | "triton" | "options">,
    ): void => {
      select.append(...values.map((value) => option(String(value))));
      select.addEventListener("change", () => settings(asked(select.value)));
    };
    choice(this.#target, TARGETS, (target) => ({ target }));
    choice(
      this.#triton,
      COMPILED_VERSIONS.map(({ name }) => name),
      (triton) => ({ triton }),
    );
    choice(this.#warps, [1, 2, 4, 8, 16, 32], (warps) => ({ options: { numWarps: Number(warps) } }));
    choice(this.#stages, [1, 2, 3, 4, 5, 6], (stages) => ({ options: { numStages: Number(stages) } }));
    const button = (text: string, onclick: () => void, more: Readonly<Record<string, string | boolean>> = {}) =>
      h("button", { type: "button", onclick, ...more }, text);
    this.#form = button("arguments", form, { disabled: true });
    this.#pair = button("A/B", pair, { "aria-pressed": "false" });
    for (const name of MODES)
      this.#modes.set(
        name,
        button(MODE_NAMES[name], () => mode(name)),
      );
    const field = (name: string, select: HTMLElement, names = "wide") => h("label", {}, h("span", { class: names }, `${name} `), select);
    this.element = h(
      "header",
      {},
      h("h1", {}, "tt-step"),
      h("div", { class: "choice", role: "group", "aria-label": "playground" }, ...this.#modes.values()),
      field("kernel", this.#example),
      field("target", this.#target),
      field("Triton", this.#triton),
      field("warps", this.#warps, ""),
      field("stages", this.#stages, ""),
      this.#form,
      this.#pair,
      h("span", { class: "space" }),
      button("share", share),
      button("◐", otherTheme, { "aria-label": "light or dark" }),
      button("?", help, { "aria-label": "keys" }),
    );
  }
  /** The example or tour that is shown; "" for a text of the reader's own. */
  set example(name: string) {
    this.#example.value = name;
  }
  set mode(mode: PageState["mode"]) {
    for (const [name, button] of this.#modes) button.setAttribute("aria-pressed", String(name === mode));
  }
  set isPair(isPair: boolean) {
    this.#pair.setAttribute("aria-pressed", String(isPair));
  }
  show({ target, triton, options, form }: Pictures["status"]): void {
    if (target !== undefined) this.#target.value = target;
    if (triton !== undefined) this.#triton.value = triton;
    if (options) [this.#warps.value, this.#stages.value] = [String(options.numWarps), String(options.numStages)];
    this.#form.disabled = form === undefined;
  }
}

function otherTheme(): void {
  const { dataset } = document.documentElement;
  const now = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  dataset["theme"] = now === "dark" ? "light" : "dark";
}
