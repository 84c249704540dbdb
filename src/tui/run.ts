/**
 * The program around the pure core: it owns the terminal, reads keys through React and Ink, runs compilations in slices so that
 * keys are answered meanwhile, and does what the reducer asks for. The first frame is painted before Ink is loaded.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { defaultOptions } from "../compile/options.js";
import type { PipelineStep, Stage } from "../compile/pipelines/cuda.js";
import { locationsOf } from "../compile/provenance.js";
import { LineTable, type Trace } from "../compile/trace.js";
import type { Operation } from "../ir/operation.js";
import { Bug } from "../support/assert.js";
import type { Store } from "./app.js";
import { type Work, wantedWork } from "./background.js";
import { divisibilityOf, parse, passesOf, positionOf, type Run, start } from "./compiler.js";
import { Painter } from "./draw/painter.js";
import { THEMES, type Theme } from "./draw/theme.js";
import { editText } from "./editor.js";
import { exportText } from "./export/export.js";
import { frame } from "./frame.js";
import { findKernels } from "./kernels.js";
import { type Action, initialState, reduce, reduceText } from "./state/reducer.js";
import type { Computed, Effect, Input, Session, Settings, Size, State, View, WhatIf } from "./state/state.js";
import { initialView, NOTHING_COMPUTED } from "./state/state.js";
import { selectedStep } from "./state/steps.js";
import { Terminal } from "./terminal.js";

/** What is opened. */
export type Opened =
  | { readonly kind: "imported"; readonly trace: Trace }
  | {
      readonly kind: "module";
      readonly module: Operation;
      readonly text: string;
      readonly from: Stage;
      readonly whatIf: Omit<WhatIf, "divisibility">;
    }
  /** Something is to be chosen first: which kernel of a file, say. */
  | {
      readonly kind: "choices";
      readonly title: string;
      readonly choices: readonly { readonly text: string; readonly open: () => Opened }[];
    }
  /** Text for the user, and the code to end with. */
  | { readonly kind: "error"; readonly text: string; readonly code: number };

type Menu = Extract<Opened, { kind: "choices" }>;

export interface TuiRequest {
  readonly name: string;
  /** Reads the input. May take long: the first frame is shown before. */
  readonly open: () => Opened;
  /** Another input or other options to hold against, with its name. */
  readonly against?: () => { readonly name: string; readonly trace: Trace } | { readonly error: string };
  readonly theme: Theme["name"];
  readonly mouse: boolean;
  readonly trueColour: boolean;
  readonly settings: Settings;
  readonly view?: Partial<View>;
  /** Loads the chunk with React and Ink. */
  readonly loadApp: () => Promise<typeof import("./app.js")>;
  readonly clock: () => number;
}

/** Milliseconds of compiling between two looks at the keyboard. */
const SLICE = 10;

/** Runs the UI until the user leaves it; answers the exit code. */
export function runTui(request: TuiRequest): Promise<number> {
  return new Promise((resolve) => new Program(request, resolve).start());
}

const EMPTY: Trace = {
  source: { name: "", kind: "" },
  target: undefined,
  options: {},
  steps: [],
  diagnostics: [],
  lines: new LineTable(),
  locations: { files: [], places: new Int32Array(0) },
  warnings: [],
  artifacts: {},
};

/** The state in which a Trace opens, for drawings of it. */
export function openedState(name: string, trace: Trace, size: Size): State {
  const session = withSources({ ...emptySession(name), trace, kernels: findKernels(trace) });
  const state = initialState(session, size, { keys: {}, ascii: false, command: [] });
  return reduce(state, { type: "session", session, select: firstStep(session) });
}
function emptySession(name: string): Session {
  return {
    name,
    trace: { ...EMPTY, source: { name, kind: "" } },
    generation: 0,
    input: undefined,
    kernels: [],
    kernel: 0,
    menu: undefined,
    computed: NOTHING_COMPUTED,
    progress: undefined,
    pending: [],
    settings: undefined,
    baseline: undefined,
    against: undefined,
    sources: [],
    failure: undefined,
  };
}

