/** The views of a compilation: its status, passes and tabs, and the panel that shows one of them. The page and `<tt-step>` have them. */
import type { CommandId } from "../../tui/keymap.js";
import type { Order, Pictures, Tab } from "../protocol.js";
import type { CompilerWorker } from "./compiler-worker.js";
import { dialog, listDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { Keys } from "./keys.js";
import { codePane } from "./panes/code.js";
import { diffHead, diffTable, markCursor } from "./panes/diff.js";
import { layoutPane } from "./panes/layout.js";
import { passList } from "./panes/passes.js";
import { answered, rowList } from "./panes/rows.js";

type OwnTab = "validate" | "run";
const TABS: Readonly<Record<Tab | OwnTab, string>> = {
  overview: "overview",
  passes: "passes",
  layout: "layouts",
  code: "final code",
  limits: "limits",
  stats: "statistics",
  why: "explain",
  flow: "control flow",
  rewrites: "rewrites",
  compare: "compare",
  validate: "validate",
  run: "run",
};
/** The pane of each tab, as `tt-step --open` has it. */
const focusOf = (tab: Tab): string =>
  tab === "overview"
    ? "focus=findings"
    : tab === "passes"
      ? "focus=diff"
      : tab === "layout"
        ? "focus=layout"
        : `codegen=${tab === "code" ? "ptx" : tab},focus=codegen`;
/** Milliseconds between two passes that are played. */
const PLAY_EVERY = 1200;
/** Pixels of a character, at the least. */
const LETTER = 8;

export interface Around {
  /** Where dialogs are put. */
  readonly root: ParentNode & Node;
  /** A line of the source is pointed at. */
  readonly light: (line: number) => void;
  /** Commands that are not of these views; false for those that are. */
  readonly command: (command: CommandId) => boolean;
}

export class Views {
  readonly #keys = new Keys();
  readonly #passes = h("nav", { class: "passes", "aria-label": "passes" });
  readonly #tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "views" });
  readonly #panel = h("div", { class: "panel", role: "tabpanel", id: "panel", tabindex: -1 });
  readonly #status = h("div", { class: "status", role: "status" });
  readonly #stop = h("button", { type: "button", hidden: true, onclick: () => this.worker.stop("stopped") }, "stop");
  readonly #play = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.play() }, "play");
  readonly element = h(
    "section",
    { class: "right", "aria-label": "compilation" },
    h("div", { class: "line" }, this.#status, this.#stop, this.#play),
    this.#tabs,
    h("div", { class: "views" }, this.#passes, this.#panel),
  );
  pictures: Partial<Pictures> = {};
  #tab: Tab = "overview";
  /** Shown in the place of the worker's tab. */
  #own: OwnTab | undefined;
  #list: string | undefined;
  #lit = 0;
  #launch = "";
  /** The rows that the panel shows. */
  #drawn = "";
  #player: ReturnType<typeof setInterval> | undefined;

  constructor(
    readonly worker: CompilerWorker,
    readonly around: Around,
  ) {
    for (const tab of Object.keys(TABS) as (Tab | OwnTab)[])
      this.#tabs.append(
        h(
          "button",
          { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": "panel", tabindex: -1, onclick: () => this.choose(tab) },
          TABS[tab],
        ),
      );
    this.#tabs.addEventListener("keydown", (event) => this.alongTabs(event));
    new ResizeObserver(() => this.measure()).observe(this.#panel);
  }

  /** Draws what is another than before. */
  show(changed: Partial<Pictures>): void {
    this.pictures = { ...this.pictures, ...changed };
    const { status } = this.pictures;
    if (changed.status && status) this.showStatus(status);
    if (changed.passes) this.showPasses(changed.passes);
    if (this.#own) return;
    this.markTab();
    this.showPanel(changed);
  }
  /** The last result is gone: the worker is another one. */
  forget(why: string): void {
    this.pictures = {};
    this.#passes.replaceChildren();
    this.#panel.replaceChildren();
    delete this.#panel.dataset["drawn"];
    this.busy(false);
    this.measure();
    this.say(why, true);
  }
  /** The keyboard goes to the list of passes. */
  focus(): void {
    this.#passes.querySelector<HTMLElement>("#pass-list")?.focus();
  }
  say(text: string, isError = false): void {
    this.#status.textContent = text;
    this.#status.classList.toggle("failed", isError);
  }
  send(order: Order): void {
    this.#own = undefined;
    this.worker.send(order);
  }
  /** Shows the instructions that a line of the source became. */
  showCode(line: number): void {
    this.#lit = line;
    this.send({ kind: "screen", screen: focusOf("code") });
    this.light(line, true);
  }
  /** The tab that is shown, where it is the worker's. */
  get tab(): Tab | undefined {
    return this.#own ? undefined : this.#tab;
  }
  /** Lights up what comes from a line of the source, and brings it into sight where that is asked for elsewhere. */
  light(line: number, intoSight: boolean): void {
    this.#lit = line;
    for (const lit of this.#panel.querySelectorAll(".lit[data-source]")) lit.classList.remove("lit");
    const rows = [...this.#panel.querySelectorAll(`[data-source="${line}"]`)];
    for (const row of rows) row.classList.add("lit");
    if (!intoSight) return;
    const listings = new Map(rows.reverse().map((row) => [row.closest("section"), row] as const));
    for (const first of listings.values()) first.scrollIntoView({ block: "nearest" });
  }
  /** Reads a key; what is typed into fields is not for the views. */
  key(event: KeyboardEvent): void {
    const isTyped = event
      .composedPath()
      .some((node) => node instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT|DIALOG)$/.test(node.tagName));
    if (isTyped || ((event.key === "Enter" || event.key === " ") && event.composedPath()[0] instanceof HTMLButtonElement)) return;
    const command = this.#keys.read(event);
    if (command === undefined) return;
    event.preventDefault();
    if (command !== "waiting" && !this.around.command(command)) this.command(command);
  }

  private choose(tab: Tab | OwnTab): void {
    if (tab !== "validate" && tab !== "run") return this.send({ kind: "screen", screen: focusOf(tab) });
    this.#own = tab;
    this.markTab();
    void this.execute(tab);
  }
  private async execute(tab: OwnTab): Promise<void> {
    const text =
      tab === "validate"
        ? "running the kernel after each pass, on the same memory ..."
        : "running the kernel with arguments that are made up ...";
    this.#panel.replaceChildren(h("p", { class: "note" }, text));
    this.#panel.dataset["drawn"] = tab;
    this.busy(true);
    const answer = await this.worker.ask({ kind: tab });
    this.busy(false);
    if (this.#own === tab) this.#panel.replaceChildren(answered(answer));
  }
  private command(command: CommandId): void {
    if (command === "search") return this.search();
    const inList = this.#passes.querySelector("#pass-list:focus") !== null;
    if (inList && (command === "down" || command === "up"))
      return this.send({ kind: "command", command: command === "down" ? "next-pass" : "previous-pass" });
    // In tabs that are only read the arrows scroll.
    if (/^(?:down|up|left|right)$/.test(command) && !["passes", "layout", "why"].includes(this.#tab))
      return this.#panel.scrollBy({ top: command === "down" ? 60 : command === "up" ? -60 : 0 });
    this.send({ kind: "command", command });
  }
  private search(): void {
    const field = h("input", { "aria-label": "text to search for", spellcheck: "false" });
    const go = () => this.send({ kind: "search", text: field.value });
    dialog(this.around.root, "search", h("form", { method: "dialog", class: "field", onsubmit: go }, field, h("button", {}, "find")));
    field.focus();
  }
  /** Goes from one changed pass to the next, until there is none. */
  private play(): void {
    const end = (): void => {
      clearInterval(this.#player);
      this.#player = undefined;
    };
    if (this.#player) end();
    else
      this.#player = setInterval(() => {
        const steps = (this.pictures.passes?.items ?? []).flatMap((item) => (item.kind === "step" && !item.nested ? item : []));
        const rest = steps.slice(steps.findIndex(({ selected }) => selected) + 1);
        if (rest.some(({ changed }) => changed)) return this.send({ kind: "command", command: "next-changed" });
        end();
        this.#play.setAttribute("aria-pressed", "false");
      }, PLAY_EVERY);
    this.#play.setAttribute("aria-pressed", String(this.#player !== undefined));
  }
  private alongTabs(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = [...this.#tabs.querySelectorAll<HTMLElement>("[role=tab]:not([hidden])")];
    const at = all.findIndex((tab) => tab.matches(":focus"));
    if (by === undefined || at < 0) return;
    event.stopPropagation();
    const next = all[(at + by + all.length) % all.length]!;
    next.click();
    next.focus();
  }

  private showStatus(status: Pictures["status"]): void {
    this.#tab = status.tab;
    this.busy(status.busy !== undefined);
    this.say(
      status.busy ? `${status.busy.what} ${status.busy.done}/${status.busy.total}` : (status.message?.text ?? status.headline),
      status.message?.kind === "error",
    );
    if (status.list && status.list.title !== this.#list) {
      this.#list = status.list.title;
      const items = status.list.items.map(({ text, go }) => ({ text, choose: go && (() => this.send({ kind: "go", go })) }));
      listDialog(this.around.root, status.list.title, items, () => {
        this.#list = undefined;
        this.worker.send({ kind: "closed" });
      });
    }
  }
  private showPasses(picture: Pictures["passes"]): void {
    const had = this.#passes.querySelector("#pass-list:focus") !== null;
    const top = this.#passes.querySelector("#pass-list")?.scrollTop ?? 0;
    // In the overview a pass is looked at in its own tab.
    const show = (label: string) =>
      this.send({ kind: "screen", screen: `pass=${label},${focusOf(this.#tab === "overview" ? "passes" : this.#tab)}` });
    this.#passes.replaceChildren(...passList(picture, show));
    const list = this.#passes.querySelector<HTMLElement>("#pass-list")!;
    list.scrollTop = top;
    if (had) list.focus();
    // A whole page does not scroll for it.
    const selected = list.querySelector<HTMLElement>("[aria-selected=true]");
    if (selected && list.scrollHeight > list.clientHeight) {
      const { top: above, bottom: below } = selected.getBoundingClientRect();
      const { top: from, bottom: to } = list.getBoundingClientRect();
      list.scrollTop += above < from ? above - from : below > to ? below - to : 0;
    }
  }
  private markTab(): void {
    const shown = this.#own ?? this.#tab;
    const hidden: Partial<Record<Tab | OwnTab, boolean>> = {
      compare: this.pictures.status?.against === undefined,
      run: this.pictures.status?.runs === false,
    };
    for (const tab of Object.keys(TABS) as (Tab | OwnTab)[]) {
      const button = this.#tabs.querySelector<HTMLElement>(`#tab-${tab}`)!;
      button.hidden = hidden[tab] === true;
      button.setAttribute("aria-selected", String(tab === shown));
      button.setAttribute("tabindex", tab === shown ? "0" : "-1");
    }
    this.#panel.setAttribute("aria-labelledby", `tab-${shown}`);
    this.#panel.dataset["tab"] = shown;
  }
  private showPanel(changed: Partial<Pictures>): void {
    const { diff, layout, code, rows } = this.pictures;
    const tab = this.#tab;
    const isOther = this.#panel.dataset["drawn"] !== tab;
    this.#panel.dataset["drawn"] = tab;
    const go = (to: NonNullable<Pictures["rows"]["rows"][number]["go"]>) => this.send({ kind: "go", go: to });
    if (tab === "code") {
      if (code && (changed.code || isOther))
        this.#panel.replaceChildren(...codePane(code, { go, light: (line) => line > 0 && this.point(line) }));
      if (isOther) this.light(this.#lit, true);
      return;
    }
    const hasDiff = tab === "passes" || tab === "layout" || tab === "why";
    if (isOther)
      this.#panel.replaceChildren(
        ...(hasDiff
          ? [
              h("div", { class: "head" }),
              h("div", { class: "scroll diffbox", tabindex: 0, role: "region", "aria-label": "the pass's difference" }),
            ]
          : []),
        h("div", { class: "below" }),
      );
    if (hasDiff && diff && (changed.diff || isOther)) this.showDiff(diff);
    const below = this.#panel.querySelector(".below")!;
    if (tab === "layout" && layout && (changed.layout || isOther))
      below.replaceChildren(...layoutPane(layout, (order) => this.send(order)));
    else if (tab !== "layout" && tab !== "passes" && rows?.tab === tab && (changed.rows || isOther))
      below.replaceChildren(...(tab === "limits" ? [this.launchField()] : []), rowList(rows, go));
  }
  private point(line: number): void {
    this.light(line, false);
    this.around.light(line);
  }
  private showDiff(diff: Pictures["diff"]): void {
    const [head, box] = [this.#panel.querySelector(".head")!, this.#panel.querySelector<HTMLElement>(".diffbox")!];
    const listeners = {
      row: (row: number, source: number) => {
        this.send({ kind: "row", row });
        if (source > 0 && this.pictures.hints?.linked) this.point(source);
      },
      more: (count: number) => this.send({ kind: "rows", count }),
      mode: (mode: string) => this.send({ kind: "screen", screen: `mode=${mode}` }),
    };
    head.replaceChildren(...diffHead(diff, listeners));
    const key = JSON.stringify([diff.title, diff.rows]);
    const table = box.querySelector<HTMLElement>("table");
    if (table && this.#drawn === key) return markCursor(table, diff.cursor);
    this.#drawn = key;
    const made = diffTable(diff, listeners);
    box.replaceChildren(made);
    markCursor(made, diff.cursor);
    if (this.#lit > 0) for (const row of box.querySelectorAll(`[data-source="${this.#lit}"]`)) row.classList.add("lit");
  }
  /** The launch whose limits are shown, as it is typed. */
  private launchField(): HTMLElement {
    const field = h("input", { value: this.#launch, placeholder: "n=4194304 grid=4096 gpu=h100", spellcheck: "false" });
    field.addEventListener("change", () => {
      this.#launch = field.value;
      this.send({ kind: "limits", launch: field.value });
    });
    return h("label", { class: "field" }, h("span", { class: "name" }, "launch: the kernel's numbers, its grid, a GPU"), field);
  }
  private busy(isBusy: boolean): void {
    this.#stop.hidden = !isBusy;
    this.#status.classList.toggle("busy", isBusy);
  }
  /** How many characters there is room for decides how a difference is shown. */
  private measure(): void {
    const columns = Math.floor(this.#panel.clientWidth / LETTER);
    if (columns > 0) this.worker.send({ kind: "columns", columns });
  }
}
