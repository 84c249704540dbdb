/** The playgrounds of layouts and of CuTe: a text in, drawings out. */
import type { Question } from "../protocol.js";
import type { CompilerWorker } from "./compiler-worker.js";
import { h } from "./dom.js";
import { answered } from "./panes/rows.js";

/** Texts that each opens with. */
export const TEXTS = {
  layout: "tensor<32x32xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>",
  cute: "make_layout(make_shape(Int<8>{}, Int<4>{}), make_stride(Int<4>{}, Int<1>{}))",
} as const;
const TITLES = { layout: "a tensor's type with its layout", cute: "a CuTe layout, or C++ expressions over layouts" } as const;
/** Milliseconds of rest after which a text is read. */
const REST = 60;

export class TextMode {
  readonly element: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #result = h("div", { class: "result", "aria-live": "polite" });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #element: readonly number[] = [];
  #thread: number | undefined;

  constructor(
    readonly mode: "layout" | "cute",
    readonly worker: CompilerWorker,
    readonly changed: () => void,
  ) {
    this.#field = h("textarea", { rows: 5, spellcheck: "false", id: `text-${mode}` });
    this.#field.addEventListener("input", () => {
      changed();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.draw(), REST);
    });
    this.element = h(
      "main",
      { id: `mode-${mode}`, class: "playground", hidden: true },
      h("label", { for: `text-${mode}` }, TITLES[mode]),
      this.#field,
      this.#result,
    );
  }
  get text(): string {
    return this.#field.value;
  }
  set text(text: string) {
    this.#field.value = text;
  }
  async draw(): Promise<void> {
    const { text } = this;
    const question: Question =
      this.mode === "cute" ? { kind: "cute", text } : { kind: "layout", text, element: this.#element, thread: this.#thread };
    const answer = await this.worker.ask(question);
    if (this.text !== text) return;
    const shown = answered(answer, (element, thread) => {
      [this.#element, this.#thread] = [element, thread];
      void this.draw();
    });
    this.#result.replaceChildren(shown);
  }
}