class Program {
  readonly #terminal: Terminal;
  readonly #painter: Painter;
  readonly #listeners = new Set<() => void>();
  #state: State;
  #revision = 0;
  #suspended = false;
  #ended = false;
  #stopApp: (() => void) | undefined;
  /** The compilation under way; another one replaces it. */
  #run: Run | undefined;
  #generation = 0;
  /** The first difference to the other input is shown as soon as it is known. */
  #awaitsDifference = false;
  #choices: Menu["choices"] = [];
  /** What is computed between key presses. */
  #work: { readonly key: string; readonly steps: ReturnType<Work["steps"]> } | undefined;
  #result = 0;

  constructor(
    readonly request: TuiRequest,
    readonly resolve: (code: number) => void,
  ) {
    this.#terminal = new Terminal(process.stdout, request.mouse);
    this.#painter = new Painter({ ...THEMES[request.theme], trueColour: request.trueColour });
    const session: Session = { ...emptySession(request.name), computed: COMPUTED_LATER };
    const view = { ...initialView(), ...request.view };
    this.#state = reduce(initialState(session, this.#terminal.size, request.settings, view), {
      type: "message",
      text: `reading ${request.name} ...`,
      kind: "info",
    });
  }

  start(): void {
    process.on("exit", this.#onExit);
    process.on("uncaughtException", this.#onError);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    process.on("SIGCONT", this.#onContinue);
    process.stdout.on("resize", this.#onResize);
    process.stdout.on("error", () => this.end(0));
    for (const gone of ["end", "close"]) process.stdin.on(gone, () => this.#suspended || this.end(0));
    // Keys pressed before Ink listens must not be echoed.
    process.stdin.setRawMode(true);
    this.#terminal.enter();
    this.paint();
    setImmediate(() => void this.begin());
  }

  private async begin(): Promise<void> {
    try {
      const { startApp } = await this.request.loadApp();
      if (this.#ended) return;
      this.#stopApp = await startApp(this.#store, process.stdin, this.#terminal.size);
      setImmediate(() => this.guarded(() => this.open()));
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  readonly #store: Store = {
    subscribe: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    revision: () => this.#revision,
    suspended: () => this.#suspended,
    input: (text) => this.guarded(() => this.typed(text)),
    paint: () => this.guarded(() => this.paint()),
  };

  private typed(text: string): void {
    this.take(reduceText(this.#state, text));
  }
  private dispatch(action: Action): void {
    this.take(reduce(this.#state, action));
  }
  /** A new state: shown, and what it asks for done. */
  private take(state: State): void {
    if (state === this.#state) return;
    const { effects } = state;
    this.#state = effects.length > 0 ? { ...state, effects: [] } : state;
    this.changed();
    for (const effect of effects) this.perform(effect);
    this.work();
  }
  /** Begins what the screen lacks, or goes on with it. */
  private work(): void {
    const wanted = this.#run || this.#ended ? undefined : wantedWork(this.#state, this.request.clock);
    if (wanted?.key === this.#work?.key) return;
    this.#work = wanted && { key: wanted.key, steps: wanted.steps() };
    if (wanted) setImmediate(() => this.guarded(() => this.workSlice(wanted.key)));
  }
  private workSlice(key: string): void {
    const work = this.#work;
    if (work?.key !== key || this.#ended) return;
    const until = this.request.clock() + SLICE;
    for (;;) {
      const next = work.steps.next();
      if (next.done) {
        this.#work = undefined;
        this.dispatch({ type: "computed", computed: next.value(this.#state.session.computed) });
        if (this.#awaitsDifference && this.#state.session.computed.differing.size > 0) {
          this.#awaitsDifference = false;
          this.dispatch({ type: "command", command: "first-difference" });
        }
        return;
      }
      if (this.request.clock() >= until) break;
    }
    setImmediate(() => this.guarded(() => this.workSlice(key)));
  }
  private changed(): void {
    this.#revision++;
    if (this.#listeners.size === 0) this.paint();
    else for (const listener of this.#listeners) listener();
  }
  private paint(): void {
    if (this.#ended || this.#suspended) return;
    this.#terminal.frame(this.#painter.paint(frame(this.#state)));
  }
  private say(text: string, kind: "info" | "error" = "info"): void {
    this.dispatch({ type: "message", text, kind });
  }

  // --- input ---------------------------------------------------------------------------------

  private open(opened = this.request.open()): void {
    if (opened.kind === "choices") return this.offer(opened);
    if (opened.kind === "error") return this.end(opened.code, opened.text);
    if (opened.kind === "imported") {
      const session = withSources({ ...this.#state.session, trace: opened.trace, kernels: findKernels(opened.trace) });
      this.dispatch({ type: "session", session, select: firstStep(session) });
      this.say(opened.trace.warnings[0] ?? "");
      return this.openAgainst();
    }
    const { module, text, from } = opened;
    const whatIf: WhatIf = { ...opened.whatIf, divisibility: divisibilityOf(module) };
    this.compile({ name: this.request.name, text, from }, module, whatIf, undefined);
  }
  private offer({ title, choices }: Menu): void {
    this.#choices = choices;
    const menu = { title, items: choices.map((c) => c.text), chosen: undefined };
    this.dispatch({ type: "session", session: { ...this.#state.session, menu } });
    this.say("");
    this.dispatch({ type: "command", command: "kernels" });
  }
  private choose(choice: number): void {
    const opened = this.#choices[choice]!.open();
    const { session } = this.#state;
    const isFirst = session.trace.steps.length === 0;
    if (opened.kind === "choices") return this.offer(opened);
    if (opened.kind === "error" && !isFirst) return this.say(opened.text.split("\n")[0]!, "error");
    const chosen = session.menu && { ...session.menu, chosen: choice };
    const next: Session = { ...session, menu: chosen, baseline: undefined, settings: undefined, generation: ++this.#generation };
    this.dispatch({ type: isFirst ? "session" : "begin", session: next });
    this.open(opened);
  }
  private openAgainst(): void {
    const { against } = this.request;
    if (!against) return;
    setImmediate(() =>
      this.guarded(() => {
        const other = against();
        if ("error" in other) return this.say(other.error, "error");
        const session: Session = { ...this.#state.session, against: other };
        this.#awaitsDifference = true;
        this.say(`comparing with ${other.name} ...`);
        this.dispatch({ type: "session", session: { ...session, computed: { ...session.computed, differing: new Map() } } });
      }),
    );
  }

  // --- compiling -----------------------------------------------------------------------------

  private compile(input: Input, module: Operation, whatIf: WhatIf, baseline: Session["baseline"]): void {
    const run = start(input, module, whatIf, this.request.clock);
    this.#run = run;
    const began = this.request.clock();
    const passes = passesOf(input, whatIf);
    const selected = selectedStep(this.#state);
    const wanted = selected && { flag: selected.flag, run: selected.run };
    const first = this.#state.session;
    const generation = baseline ? ++this.#generation : first.generation;
    const slice = () => {
      if (this.#ended || this.#run !== run) return;
      if (this.#state.session.generation !== generation) {
        // It was undone.
        this.#run = undefined;
        return this.work();
      }
      const until = this.request.clock() + SLICE;
      for (;;) {
        const next = run.next();
        if (next.done) {
          this.#run = undefined;
          const { trace, ok, failed } = next.value;
          const failure = ok
            ? undefined
            : `${failed?.reason === "verify" ? "the result of" : ""} ${failed?.flag} ${failed?.reason === "verify" ? "does not verify: a bug in tt-step" : "failed"}`.trim();
          const session = withSources({
            ...this.#state.session,
            trace,
            settings: whatIf,
            baseline,
            progress: undefined,
            pending: [],
            failure,
            kernels: findKernels(trace),
            sources: [],
          });
          this.#result = ok ? 0 : failed?.reason === "verify" ? 3 : 2;
          return this.done(session, wanted);
        }
        if (this.request.clock() < until) continue;
        const { done, total, trace, next: pass } = next.value;
        const progress = { done, total, what: pass.flag, ms: this.request.clock() - began };
        const shown = trace();
        this.dispatch({
          type: "session",
          session: { ...this.#state.session, trace: shown, settings: whatIf, progress, pending: remaining(passes, shown) },
        });
        break;
      }
      setImmediate(() => this.guarded(slice));
    };
    const progress = { done: 0, total: passes.length, what: "", ms: 0 };
    const session: Session = { ...first, generation, input, progress, computed: COMPUTED_LATER };
    this.dispatch(baseline ? { type: "begin", session } : { type: "session", session });
    setImmediate(() => this.guarded(slice));
  }
  private done(session: Session, wanted: { readonly flag: string; readonly run: number } | undefined): void {
    const again = wanted && session.trace.steps.find((s) => s.flag === wanted.flag && s.run === wanted.run);
    const moved = this.#state.view.passes.selected !== 0 || session.baseline !== undefined;
    this.dispatch({
      type: "session",
      session,
      select: again && moved ? again.index : moved ? this.#state.view.passes.selected : firstStep(session),
    });
    if (session.baseline) {
      this.say("≠ marks passes whose result differs from the baseline; b holds against it, o and r bring it back");
    } else if (this.#state.message?.text.startsWith("reading")) this.say("");
    if (!session.baseline) this.openAgainst();
  }

  private recompile(whatIf: WhatIf): void {
    const { input } = this.#state.session;
    if (!input) return this.say("this is a dump: there is nothing to rerun", "error");
    // A pass that is switched off is named by its place among those that ran.
    const { settings, trace, baseline } = this.#state.session;
    const added = settings ? whatIf.disabled.filter((p) => !settings.disabled.includes(p)) : [];
    const disabled = settings
      ? [...settings.disabled.filter((p) => whatIf.disabled.includes(p)), ...added.flatMap((n) => positionOf(input, settings, n) ?? [])]
      : whatIf.disabled;
    const parsed = parse(input.name, input.text);
    if ("error" in parsed) return this.say(parsed.error.split("\n")[0]!, "error");
    this.compile(input, parsed.module, { ...whatIf, disabled }, baseline ?? { trace, settings });
  }

  // --- effects -------------------------------------------------------------------------------

  private perform(effect: Effect): void {
    switch (effect.kind) {
      case "quit":
        return this.end(this.#result);
      case "suspend":
        return this.suspend();
      case "copy":
        return this.#terminal.copy(effect.text);
      case "compile":
        return this.recompile(effect.whatIf);
      case "edit":
        return this.edit(effect.step);
      case "edit-source":
        return this.editSource(effect.file, effect.line);
      case "export":
        return this.export(effect.path);
      case "open":
        return this.choose(effect.choice);
      case "run":
        this.#painter.forget();
        return this.changed();
    }
  }

  private suspend(): void {
    this.handOver();
    process.kill(process.pid, "SIGSTOP");
  }
  readonly #onContinue = (): void => {
    if (this.#suspended) this.guarded(() => this.takeBack());
  };
  /** Gives the terminal away; the keyboard is not read meanwhile. */
  private handOver(): void {
    this.#suspended = true;
    process.stdin.setRawMode(false);
    this.#terminal.leave();
  }
  private takeBack(): void {
    this.#suspended = false;
    process.stdin.setRawMode(true);
    this.#terminal.enter();
    this.#painter.forget();
    this.dispatch({ type: "resize", size: this.#terminal.size });
    this.changed();
  }

  /** Edits the IR after a step and runs the rest; a text with errors is kept, and opened again at the error. */
  private edit(index: number): void {
    const { trace } = this.#state.session;
    const step = trace.steps[index];
    if (!step) return;
    if (step.stage === "ptx" || step.flag === "ptx")
      return this.say("machine code has no passes behind it; edit the IR of a pass", "error");
    const kept = this.#edited?.step === step ? this.#edited : undefined;
    const text = kept?.text ?? trace.lines.textOf(step.text);
    this.handOver();
    const edited = editText(
      kept?.path ?? join(tmpdir(), `tt-step-${process.pid}-${++this.#edits}-${step.flag.replace(/\W+/g, "-")}.mlir`),
      text,
      kept?.line,
    );
    this.takeBack();
    if ("error" in edited) return this.say(edited.error, "error");
    if (edited.text === trace.lines.textOf(step.text)) return this.say("nothing was changed");
    const parsed = parse(edited.path, edited.text);
    if ("error" in parsed) {
      this.#edited = { step, path: edited.path, text: edited.text, line: parsed.line };
      return this.say(`kept in ${edited.path}, e opens it again: ${parsed.error.split("\n")[0]!.replace(`${edited.path}:`, "")}`, "error");
    }
    this.#edited = undefined;
    const { settings, baseline } = this.#state.session;
    const whatIf: WhatIf = settings ?? { ...defaultWhatIf(trace), divisibility: [] };
    const input: Input = {
      name: `${this.request.name} edited after ${step.flag}`,
      text: edited.text,
      from: "ttir",
      startAfter: this.positionAfter(step.index, whatIf),
    };
    this.compile(input, parsed.module, { ...whatIf, disabled: [] }, baseline ?? { trace, settings });
  }
  /** Each edit has a file of its own: what an editor that failed has left is not written over. */
  #edits = 0;
  #edited: { readonly step: object; readonly path: string; readonly text: string; readonly line: number } | undefined;
  /** The position in our whole pipeline behind a step: by count for our own Trace, by name for a dump's. */
  private positionAfter(index: number, whatIf: WhatIf): number {
    const { trace, settings, input } = this.#state.session;
    const whole = passesOf({ from: "ttir" }, { ...whatIf, disabled: [] });
    const top = trace.steps.slice(0, index + 1).filter((s) => s.parent === undefined && s.kind === "pass");
    if (settings && input)
      return input.from === "ttir" ? (input.startAfter ?? 0) + top.length : whole.length - passesOf(input, settings).length + top.length;
    // Passes of the dump in their order, as far as ours has them.
    let at = 0;
    for (const step of top) {
      const found = whole.findIndex((p, i) => i >= at && p.flag === step.flag);
      if (found >= 0) at = found + 1;
    }
    return at;
  }

  private editSource(file: string, line: number): void {
    this.handOver();
    const edited = editText(file, undefined, line);
    this.takeBack();
    if ("error" in edited) return this.say(edited.error, "error");
    const { session } = this.#state;
    const changed = session.sources.find((s) => s.found === file)?.lines.join("\n") !== Buffer.from(edited.text, "latin1").toString("utf8");
    if (changed && resolve(file) === resolve(this.request.name)) this.reopen();
    else this.dispatch({ type: "session", session: withSources({ ...session, sources: [] }) });
  }
  /** The input was edited: it is compiled again, and held against what it was. */
  private reopen(): void {
    const { menu, baseline, trace, settings } = this.#state.session;
    const opened = menu?.chosen === undefined ? this.request.open() : this.#choices[menu.chosen]!.open();
    if (opened.kind === "error") return this.say(opened.text.split("\n")[0]!, "error");
    if (opened.kind !== "module") return this.open(opened);
    const { module, text, from } = opened;
    const whatIf: WhatIf = { ...(settings ?? opened.whatIf), disabled: [], divisibility: divisibilityOf(module) };
    this.compile({ name: this.request.name, text, from }, module, whatIf, baseline ?? { trace, settings });
  }

  private export(path: string): void {
    const made = exportText(path, this.#state, THEMES[this.request.theme === "none" ? "light" : this.request.theme]);
    if ("error" in made) return this.say(made.error, "error");
    try {
      writeAtomically(path, made.text);
      this.say(`wrote ${path}`);
    } catch (error) {
      this.say(`cannot write ${path}: ${(error as Error).message}`, "error");
    }
  }

  // --- ends ----------------------------------------------------------------------------------

  readonly #onResize = (): void =>
    this.guarded(() => {
      this.#painter.forget();
      this.dispatch({ type: "resize", size: this.#terminal.size });
      this.changed();
    });
  readonly #onExit = (): void => {
    this.#terminal.leave();
    if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false);
  };
  readonly #onSignal = (signal: NodeJS.Signals): void => this.end(128 + (signal === "SIGHUP" ? 1 : signal === "SIGINT" ? 2 : 15));
  readonly #onError = (error: Error): void => {
    const what = error instanceof Bug ? error.message : `${error.name}: ${error.message}`;
    const stack = process.env["TT_STEP_STACK"] ? `${error.stack}\n` : "";
    this.end(3, `internal error: ${what}\nThis is a bug in tt-step. Please report it with the input and the command line.\n${stack}`);
  };
  /** Whatever goes wrong in here, the terminal is given back first. */
  private guarded(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  private end(code: number, text = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#run = undefined;
    this.#stopApp?.();
    process.off("exit", this.#onExit);
    process.off("uncaughtException", this.#onError);
    process.off("SIGCONT", this.#onContinue);
    process.stdout.off("resize", this.#onResize);
    this.#onExit();
    if (text !== "") process.stderr.write(text, "latin1");
    process.stdin.pause();
    process.stdin.unref();
    this.resolve(code);
    // Handles that others left open do not keep a program that has ended.
    setImmediate(() => process.exit(code));
  }
}

const COMPUTED_LATER: Computed = { ...NOTHING_COMPUTED, diffs: new Map() };
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Where to begin: the first pass that changed something. */
function firstStep({ trace }: Session): number {
  return trace.steps.find((s) => s.changed && s.parent === undefined && s.kind !== "source")?.index ?? 0;
}
function remaining(passes: readonly PipelineStep[], trace: Trace): readonly PipelineStep[] {
  return passes.slice(trace.steps.filter((s) => s?.parent === undefined && s.kind === "pass").length);
}
function defaultWhatIf(trace: Trace): Omit<WhatIf, "divisibility"> {
  const capability = Number(/^cuda:(\d+)$/.exec(trace.target ?? "")?.[1] ?? 80);
  return { capability, options: defaultOptions(capability), disabled: [] };
}

/** The Python files that the Trace's locations name, as far as they are here. */
function withSources(session: Session): Session {
  if (session.sources.length > 0) return session;
  const counts = new Map<string, number>();
  for (const { file } of locationsOf(session.trace).values()) counts.set(file, (counts.get(file) ?? 0) + 1);
  const files = [...counts].sort((a, b) => b[1] - a[1]).map(([file]) => file);
  const near = dirname(session.name);
  const sources = files.flatMap((path) => {
    // Beside the input, too: logs are carried to other machines.
    const here = [path, join(near, path.slice(path.lastIndexOf("/") + 1))].find((p) => existsSync(p));
    return here === undefined ? [] : [{ path, found: here, lines: readFileSync(here, "utf8").split("\n") }];
  });
  return { ...session, sources };
}

function writeAtomically(path: string, text: string): void {
  const target = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  mkdirSync(dirname(target), { recursive: true });
  const temporary = `${target}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, target);
}
