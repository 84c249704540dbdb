/** A tour of `tt-step learn` in the page: what to look at, and the screen that shows it. */
import type { TourStep } from "../../learn/tour.js";
import type { Input } from "../protocol.js";
import { textField } from "./dialogs.js";
import { h } from "./dom.js";

export interface PageTour {
  readonly title: string;
  readonly about?: string;
  readonly kernel: Pick<Input, "name" | "text" | "target">;
  readonly steps: readonly (Pick<TourStep, "title" | "text"> & Partial<TourStep>)[];
}

export class TourGuide {
  readonly element = h("section", { class: "tour", "aria-label": "tour" });
  #tour: PageTour | undefined;

  constructor(readonly show: (screen: string) => void) {}

  /** Begins a tour; none ends the one that is open. */
  begin(tour: PageTour | undefined): void {
    this.#tour = tour;
    this.element.replaceChildren();
    if (tour) this.draw(0);
  }
  private draw(at: number): void {
    const { title, steps } = this.#tour!;
    const { title: head, text, seen, command } = steps[at]!;
    const step = (label: string, to: number) =>
      h("button", { type: "button", disabled: to < 0 || to >= steps.length, onclick: () => this.go(to) }, label);
    this.element.replaceChildren(
      h(
        "div",
        { class: "line" },
        h("h2", {}, head),
        h("span", { class: "note" }, `${title}, step ${at + 1} of ${steps.length}`),
        h("span", { class: "space" }),
        step("back", at - 1),
        step("next", at + 1),
        h("button", { type: "button", "aria-label": "end the tour", onclick: () => this.begin(undefined) }, "×"),
      ),
      h("p", {}, text),
      command ? textField("in a terminal", command.replaceAll("KERNEL", this.#tour!.kernel.name)) : h("span"),
      h("p", { class: "note" }, seen ?? ""),
    );
  }
  private go(at: number): void {
    this.draw(at);
    const { state } = this.#tour!.steps[at]!;
    if (state) this.show(state);
  }
}
