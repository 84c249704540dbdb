/** The page: the editor, the passes, and the tabs; every change of the text or a setting compiles again in the worker. */
import { CAPABILITIES } from "../../gpu/nvidia.js";
import type { CommandId } from "../../tui/keymap.js";
import { fromFragment, type PageState, toFragment } from "../link.js";
import type { Input, Order, Pictures, Tab } from "../protocol.js";
import { CompilerWorker, scriptUrl } from "./compiler-worker.js";
import { dialog, download, formDialog, listDialog, textField } from "./dialogs.js";
import { h } from "./dom.js";
import { Editor } from "./editor.js";
import { Keys, keyHelp } from "./keys.js";
import { codePane, coloursOf } from "./panes/code.js";
import { diffHead, diffTable, markCursor } from "./panes/diff.js";
import { threadMap } from "./panes/map.js";
import { passList } from "./panes/passes.js";
import { answered, rowList } from "./panes/rows.js";
import { type PageTour, TourGuide } from "./tour.js";

declare const EXAMPLES: readonly { readonly name: string; readonly text: string }[];

/** Tours of `tt-step learn`, read by scripts/web.js. */
declare const TOURS: readonly PageTour[];

const FIRST = "seed003_matmul.py";
/** Milliseconds of rest after which a change is compiled. */
const REST = 60;
const TAB_NAMES: Readonly<Record<Tab | "validate" | "run", string>> = {
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
/** The screen of each tab, as `tt-step --open` has it. */
const SCREENS: Readonly<Record<Tab, string>> = {
  overview: "focus=findings",
  passes: "focus=diff",
  layout: "focus=layout",
  code: "codegen=ptx,focus=codegen",
  limits: "codegen=limits,focus=codegen",
  stats: "codegen=stats,focus=codegen",
  why: "codegen=why,focus=codegen",
  flow: "codegen=flow,focus=codegen",
  rewrites: "codegen=rewrites,focus=codegen",
  compare: "codegen=compare,focus=codegen",
};
const LAYOUT_TABS = ["map", "hw", "shared", "pair", "bases"] as const;
const PLAYGROUNDS = {
  layout: "tensor<32x32xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>",
  cute: "make_layout(make_shape(Int<8>{}, Int<4>{}), make_stride(Int<4>{}, Int<1>{}))",
} as const;

class Page {
  readonly #worker: CompilerWorker;
  readonly #editor: Editor;
  readonly #keys = new Keys();
  readonly #tour = new TourGuide((screen) => this.send({ kind: "screen", screen }));
  readonly #own = {
    passes: h("nav", { class: "passes", "aria-label": "passes" }),
    tabs: h("div", { class: "tabs", role: "tablist", "aria-label": "views" }),
    panel: h("div", { class: "panel", role: "tabpanel", id: "panel", tabindex: -1 }),
    problems: h("div", { class: "problems", role: "log", "aria-label": "messages", tabindex: 0 }),
    status: h("div", { class: "status", role: "status" }),
    stop: h("button", { type: "button", hidden: true, onclick: () => this.#worker.stop("stopped") }, "stop"),
    example: h("select", { "aria-label": "example" }),
    target: h("select", { "aria-label": "target" }),
    warps: h("select", { "aria-label": "warps" }),
    stages: h("select", { "aria-label": "stages" }),
    form: h("button", { type: "button", disabled: true, onclick: () => this.openForm() }, "arguments"),
    pair: h("button", { type: "button", "aria-pressed": "false", onclick: () => this.pair() }, "A/B"),
    source: h("div", { class: "editor" }),
  };
  readonly #modes = new Map<PageState["mode"], HTMLElement>();
  #pictures: Partial<Pictures> = {};
  #input: Input = { name: FIRST, text: "" };
  #against: Input | undefined;
  #mode: PageState["mode"] = "compiler";
  #texts: { layout: string; cute: string } = { ...PLAYGROUNDS };
  /** A tab of the page's own is shown in the place of the worker's. */
  #ownTab: "validate" | "run" | undefined;
  #tab: Tab = "overview";
  #list: string | undefined;
  #lit = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #linkTimer: ReturnType<typeof setTimeout> | undefined;
  #link = "";

  constructor() {
    document.body.append(this.header(), this.compilerMode(), this.playground("layout"), this.playground("cute"));
    this.#editor = new Editor(this.#own.source, {
      changed: (text) => {
        this.#input = { ...this.#input, text };
        this.soon();
      },
      line: (line) => this.light(line, false),
      why: async (word, line) => {
        const asked = word.startsWith("%") ? word : `${this.#input.name}:${line}`;
        const { sections } = await this.#worker.ask({ kind: "why", asked });
        return sections.slice(0, 12);
      },
    });
    this.#worker = new CompilerWorker(new URL("worker.js", document.baseURI).href, {
      pictures: (pictures) => this.show(pictures),
      ended: (why) => {
        this.#pictures = {};
        this.busy(false);
        this.measure();
        this.say(`${why}. A change of the text compiles again.`, true);
      },
      broken: (message) => this.say(`this is a bug in tt-step, please report it with the kernel: ${message}`, true),
    });
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => location.hash.slice(1) !== this.#link && this.openLink());
    new ResizeObserver(() => this.measure()).observe(this.#own.panel);
    void this.openLink();
  }

  // The parts of the page.

  private header(): HTMLElement {
    const { example, target, warps, stages, form, pair } = this.#own;
    const group = (label: string, names: readonly string[]) =>
      h("optgroup", { label }, ...names.map((name) => h("option", { value: name }, name)));
    example.append(
      group(
        "kernels",
        EXAMPLES.map(({ name }) => name),
      ),
      group(
        "tours",
        TOURS.map(({ title }) => title),
      ),
    );
    example.append(h("option", { value: "", hidden: true }, "your own"));
    example.addEventListener("change", () => this.openExample(example.value));
    const choice = (select: HTMLSelectElement, values: readonly (string | number)[]): void => {
      for (const value of values) select.append(h("option", { value }, String(value)));
      select.addEventListener("change", () => this.settings());
    };
    choice(
      target,
      CAPABILITIES.map((capability) => `cuda:${capability}`),
    );
    choice(warps, [1, 2, 4, 8, 16, 32]);
    choice(stages, [1, 2, 3, 4, 5, 6]);
    const mode = (name: PageState["mode"], text: string): HTMLElement => {
      const button = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.enter(name) }, text);
      this.#modes.set(name, button);
      return button;
    };
    return h(
      "header",
      {},
      h("h1", {}, "tt-step"),
      h(
        "div",
        { class: "choice", role: "group", "aria-label": "playground" },
        mode("compiler", "compiler"),
        mode("layout", "layouts"),
        mode("cute", "CuTe"),
      ),
      h("label", {}, h("span", { class: "wide" }, "kernel "), example),
      h("label", {}, h("span", { class: "wide" }, "target "), target),
      h("label", {}, "warps ", warps),
      h("label", {}, "stages ", stages),
      form,
      pair,
      h("span", { class: "space" }),
      h("button", { type: "button", onclick: () => void this.share() }, "share"),
      h("button", { type: "button", onclick: () => this.theme(), "aria-label": "light or dark" }, "◐"),
      h("button", { type: "button", onclick: () => this.help(), "aria-label": "keys" }, "?"),
    );
  }
  private compilerMode(): HTMLElement {
    const { passes, tabs, panel, problems, status, stop, source } = this.#own;
    for (const tab of Object.keys(TAB_NAMES) as (keyof typeof TAB_NAMES)[])
      tabs.append(
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${tab}`,
            "aria-controls": "panel",
            "aria-selected": "false",
            tabindex: -1,
            onclick: () => this.choose(tab),
          },
          TAB_NAMES[tab],
        ),
      );
    tabs.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const all = [...tabs.querySelectorAll<HTMLElement>("[role=tab]:not([hidden])")];
      const at = all.indexOf(document.activeElement as HTMLElement);
      if (by === undefined || at < 0) return;
      event.stopPropagation();
      const next = all[(at + by + all.length) % all.length]!;
      next.click();
      next.focus();
    });
    return h(
      "main",
      { id: "mode-compiler", class: "compiler" },
      h("section", { class: "left", "aria-label": "source" }, source, problems),
      h(
        "section",
        { class: "right", "aria-label": "compilation" },
        h("div", { class: "line" }, status, stop),
        tabs,
        h("div", { class: "views" }, passes, panel),
      ),
    );
  }
  /** A text in, drawings out. */
  private playground(mode: "layout" | "cute"): HTMLElement {
    const result = h("div", { class: "result", "aria-live": "polite" });
    const field = h("textarea", { rows: 5, spellcheck: "false", id: `text-${mode}` });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const text = field.value;
      const answer = await this.#worker.ask({ kind: mode, text });
      if (field.value === text) result.replaceChildren(answered(answer));
    };
    field.addEventListener("input", () => {
      this.#texts[mode] = field.value;
      this.linkSoon();
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), REST);
    });
    const title = mode === "layout" ? "a tensor's type with its layout" : "a CuTe layout, or C++ expressions over layouts";
    const shown = h(
      "main",
      { id: `mode-${mode}`, class: "playground", hidden: true },
      h("label", { for: `text-${mode}` }, title),
      field,
      result,
    );
    shown.addEventListener("enter", () => {
      field.value = this.#texts[mode];
      void ask();
    });
    return shown;
  }

  // Input by the reader.

  private key(event: KeyboardEvent): void {
    const within = event
      .composedPath()
      .some((node) => node instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT|DIALOG)$/.test(node.tagName));
    if (within || this.#mode !== "compiler" || event.composedPath().includes(this.#own.source) || document.querySelector("dialog")) return;
    if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return;
    const command = this.#keys.read(event);
    if (command === undefined) return;
    event.preventDefault();
    if (command !== "waiting") this.command(command);
  }
  private command(command: CommandId): void {
    if (command === "help") return this.help();
    if (command === "arguments") return this.openForm();
    const inList = document.activeElement?.id === "pass-list";
    if (inList && (command === "down" || command === "up"))
      return this.send({ kind: "command", command: command === "down" ? "next-pass" : "previous-pass" });
    // In tabs that are only read the arrows scroll.
    if (/^(?:down|up|left|right)$/.test(command) && !["passes", "layout", "why"].includes(this.#tab))
      return this.#own.panel.scrollBy({ top: command === "down" ? 60 : command === "up" ? -60 : 0 });
    this.send({ kind: "command", command });
  }
  private send(order: Order): void {
    this.#ownTab = undefined;
    this.#worker.send(order);
  }
  private choose(tab: Tab | "validate" | "run"): void {
    if (tab !== "validate" && tab !== "run") return this.send({ kind: "screen", screen: SCREENS[tab] });
    this.#ownTab = tab;
    this.markTab();
    void this.execute(tab);
  }
  private async execute(tab: "validate" | "run"): Promise<void> {
    const { panel } = this.#own;
    const text =
      tab === "validate"
        ? "running the kernel after each pass, on the same memory ..."
        : "running the kernel with arguments that are made up ...";
    panel.replaceChildren(h("p", { class: "note" }, text));
    panel.dataset["drawn"] = tab;
    this.busy(true);
    const answer = await this.#worker.ask({ kind: tab });
    this.busy(false);
    if (this.#ownTab === tab) panel.replaceChildren(answered(answer));
  }
  private enter(mode: PageState["mode"]): void {
    this.#mode = mode;
    for (const [name, button] of this.#modes) {
      button.setAttribute("aria-pressed", String(name === mode));
      const area = document.getElementById(`mode-${name}`)!;
      area.hidden = name !== mode;
      if (name === mode) area.dispatchEvent(new Event("enter"));
    }
    document.body.dataset["mode"] = mode;
    this.linkSoon();
  }
  private openExample(name: string): void {
    const tour = TOURS.find(({ title }) => title === name);
    const found = tour?.kernel ?? EXAMPLES.find((example) => example.name === name);
    if (!found) return;
    this.#against = undefined;
    this.put({ name: found.name, text: found.text });
    this.#own.example.value = name;
    this.#tour.begin(tour);
    this.compile();
  }
  private put(input: Input): void {
    this.#input = input;
    this.#own.example.value = EXAMPLES.some(({ name, text }) => name === input.name && text === input.text) ? input.name : "";
    this.#editor.put(input.text, input.name);
  }
  private settings(): void {
    const { target, warps, stages } = this.#own;
    this.#input = {
      ...this.#input,
      target: target.value,
      options: { ...this.#input.options, numWarps: Number(warps.value), numStages: Number(stages.value) },
    };
    this.compile();
  }
  private openForm(): void {
    const form = this.#pictures.status?.form;
    if (!form) return;
    formDialog(form, (asked) => {
      this.#input = { ...this.#input, ...asked };
      this.compile();
    });
  }
  /** Keeps the kernel and its settings as B, to hold changes against; or lets it go. */
  private pair(): void {
    this.#against = this.#against ? undefined : { ...this.#input, ...this.asked() };
    this.#own.pair.setAttribute("aria-pressed", String(this.#against !== undefined));
    this.compile();
    if (this.#against)
      this.say("kept as B: change the text, the target or an option, and ≠ marks the passes that differ; b shows the difference");
  }
  private asked(): Pick<Input, "target" | "options"> {
    const { target, options } = this.#pictures.status ?? {};
    return { ...(target === undefined ? {} : { target }), ...(options ? { options } : {}) };
  }
  private soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.compile(), REST);
  }
  private compile(open?: string): void {
    clearTimeout(this.#timer);
    // The name says which language it is: a text of another language was pasted.
    const name = nameFor(this.#input);
    if (name !== this.#input.name) this.put({ name, text: this.#input.text });
    this.#ownTab = undefined;
    this.#worker.send({ kind: "compile", input: this.#input, against: this.#against, ...(open === undefined ? {} : { open }) });
  }
  private light(line: number, show: boolean): void {
    this.#lit = line;
    this.#editor.mark({ lit: show ? line : 0 });
    if (show) this.#editor.show(line);
    for (const lit of this.#own.panel.querySelectorAll(".lit[data-source]")) lit.classList.remove("lit");
    for (const row of this.#own.panel.querySelectorAll(`[data-source="${line}"]`)) row.classList.add("lit");
    if (!show)
      this.#own.panel
        .querySelectorAll(`[data-source="${line}"]`)
        .forEach(
          (row, i, all) =>
            (i === 0 || row.closest("section") !== all[i - 1]!.closest("section")) && row.scrollIntoView({ block: "nearest" }),
        );
  }

  // Pictures by the worker.

  private show(pictures: Partial<Pictures>): void {
    this.#pictures = { ...this.#pictures, ...pictures };
    const { status, hints, code } = this.#pictures;
    if (pictures.status && status) this.showStatus(status);
    if (pictures.passes) this.showPasses(pictures.passes);
    if (pictures.hints && hints)
      this.#editor.mark({ hints: new Map(hints.linked ? hints.lines.map(({ line, text }) => [line, text]) : []) });
    if (this.#ownTab) return;
    this.markTab();
    this.showPanel(pictures);
    const isCode = this.#tab === "code" && code !== undefined && hints?.linked === true;
    this.#editor.mark({ colours: isCode ? coloursOf(code) : new Map() });
    this.linkSoon();
  }
  private showStatus(status: Pictures["status"]): void {
    const { target, warps, stages, form, pair, problems } = this.#own;
    this.#tab = status.tab;
    this.busy(status.busy !== undefined);
    this.say(
      status.busy ? `${status.busy.what} ${status.busy.done}/${status.busy.total}` : (status.message?.text ?? status.headline),
      status.message?.kind === "error",
    );
    if (status.target !== undefined) target.value = status.target;
    if (status.options) [warps.value, stages.value] = [String(status.options.numWarps), String(status.options.numStages)];
    form.disabled = status.form === undefined;
    pair.setAttribute("aria-pressed", String(this.#against !== undefined));
    this.#editor.problems(status.problems);
    problems.replaceChildren(
      ...(status.rendered === "" ? [] : [h("pre", {}, status.rendered)]),
      ...status.choices.map(({ text, ...chosen }) =>
        h(
          "button",
          {
            type: "button",
            class: "row",
            onclick: () => {
              this.#input = { ...this.#input, ...chosen };
              this.compile();
            },
          },
          text,
        ),
      ),
    );
    if (status.list && status.list.title !== this.#list) {
      this.#list = status.list.title;
      const items = status.list.items.map(({ text, go }) => ({ text, choose: go && (() => this.send({ kind: "go", go })) }));
      listDialog(status.list.title, items, () => {
        this.#list = undefined;
        this.#worker.send({ kind: "closed" });
      });
    }
  }
  private showPasses(picture: Pictures["passes"]): void {
    const { passes } = this.#own;
    const had = document.activeElement?.id === "pass-list";
    const top = passes.querySelector(".passes > div")?.scrollTop ?? 0;
    passes.replaceChildren(
      ...passList(picture, (label) =>
        this.send({ kind: "screen", screen: `pass=${label},focus=${this.#tab === "overview" ? "diff" : focusOf(this.#tab)}` }),
      ),
    );
    const list = passes.querySelector<HTMLElement>("#pass-list")!;
    list.scrollTop = top;
    if (had) list.focus();
    passes.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }
  private markTab(): void {
    const shown = this.#ownTab ?? this.#tab;
    const compare = document.getElementById("tab-compare")!;
    compare.hidden = this.#pictures.status?.against === undefined;
    for (const button of this.#own.tabs.children) {
      const isShown = button.id === `tab-${shown}`;
      button.setAttribute("aria-selected", String(isShown));
      button.setAttribute("tabindex", isShown ? "0" : "-1");
    }
    this.#own.panel.setAttribute("aria-labelledby", `tab-${shown}`);
    this.#own.panel.dataset["tab"] = shown;
  }
  private showPanel(changed: Partial<Pictures>): void {
    const { panel } = this.#own;
    const { diff, layout, code, rows } = this.#pictures;
    const go = (to: NonNullable<Pictures["rows"]["rows"][number]["go"]>) => this.send({ kind: "go", go: to });
    const isOther = panel.dataset["drawn"] !== this.#tab;
    panel.dataset["drawn"] = this.#tab;
    if (this.#tab === "code") {
      if (code && (changed.code || isOther))
        panel.replaceChildren(...codePane(code, { go, light: (line) => line > 0 && this.light(line, true) }));
      return;
    }
    const hasDiff = this.#tab === "passes" || this.#tab === "layout" || this.#tab === "why";
    if (isOther)
      panel.replaceChildren(
        ...(hasDiff
          ? [
              h("div", { class: "head" }),
              h("div", { class: "scroll diffbox", tabindex: 0, role: "region", "aria-label": "the pass's difference" }),
            ]
          : []),
        h("div", { class: "below" }),
      );
    if (hasDiff && diff && (changed.diff || isOther)) this.showDiff(diff);
    const below = panel.querySelector(".below")!;
    if (this.#tab === "layout" && layout && (changed.layout || isOther)) below.replaceChildren(...this.layoutPane(layout));
    else if (this.#tab !== "layout" && this.#tab !== "passes" && rows?.tab === this.#tab && (changed.rows || isOther))
      below.replaceChildren(...(this.#tab === "limits" ? [this.launchField()] : []), rowList(rows, go));
  }
  private showDiff(diff: Pictures["diff"]): void {
    const [head, box] = [this.#own.panel.querySelector(".head")!, this.#own.panel.querySelector<HTMLElement>(".diffbox")!];
    const listeners = {
      row: (row: number, source: number) => {
        this.send({ kind: "row", row });
        if (source > 0 && this.#pictures.hints?.linked) this.light(source, true);
      },
      more: (count: number) => this.send({ kind: "rows", count }),
      mode: (mode: string) => this.send({ kind: "screen", screen: `mode=${mode}` }),
    };
    head.replaceChildren(...diffHead(diff, listeners));
    const key = JSON.stringify([diff.title, diff.rows]);
    const table = box.querySelector<HTMLElement>("table");
    if (table && this.#drawnDiff === key) return markCursor(table, diff.cursor);
    this.#drawnDiff = key;
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
  #launch = "";
  #drawnDiff = "";
  private layoutPane(layout: Pictures["layout"]): readonly HTMLElement[] {
    if (layout.kind === "none")
      return [h("p", { class: "note" }, `${layout.reason}. A click on a line of a TTGIR pass shows the layout of its value.`)];
    const { name, type, encoding, tab, map, rows } = layout;
    const button = (text: string, pressed: boolean, onclick: () => void) =>
      h("button", { type: "button", "aria-pressed": String(pressed), onclick }, text);
    return [
      h(
        "div",
        { class: "line" },
        h("h2", {}, name),
        h(
          "span",
          { class: "choice", role: "group", "aria-label": "view of the layout" },
          ...LAYOUT_TABS.map((view) =>
            button(view, view === tab, () => this.send({ kind: "screen", screen: `layout=${view},focus=layout` })),
          ),
        ),
        map ? button(`colour by ${map.colour}`, false, () => this.send({ kind: "command", command: "colour" })) : h("span"),
      ),
      h("p", { class: "note" }, `${type}`),
      h("p", { class: "note" }, encoding),
      map
        ? threadMap(map, { element: (element, thread) => this.send({ kind: "element", element, thread }) })
        : rowList({ tab: "layout", rows: rows.map((spans) => ({ spans, go: undefined })) }, () => undefined),
    ];
  }
  private busy(isBusy: boolean): void {
    this.#own.stop.hidden = !isBusy;
    this.#own.status.classList.toggle("busy", isBusy);
  }
  private say(text: string, isError = false): void {
    this.#own.status.textContent = text;
    this.#own.status.classList.toggle("failed", isError);
  }
  /** How many characters there is room for decides how a difference is shown. */
  private measure(): void {
    const columns = Math.floor(this.#own.panel.clientWidth / 8);
    if (columns > 0) this.#worker.send({ kind: "columns", columns });
  }

  // Links, exports, help.

  private state(): PageState {
    const screen = this.#pictures.status?.screen;
    return {
      mode: this.#mode,
      input: { ...this.#input, ...(this.#input.target === undefined && this.#input.options === undefined ? {} : this.asked()) },
      ...(this.#against ? { against: this.#against } : {}),
      ...(screen ? { screen } : {}),
      ...(this.#texts.layout === PLAYGROUNDS.layout ? {} : { layout: this.#texts.layout }),
      ...(this.#texts.cute === PLAYGROUNDS.cute ? {} : { cute: this.#texts.cute }),
    };
  }
  private linkSoon(): void {
    clearTimeout(this.#linkTimer);
    this.#linkTimer = setTimeout(async () => {
      this.#link = await toFragment(this.state());
      history.replaceState(null, "", `#${this.#link}`);
    }, 400);
  }
  private async openLink(): Promise<void> {
    const fragment = location.hash.slice(1);
    const state = fragment === "" ? undefined : await fromFragment(fragment);
    if (state && !("error" in state)) {
      this.#against = state.against;
      this.#texts = { layout: state.layout ?? PLAYGROUNDS.layout, cute: state.cute ?? PLAYGROUNDS.cute };
      this.put(state.input);
      this.compile(state.screen);
      return this.enter(state.mode);
    }
    this.openExample(FIRST);
    this.enter("compiler");
    if (state) this.say(state.error, true);
  }
  private async share(): Promise<void> {
    const link = new URL(`#${await toFragment(this.state())}`, document.baseURI).href;
    const base = this.#input.name.replace(/\.\w+$/, "");
    const save = (text: string, run: () => void | Promise<void>) => h("button", { type: "button", onclick: () => void run() }, text);
    dialog(
      "share",
      textField("link", link),
      h("p", { class: "note" }, `${link.length} characters; the kernel is in the link itself, and no server sees it`),
      textField("in a terminal", this.#pictures.status?.command ?? ""),
      h(
        "div",
        { class: "line" },
        save("source", () => download(this.#input.name, "text/plain", this.#editor.text)),
        save("page", () => this.file(`${base}.html`, "text/html", "page")),
        save("compilation as JSON", () => this.file(`${base}.json`, "application/json", "json")),
        save("drawing as SVG", () => {
          const drawing = document.querySelector("svg.map");
          if (drawing) download(`${base}.svg`, "image/svg+xml", drawingText(drawing));
          else this.say("no drawing is shown: the layouts tab has one");
        }),
      ),
    );
  }
  private async file(name: string, type: string, kind: "page" | "json"): Promise<void> {
    const { text = "" } = await this.#worker.ask({ kind });
    download(name, type, text);
  }
  private theme(): void {
    const dark =
      getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark" ||
      matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset["theme"] ?? (dark ? "dark" : "light");
    document.documentElement.dataset["theme"] = now === "dark" ? "light" : "dark";
  }
  private help(): void {
    const rows = keyHelp().map(([keys, title]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, title)));
    dialog(
      "tt-step playground",
      h(
        "p",
        {},
        "The left side is a Triton kernel. The right side shows what each pass of the compiler makes of it. Nothing leaves this page: the compiler runs in your browser.",
      ),
      h(
        "p",
        {},
        "In the editor: point at a value for the reason of its layout and width, F12 or ctrl+click goes to a definition, Escape and Tab leave it.",
      ),
      h("table", { class: "keys" }, h("tbody", {}, ...rows)),
    );
  }
}

const focusOf = (tab: Tab): string => (tab === "layout" ? "layout" : tab === "passes" ? "diff" : "codegen");
/** The name with the ending of the language that the text is in. */
function nameFor({ name, text }: Input): string {
  const isIr =
    /^\s*(?:module\b|tt\.func|"builtin\.module"|#\w+ = |#loc|\/\/ -----\/\/)/m.test(text) &&
    !/^\s*(?:import|from|def|@triton)\b/m.test(text);
  const isPython = /^\s*(?:import triton|from triton|@triton\.jit|@jit)/m.test(text);
  if (isIr && name.endsWith(".py")) return "kernel.ttir";
  return isPython && !name.endsWith(".py") ? "kernel.py" : name;
}
/** A drawing with its colours in it. */
function drawingText(drawing: Element): string {
  const copy = drawing.cloneNode(true) as Element;
  const style = getComputedStyle(document.documentElement);
  for (const shape of copy.querySelectorAll("[fill]"))
    shape.setAttribute(
      "fill",
      shape.getAttribute("fill")!.replace(/var\((--\w+)\)/, (_, name: string) => style.getPropertyValue(name)),
    );
  copy.setAttribute("font-family", "monospace");
  copy.setAttribute("font-size", "12");
  return new XMLSerializer().serializeToString(copy);
}

new Page();
if ("serviceWorker" in navigator) void navigator.serviceWorker.register(scriptUrl("service-worker.js")).catch(() => undefined);
