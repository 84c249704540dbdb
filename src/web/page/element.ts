/**
 * `<tt-step src="kernel.py" pass="coalesce" view="diff">`: a kernel with one view of its compilation, for articles and courses. One
 * script defines it; the compiler's worker beside that script starts when the element comes into sight.
 */
import type { Order, Pictures } from "../protocol.js";
import { CompilerWorker } from "./compiler-worker.js";
import { h } from "./dom.js";
import { codePane } from "./panes/code.js";
import { diffHead, diffTable } from "./panes/diff.js";
import { threadMap } from "./panes/map.js";
import { rowList } from "./panes/rows.js";

/** The page's style sheet, for a shadow root. */
declare const STYLE: string;

const here = (document.currentScript as HTMLScriptElement).src;
const VIEWS = ["diff", "layout", "code"] as const;

class TtStepElement extends HTMLElement {
  static readonly observedAttributes = ["src", "pass", "op", "view", "target", "warps", "stages", "signature"];
  readonly #head = h("div", { class: "line" });
  readonly #panel = h("div", { class: "panel", role: "region", tabindex: 0 });
  readonly #status = h("div", { class: "status", role: "status" });
  readonly #observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.begin());
  #worker: CompilerWorker | undefined;
  #pictures: Partial<Pictures> = {};

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(h("div", { class: "embedded" }, this.#head, this.#status, this.#panel));
  }
  connectedCallback(): void {
    this.#observer.observe(this);
  }
  disconnectedCallback(): void {
    this.#observer.disconnect();
    this.#worker?.end();
    this.#worker = undefined;
  }
  attributeChangedCallback(): void {
    if (this.#worker) void this.compile();
  }

  private async begin(): Promise<void> {
    if (this.#worker) return;
    this.#worker = new CompilerWorker(new URL("worker.js", here).href, {
      pictures: (pictures) => this.show(pictures),
      ended: (why) => this.say(why),
      broken: (message) => this.say(`this is a bug in tt-step: ${message}`),
    });
    this.send({ kind: "columns", columns: Math.floor(this.clientWidth / 8) });
    await this.compile();
  }
  private send(order: Order): void {
    this.#worker?.send(order);
  }
  private async compile(): Promise<void> {
    const attribute = (name: string): string | undefined => this.getAttribute(name) ?? undefined;
    const src = attribute("src");
    const inside = this.querySelector("script[type='text/plain']");
    let text = inside?.textContent ?? "";
    if (src !== undefined) {
      const response = await fetch(src);
      if (!response.ok) return this.say(`${src}: ${response.status} ${response.statusText}`);
      text = await response.text();
    }
    const name =
      src
        ?.replace(/[?#].*$/, "")
        .split("/")
        .at(-1) ??
      inside?.getAttribute("name") ??
      "kernel.ttir";
    const [target, warps, stages, signature] = ["target", "warps", "stages", "signature"].map(attribute);
    const options = { ...(warps ? { numWarps: Number(warps) } : {}), ...(stages ? { numStages: Number(stages) } : {}) };
    this.send({
      kind: "compile",
      input: { name, text, options, ...(target ? { target } : {}), ...(signature ? { signature } : {}) },
      open: this.screen(),
    });
  }
  /** The attributes as `tt-step --open` has them. */
  private screen(): string {
    const view = VIEWS.find((known) => known === this.getAttribute("view")) ?? "diff";
    const [pass, op] = [this.getAttribute("pass"), this.getAttribute("op")];
    const words = [
      pass === null ? "" : `pass=${pass}`,
      op === null ? "" : `op=${op}`,
      view === "code" ? "codegen=ptx,focus=codegen" : `focus=${view}`,
    ];
    return words.filter((word) => word !== "").join(",");
  }
  private say(text: string): void {
    this.#status.textContent = text;
  }

  private show(pictures: Partial<Pictures>): void {
    this.#pictures = { ...this.#pictures, ...pictures };
    const { status, passes, diff, layout, code, rows } = this.#pictures;
    if (!status || status.busy) return this.say(status?.busy ? "compiling ..." : "");
    this.say(status.problems.some(({ severity }) => severity === "error") ? status.rendered : (status.message?.text ?? ""));
    if (pictures.passes && passes) this.showPasses(passes);
    const go = (to: Extract<Order, { kind: "go" }>["go"]) => this.send({ kind: "go", go: to });
    this.#panel.dataset["tab"] = status.tab;
    if (status.tab === "code" && code) return this.#panel.replaceChildren(...codePane(code, { go, light: (line) => this.light(line) }));
    if (status.tab === "layout" && layout)
      return this.#panel.replaceChildren(
        ...(layout.kind === "none"
          ? [h("p", { class: "note" }, layout.reason)]
          : [
              h("h2", {}, layout.name),
              h("p", { class: "note" }, layout.type),
              layout.map
                ? threadMap(layout.map, { element: (element, thread) => this.send({ kind: "element", element, thread }) })
                : rowList({ tab: "layout", rows: layout.rows.map((spans) => ({ spans, go: undefined })) }, go),
            ]),
      );
    if (!diff || status.tab !== "passes") return rows && this.#panel.replaceChildren(rowList(rows, go));
    const listeners = {
      row: (row: number) => this.send({ kind: "row", row }),
      more: (count: number) => this.send({ kind: "rows", count }),
      mode: (mode: string) => this.send({ kind: "screen", screen: `mode=${mode}` }),
    };
    this.#panel.replaceChildren(h("div", { class: "head" }, ...diffHead(diff, listeners)), diffTable(diff, listeners));
  }
  /** The passes that changed something, to go to another. */
  private showPasses({ items }: Pictures["passes"]): void {
    const choice = h("select", { "aria-label": "pass", onchange: () => this.send({ kind: "screen", screen: `pass=${choice.value}` }) });
    for (const item of items)
      if (item.kind === "step" && (item.changed || item.selected))
        choice.append(h("option", { value: item.label, selected: item.selected }, `${item.label} ${item.name}`));
    this.#head.replaceChildren(h("label", {}, "pass ", choice), h("span", { class: "note" }, this.#pictures.status?.headline ?? ""));
  }
  private light(line: number): void {
    for (const row of this.#panel.querySelectorAll("[data-source]"))
      row.classList.toggle("lit", row.getAttribute("data-source") === String(line));
  }
}
customElements.define("tt-step", TtStepElement);
