/**
 * `<tt-step src="kernel.py" pass="coalesce" view="diff">`: a kernel with views of its compilation, for articles and courses, and what an
 * exported page consists of. One script defines it; the compiler's worker starts when the element comes into sight.
 */
import { unpacked } from "../../support/pack.js";
import type { Input, Pictures } from "../protocol.js";
import { CompilerWorker } from "./compiler-worker.js";
import { h } from "./dom.js";
import { help } from "./help.js";
import { Views } from "./views.js";

/** The page's style sheet, for a shadow root. */
declare const STYLE: string;

const script = document.currentScript as HTMLScriptElement;
const VIEWS = ["diff", "layout", "code", "all"] as const;

/** The worker is beside the script; a page that is one file has it packed inside. */
async function workerUrl(): Promise<string> {
  if (script.src !== "") return new URL("worker.js", script.src).href;
  const text = await unpacked(document.querySelector("script[data-worker]")!.textContent!);
  return URL.createObjectURL(new Blob([text!], { type: "text/javascript" }));
}

class TtStepElement extends HTMLElement {
  static readonly observedAttributes = ["src", "pass", "op", "view", "open", "target", "triton", "warps", "stages", "signature"];
  readonly #box = h("div", { class: "embedded" });
  readonly #choice = h("div", { class: "line" });
  readonly #observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.begin());
  #begun = false;
  #worker: CompilerWorker | undefined;
  #views: Views | undefined;
  /** The selected pass, as the address names it. */
  #pass: string | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(this.#box);
  }
  /** Keys are for the element that has the keyboard; where none has it, for one that is all of a page. */
  readonly #key = (event: KeyboardEvent): void => {
    if (event.composedPath().includes(this) || (event.target === document.body && this.view === "all")) this.#views?.key(event);
  };
  readonly #linked = (): void => {
    const pass = this.linked();
    if (pass && pass !== this.#pass) this.#views?.send({ kind: "screen", screen: pass });
  };
  connectedCallback(): void {
    document.addEventListener("keydown", this.#key);
    addEventListener("hashchange", this.#linked);
    this.#observer.observe(this);
  }
  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.#key);
    removeEventListener("hashchange", this.#linked);
    this.#observer.disconnect();
    this.#worker?.end();
    this.#worker = this.#views = undefined;
    this.#begun = false;
  }
  attributeChangedCallback(): void {
    if (this.#worker) void this.compile();
  }

  private async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const worker = new CompilerWorker(await workerUrl());
    worker.hear({
      pictures: (pictures) => this.show(pictures),
      ended: (why) => this.#views?.forget(why),
      broken: (message) => this.#views?.say(`this is a bug in tt-step: ${message}`, true),
    });
    const views = new Views(worker, {
      root: this.#box,
      light: () => undefined,
      command: (command) => {
        if (command === "help") help(this.#box);
        return command === "help" || command === "arguments";
      },
    });
    [this.#worker, this.#views] = [worker, views];
    this.#box.replaceChildren(this.#choice, views.element);
    await this.compile();
  }
  private async compile(): Promise<void> {
    this.#box.dataset["view"] = this.view;
    const input = await this.input();
    if ("error" in input) this.#views?.say(input.error, true);
    else this.#worker?.send({ kind: "compile", input, open: this.screen() });
  }
  private async input(): Promise<Input | { readonly error: string }> {
    const [src, target, triton, warps, stages, signature] = ["src", "target", "triton", "warps", "stages", "signature"].map((name) =>
      this.getAttribute(name),
    );
    const inside = this.querySelector("script[type='text/plain']");
    const options = { ...(warps ? { numWarps: Number(warps) } : {}), ...(stages ? { numStages: Number(stages) } : {}) };
    const asked = { options, ...(target ? { target } : {}), ...(triton ? { triton } : {}), ...(signature ? { signature } : {}) };
    if (!src) {
      const text = inside?.textContent ?? "";
      const isPacked = inside?.hasAttribute("data-packed") === true;
      return { name: inside?.getAttribute("name") ?? "kernel.ttir", text: isPacked ? (await unpacked(text))! : text, ...asked };
    }
    const response = await fetch(src);
    if (!response.ok) return { error: `${src}: ${response.status} ${response.statusText}` };
    const name = src
      .replace(/[?#].*$/, "")
      .split("/")
      .at(-1)!;
    return { name, text: await response.text(), ...asked };
  }
  private get view(): (typeof VIEWS)[number] {
    return VIEWS.find((known) => known === this.getAttribute("view")) ?? "diff";
  }
  /** The attributes as `tt-step --open` has them. */
  private screen(): string {
    const [open, pass, op] = [this.getAttribute("open"), this.getAttribute("pass"), this.getAttribute("op")];
    const { view } = this;
    const focus = view === "code" ? "codegen=ptx,focus=codegen" : view === "all" ? "" : `focus=${view}`;
    return [open, pass && `pass=${pass}`, this.linked(), op && `op=${op}`, focus].filter(Boolean).join(",");
  }
  /** A frame without an address of its own has no links. */
  get #hasLinks(): boolean {
    return this.hasAttribute("links") && location.protocol !== "about:";
  }
  /** The pass that the page's address names (`page.html#11`), where the element has the attribute `links`. */
  private linked(): string | undefined {
    const [, pass] = /^#([\w.-]+)$/.exec(location.hash) ?? [];
    return pass !== undefined && this.#hasLinks ? `pass=${pass}` : undefined;
  }

  private show(pictures: Partial<Pictures>): void {
    this.#views?.show(pictures);
    const { status, passes } = pictures;
    if (status?.problems.some(({ severity }) => severity === "error")) this.#views?.say(status.rendered, true);
    if (passes && this.view !== "all") this.showPasses(passes);
    const selected = passes?.items.find((item) => item.kind === "step" && item.selected);
    if (selected?.kind === "step" && this.#hasLinks) {
      const pass = `pass=${selected.label}`;
      // The first is the one that the page opened with.
      if (this.#pass !== undefined && pass !== this.#pass) history.replaceState(undefined, "", `#${selected.label}`);
      this.#pass = pass;
    }
    if (passes && this.autofocus && !this.contains(document.activeElement)) this.#views?.focus();
  }
  /** One view has no list of passes: those that changed something can be chosen. */
  private showPasses({ items }: Pictures["passes"]): void {
    const choice = h("select", {
      "aria-label": "pass",
      onchange: () => this.#views?.send({ kind: "screen", screen: `pass=${choice.value}` }),
    });
    for (const item of items)
      if (item.kind === "step" && (item.changed || item.selected))
        choice.append(h("option", { value: item.label, selected: item.selected }, `${item.label} ${item.name}`));
    this.#choice.replaceChildren(h("label", {}, "pass ", choice));
  }
}
customElements.define("tt-step", TtStepElement);
