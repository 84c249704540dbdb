/** The page: an editor beside the views of what it compiles to; every change of the text or a setting compiles again in the worker. */
import type { CommandId } from "../../tui/keymap.js";
import { type PageState, toFragment } from "../link.js";
import type { Input, Pictures } from "../protocol.js";
import { formDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { Editor } from "./editor.js";
import { examples, tours } from "./examples.js";
import { Header } from "./header.js";
import { help } from "./help.js";
import { nameFor } from "./kernel-name.js";
import { coloursOf } from "./panes/code.js";
import { share } from "./share.js";
import { type Opened, opened, readLink, scriptUrl, worker } from "./start.js";
import { TEXTS, TextMode } from "./text-mode.js";
import { TourGuide } from "./tour.js";
import { Views } from "./views.js";

/** Milliseconds of rest after which a change is compiled, and after which the address has it. */
const REST = 20;
const LINK_REST = 400;

class Page {
  readonly #views = new Views(worker, {
    root: document.body,
    light: (line) => this.light(line),
    command: (command) => this.command(command),
  });
  readonly #tour = new TourGuide((screen) => this.#views.send({ kind: "screen", screen }));
  readonly #header = new Header({
    mode: (mode) => this.enter(mode),
    example: (name) => this.openExample(name),
    settings: (asked) => {
      this.#input = { ...this.#input, ...asked, options: { ...this.#input.options, ...asked.options } };
      this.compile();
    },
    form: () => this.openForm(),
    pair: () => this.pair(),
    share: () => void share(this.state(), this.#views.pictures.status, worker),
    help: () => help(document.body),
  });
  readonly #source = h("div", { class: "editor" });
  readonly #problems = h("div", { class: "problems", role: "log", "aria-label": "messages", tabindex: 0 });
  readonly #texts = {
    layout: new TextMode("layout", worker, () => this.linkSoon()),
    cute: new TextMode("cute", worker, () => this.linkSoon()),
  };
  readonly #modes: Readonly<Record<PageState["mode"], HTMLElement>> = {
    compiler: h(
      "main",
      { class: "compiler" },
      h("section", { class: "left", "aria-label": "source" }, this.#tour.element, this.#source, this.#problems),
      this.#views.element,
    ),
    layout: this.#texts.layout.element,
    cute: this.#texts.cute.element,
  };
  readonly #editor: Editor;
  #mode: PageState["mode"] = "compiler";
  #input: Input = { name: "", text: "" };
  /** B of A/B. */
  #against: Input | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #linkTimer: ReturnType<typeof setTimeout> | undefined;
  #link = "";
  /** Why the link could not be read. It stays in view until something else is compiled. */
  #linkError: string | undefined;
  #isKept = false;

  constructor() {
    document.body.append(this.#header.element, ...Object.values(this.#modes));
    this.#editor = new Editor(this.#source, {
      changed: (text) => {
        this.#input = { ...this.#input, text };
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.compile(), REST);
      },
      line: (line) => {
        this.#editor.mark({ lit: 0 });
        this.#views.light(line, true);
      },
      hint: (line) => {
        this.#views.showCode(line);
        this.light(line);
      },
      why: async (word, line) => {
        const asked = word.startsWith("%") ? word : `${this.#input.name}:${line}`;
        const { sections } = await worker.ask({ kind: "why", asked });
        return sections.slice(0, 12);
      },
    });
    document.addEventListener("keydown", (event) => {
      if (this.#mode === "compiler" && !event.composedPath().includes(this.#source)) this.#views.key(event);
    });
    addEventListener("hashchange", () => void this.openLink());
    void opened.then((read) => {
      this.open(read);
      // The compiler may have results already: they need the editor and its text.
      worker.hear({
        pictures: (pictures) => this.show(pictures),
        idle: () => this.keepFiles(),
        ended: (why) => this.#views.forget(`${why}. A change of the text compiles again.`),
        broken: (message) => this.#views.say(`this is a bug in tt-step, please report it with the kernel: ${message}`, true),
      });
      this.report(read);
    });
  }

  /** Keeps the page for use without a network. The browser compiles what it keeps as a whole, which would hold up the first result. */
  private keepFiles(): void {
    if (this.#isKept || !("serviceWorker" in navigator)) return;
    this.#isKept = true;
    void navigator.serviceWorker.register(scriptUrl("service-worker.js")).catch(() => undefined);
  }

  private command(command: CommandId): boolean {
    if (command === "help") help(document.body);
    else if (command === "arguments") this.openForm();
    else return false;
    return true;
  }
  private enter(mode: PageState["mode"]): void {
    this.#mode = mode;
    this.#header.mode = mode;
    for (const [name, area] of Object.entries(this.#modes)) area.hidden = name !== mode;
    document.body.dataset["mode"] = mode;
    if (mode !== "compiler") void this.#texts[mode].draw();
    this.linkSoon();
  }
  private openExample(name: string): void {
    const tour = tours.find(({ title }) => title === name);
    const found = tour?.kernel ?? examples.find((example) => example.name === name);
    if (!found) return;
    this.#against = undefined;
    this.put(found);
    this.#header.example = name;
    this.#tour.begin(tour);
    this.compile(tour?.steps[0]?.state);
  }
  private put(input: Input): void {
    this.#input = input;
    this.#header.example = examples.some(({ name, text }) => name === input.name && text === input.text) ? input.name : "";
    this.#editor.put(input.text, input.name);
  }
  private openForm(): void {
    const form = this.#views.pictures.status?.form;
    if (form) formDialog(document.body, form, (asked) => this.with(asked));
  }
  /** Compiles the text in another way. */
  private with(asked: Partial<Input>): void {
    this.#input = { ...this.#input, ...asked };
    this.compile();
  }
  /** Keeps the kernel and its settings as B, to hold changes against; or lets it go. */
  private pair(): void {
    this.#against = this.#against ? undefined : { ...this.#input, ...this.asked() };
    this.compile();
    if (this.#against)
      this.#views.say(
        "kept as B: change the text, the target, the version of Triton or an option, and ≠ marks the passes that differ; b shows the difference",
      );
  }
  private asked(): Pick<Input, "target" | "triton" | "options"> {
    const { target, triton, options } = this.#views.pictures.status ?? {};
    return { ...(target === undefined ? {} : { target }), ...(triton === undefined ? {} : { triton }), ...(options ? { options } : {}) };
  }
  private compile(open?: string): void {
    clearTimeout(this.#timer);
    this.#linkError = undefined;
    const name = nameFor(this.#input);
    if (name !== this.#input.name) this.put({ ...this.#input, name });
    this.#header.isPair = this.#against !== undefined;
    this.#views.send({ kind: "compile", input: this.#input, against: this.#against, ...(open === undefined ? {} : { open }) });
  }

  private show(pictures: Partial<Pictures>): void {
    this.#views.show(pictures);
    const { hints, code } = this.#views.pictures;
    if (pictures.status) {
      this.showStatus(pictures.status);
      this.sayLinkError();
    }
    const isCode = this.#views.tab === "code" && code !== undefined && hints?.linked === true;
    this.#editor.mark({
      ...(pictures.hints
        ? { hints: new Map(pictures.hints.linked ? pictures.hints.lines.map(({ line, text }) => [line, text]) : []) }
        : {}),
      colours: isCode ? coloursOf(code) : new Map(),
    });
    this.linkSoon();
  }
  private showStatus(status: Pictures["status"]): void {
    this.#header.show(status);
    this.#editor.problems(status.problems);
    this.#problems.replaceChildren(
      ...(status.rendered === "" ? [] : [h("pre", {}, status.rendered)]),
      ...status.choices.map(({ text, ...chosen }) => h("button", { type: "button", class: "row", onclick: () => this.with(chosen) }, text)),
    );
  }
  private light(line: number): void {
    this.#editor.mark({ lit: line });
    this.#editor.show(line);
  }

  private state(): PageState {
    const screen = this.#views.pictures.status?.screen;
    const [layout, cute] = [this.#texts.layout.text, this.#texts.cute.text];
    return {
      mode: this.#mode,
      input: {
        ...this.#input,
        ...([this.#input.target, this.#input.triton, this.#input.options].every((asked) => asked === undefined) ? {} : this.asked()),
      },
      ...(this.#against ? { against: this.#against } : {}),
      ...(screen ? { screen } : {}),
      ...(layout === TEXTS.layout ? {} : { layout }),
      ...(cute === TEXTS.cute ? {} : { cute }),
    };
  }
  private linkSoon(): void {
    clearTimeout(this.#linkTimer);
    this.#linkTimer = setTimeout(async () => {
      this.#link = await toFragment(this.state());
      history.replaceState(null, "", `#${this.#link}`);
    }, LINK_REST);
  }
  private open({ state }: Opened): void {
    this.#texts.layout.text = state.layout || TEXTS.layout;
    this.#texts.cute.text = state.cute || TEXTS.cute;
    this.#against = state.against;
    this.#header.isPair = state.against !== undefined;
    this.#tour.begin(undefined);
    this.put(state.input);
    this.enter(state.mode);
  }
  private report({ error }: Opened): void {
    this.#linkError = error;
    this.sayLinkError();
  }
  private sayLinkError(): void {
    if (this.#linkError !== undefined) this.#views.say(this.#linkError, true);
  }
  private async openLink(): Promise<void> {
    if (location.hash.slice(1) === this.#link) return;
    const read = await readLink();
    this.open(read);
    this.compile(read.state.screen);
    this.report(read);
  }
}

new Page();
