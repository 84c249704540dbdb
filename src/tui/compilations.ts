/** The compilations of a session: the input is opened, chosen, compiled under other settings, and edited. */

import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { continuing, EDIT, withPlaces } from "../diff/continued-trace.js";
import type { Always, Compilation } from "../library/compile.js";
import { divisibilityOf, type Rejected, readSource, rejected } from "../library/sources.js";
import { DEFAULT_TARGET, DEFAULT_TRITON, defaultOptions, platformOf } from "../library/targets.js";
import { fromBytes } from "../support/utf8.js";
import { failuresOf, type Trace } from "../trace/trace.js";
import { inputFor, passesOf, type Run, runOf, start } from "./compiler.js";
import { editText } from "./editor.js";
import type { Form } from "./form/form.js";
import { findKernels } from "./kernels.js";
import { withPtxStep } from "./machine-step.js";
import { type Opened, type OpenForm, withSources } from "./opening.js";
import { type Shell, SLICE } from "./shell.js";
import { firstStep } from "./state/begin.js";
import { type Computed, NOTHING_COMPUTED, type Session, type WhatIf } from "./state/state.js";
import { passNumber, selectedStep } from "./state/steps.js";

/** Where inputs come from. */
export interface Inputs {
  readonly name: string;
  /** Reads the input. May take long: the first frame is shown before. */
  readonly open: () => Opened;
  readonly always: Always;
  /** The screen to open with: `pass=11,line=17`. */
  readonly screen?: string;
  /** Notes about options that change nothing for the input: those named, else those of the command line. */
  readonly useless: (options?: readonly string[]) => readonly string[];
  /** The other side of the comparison. */
  readonly against: () => Session["against"] | { readonly error: string };
}
type Menu = Extract<Opened, { kind: "choices" }>;
/** A pass by its name, and its number among those of that name. */
interface Wanted {
  readonly flag: string;
  readonly run: number;
}
type OpenedModule = Extract<Opened, { kind: "module" }>;

export class Compilations {
  /** The compilation under way; another one replaces it. */
  #run: Run | undefined;
  #generation = 0;
  #choices: Menu["choices"] = [];
  #form: OpenForm | undefined;
  /** A note about an option that was given or changed, and changes nothing. */
  #useless: string | undefined;
  /** Opens the input as it was opened last. */
  #again: () => Opened;
  /** The program's exit code, as the last compilation has it. */
  result = 0;

  constructor(
    readonly shell: Shell,
    readonly inputs: Inputs,
  ) {
    this.#again = inputs.open;
  }

  get busy(): boolean {
    return this.#run !== undefined;
  }
  /** Opens the input, or what was chosen of it. */
  open(opened = this.inputs.open()): void {
    if (opened.kind === "choices") return this.offer(opened);
    if (opened.kind === "form") return this.ask(opened.form);
    if (opened.kind === "error") return this.refuse(opened);
    if (opened.kind === "imported") {
      const session = withSources({ ...this.shell.state().session, trace: opened.trace, kernels: findKernels(opened.trace) });
      this.shell.dispatch({ type: "session", session, select: firstStep(session) });
      this.shell.say("");
      return this.openAgainst();
    }
    this.setForm(opened.form);
    this.#useless = this.inputs.useless()[0];
    this.compile({ source: opened.source, ...opened.range }, this.whatIfOf(opened), undefined);
  }
  /** Says what is wrong with the input and what was found; `e` opens it in an editor. */
  private refuse({ text, code, found = [] }: Extract<Opened, { kind: "error" }>): void {
    this.result = code;
    this.shell.dispatch({ type: "session", session: { ...this.shell.state().session, refused: { text, found } } });
    this.shell.say("the input cannot be opened; e edits it, q quits");
  }
  private whatIfOf({ source, whatIf }: OpenedModule): WhatIf {
    return { ...whatIf, always: this.inputs.always, divisibility: divisibilityOf(source.module) };
  }
  private offer({ title, choices }: Menu): void {
    this.#choices = choices;
    const menu = { title, items: choices.map((c) => c.text), chosen: undefined };
    this.shell.dispatch({ type: "session", session: { ...this.shell.state().session, menu } });
    this.shell.say("");
    this.shell.dispatch({ type: "command", command: "kernels" });
  }
  /** Opens an item of the menu. */
  choose(choice: number): void {
    this.#again = this.#choices[choice]!.open;
    const opened = this.#again();
    const { menu } = this.shell.state().session;
    if (opened.kind === "choices") return this.offer(opened);
    this.other(opened, { menu: menu && { ...menu, chosen: choice } });
  }
  /** Asks for a kernel's arguments. */
  private ask(form: OpenForm): void {
    this.setForm(form);
    this.shell.say("");
    this.shell.dispatch({ type: "command", command: "arguments" });
  }
  private setForm(form: OpenForm | undefined): void {
    this.#form = form;
    this.shell.dispatch({ type: "session", session: { ...this.shell.state().session, form: form?.form } });
  }
  /** Opens what a form was filled in for; one with an error is shown again. */
  fill(form: Form): void {
    const asked = this.#form!;
    const opened = asked.open(form);
    if (opened.kind !== "error") {
      this.#again = () => asked.open(form);
      return this.other(opened, {});
    }
    this.ask({ ...asked, form });
    this.shell.say(opened.text.split("\n")[0]!, "error");
  }
  /** Opens another part of the input, or the same for other arguments. */
  private other(opened: Opened, about: Partial<Session>): void {
    const { session } = this.shell.state();
    const isFirst = session.trace.steps.length === 0;
    if (opened.kind === "error" && !isFirst) return this.shell.say(opened.text.split("\n")[0]!, "error");
    const next: Session = { ...session, ...about, baseline: undefined, settings: undefined, generation: ++this.#generation };
    this.shell.dispatch({ type: isFirst ? "session" : "begin", session: next });
    this.open(opened);
  }
  /** The screen that was asked for, once there is a Trace; without one, the first difference to the other side. */
  private showScreen(): void {
    const { screen } = this.inputs;
    if (screen !== undefined) return this.shell.dispatch({ type: "screen", screen });
    if (this.shell.state().session.against) this.shell.dispatch({ type: "command", command: "first-difference" });
  }
  private openAgainst(): void {
    this.shell.soon(() => {
      const other = this.inputs.against();
      if (other && "error" in other) return this.shell.say(other.error, "error");
      const { session } = this.shell.state();
      if (other)
        this.shell.dispatch({
          type: "session",
          session: { ...session, against: other, computed: { ...session.computed, differing: new Map() } },
        });
      this.showScreen();
    });
  }

  private compile(asked: Parameters<typeof inputFor>[0], wish: WhatIf, baseline: Session["baseline"], select?: Wanted | number): void {
    const input = inputFor(asked, wish);
    if ("kind" in input) return this.reject(input);
    const whatIf = { ...wish, triton: input.version.name };
    const run = start(input, whatIf, this.shell.clock);
    this.#run = run;
    const began = this.shell.clock();
    const passes = passesOf(input, whatIf);
    const { edited } = input;
    const whole = edited ? continuing(edited.trace, edited.step) : (trace: Trace) => trace;
    const selected = selectedStep(this.shell.state());
    const wanted = select ?? (selected && { flag: selected.flag, run: selected.run });
    const first = this.shell.state().session;
    const generation = baseline ? ++this.#generation : first.generation;
    const slice = () => {
      if (this.#run !== run) return;
      if (this.shell.state().session.generation !== generation) {
        // It was undone.
        this.#run = undefined;
        return this.shell.freed();
      }
      const until = this.shell.clock() + SLICE;
      for (;;) {
        const next = this.nextOf(run);
        if (next.done) {
          this.#run = undefined;
          if (next.value.kind === "error") return this.reject(next.value);
          const { ok, failed } = next.value;
          const trace = withPtxStep(whole(next.value.trace));
          const failure = failed && failureText(failed, trace);
          const session = withSources({
            ...this.shell.state().session,
            trace,
            settings: whatIf,
            baseline,
            progress: undefined,
            pending: [],
            failure,
            kernels: findKernels(trace),
            sources: [],
          });
          this.result = ok ? 0 : failed?.reason === "verify" ? 3 : 2;
          return this.done(session, wanted);
        }
        if (this.shell.clock() < until) continue;
        const { done, total, trace, next: pass } = next.value;
        const progress = { done, total, what: pass.flag, ms: this.shell.clock() - began };
        const shown = whole(trace());
        this.shell.dispatch({
          type: "session",
          session: {
            ...this.shell.state().session,
            trace: shown,
            settings: whatIf,
            progress,
            pending: passes.slice(passesIn(shown) - (edited?.passes ?? 0)),
          },
        });
        break;
      }
      this.shell.soon(slice);
    };
    const progress = { done: 0, total: passes.length, what: "", ms: 0 };
    const session: Session = { ...first, generation, input, progress, computed: COMPUTED_LATER };
    this.shell.dispatch(baseline ? { type: "begin", session } : { type: "session", session });
    this.shell.soon(slice);
  }
  /** Called for what cannot be compiled: the program ends if nothing else is shown. */
  private reject({ message, rendered = `tt-step: ${message}\n` }: Rejected): void {
    if (this.shell.state().session.trace.steps.length === 0) this.shell.end(2, rendered);
    else this.shell.say((message ?? rendered).split("\n")[0]!, "error");
  }
  /** Goes on; a compilation that throws is over, and what it has made stays. */
  private nextOf(run: Run): ReturnType<Run["next"]> {
    try {
      return run.next();
    } catch (error) {
      this.#run = undefined;
      const { session } = this.shell.state();
      const failure = `internal error in ${session.progress?.what || "the first pass"}: ${(error as Error).message}`;
      this.shell.dispatch({ type: "session", session: { ...session, progress: undefined, pending: [], failure } });
      throw error;
    }
  }
  private done(session: Session, wanted: Wanted | number | undefined): void {
    const { steps } = session.trace;
    // Where the last pass was switched off there is none at its place.
    const again =
      typeof wanted === "number"
        ? (steps.find((s) => s.kind === "pass" && s.parent === undefined && passNumber(session, s) === wanted) ??
          steps.findLast((s) => s.kind === "pass" && s.parent === undefined))
        : // Machine code is assembled later: until then, what it is made of.
          wanted &&
          (steps.find((s) => s.flag === wanted.flag && s.run === wanted.run) ??
            (wanted.flag === "sass" || wanted.flag === "amdgcn" ? steps.at(-1) : undefined));
    const moved = this.shell.state().view.passes.selected !== 0 || session.baseline !== undefined;
    this.shell.dispatch({
      type: "session",
      session,
      select: again && moved ? again.index : moved ? this.shell.state().view.passes.selected : firstStep(session),
    });
    if (session.baseline) {
      this.shell.say(this.#useless ?? "≠ marks passes whose result differs; B goes to the first, u takes it back");
    } else if (/^(?:reading|compiling) /.test(this.shell.state().message?.text ?? "")) this.shell.say(this.#useless ?? "");
    this.#useless = undefined;
    if (!session.baseline) this.openAgainst();
  }

  /** Compiles the input under other settings. */
  recompile(whatIf: WhatIf, select?: number): void {
    const { input } = this.shell.state().session;
    if (!input) return this.shell.say("a dump cannot be rerun; e edits its IR and runs our passes on it", "error");
    const { settings, trace, baseline } = this.shell.state().session;
    const before: Readonly<Record<string, unknown>> = { ...settings?.options };
    const changed = Object.entries(whatIf.options).filter(([name, value]) => value !== before[name]);
    this.#useless = this.inputs.useless(changed.map(([name]) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)))[0];
    this.compile(input, whatIf, baseline ?? { trace, settings }, select);
  }

  /** Edits the IR after a step and runs the rest; a text with errors is kept, and opened again at the error. */
  edit(index: number): void {
    const { trace } = this.shell.state().session;
    const step = trace.steps[index];
    if (!step) return;
    if (step.stage === "ptx") return this.shell.say("no pass runs after machine code; edit the IR of a pass", "error");
    const kept = this.#edited?.step === step ? this.#edited : undefined;
    const text = trace.lines.textOf(step.text);
    const flag = step.flag.replace(/\W+/g, "-").slice(0, 100);
    const path = kept?.path ?? join(tmpdir(), `tt-step-${Math.random().toString(36).slice(2)}-${flag}.mlir`);
    const edited = this.shell.away(() => editText(path, kept ? undefined : text, kept?.line));
    if ("error" in edited) {
      // An editor that failed may have written: its text is opened again.
      this.#edited = edited.isKept ? { step, path, line: kept?.line ?? 1 } : undefined;
      return this.shell.say(edited.error, "error");
    }
    if (edited.text === text) {
      this.forgetEdit(path);
      return this.shell.say("nothing was changed");
    }
    const name = `${this.inputs.name} edited after ${step.flag}`;
    const source = readSource({ name, text: edited.text });
    if (source.kind !== "module") {
      const { rendered, message, diagnostics } = source.kind === "error" ? source : rejected("the text holds no IR");
      this.#edited = { step, path, line: diagnostics[0]?.position?.line ?? 1 };
      const said = (rendered ?? message!).split("\n")[0]!.replace(`${name}:`, "");
      return this.shell.say(`kept in ${edited.path}, e opens it again: ${said}`, "error");
    }
    this.forgetEdit(path);
    const placed = readSource({ name, text: withPlaces(trace, step, edited.text) });
    const { settings, baseline, input } = this.shell.state().session;
    const whatIf: WhatIf = settings ?? { ...defaultWhatIf(trace), always: this.inputs.always, divisibility: [] };
    const startAfter = this.positionAfter(step.index, whatIf);
    const passes = passesIn({ steps: trace.steps.slice(0, step.index + 1) });
    const run = 1 + trace.steps.slice(0, step.index + 1).filter(({ flag }) => flag === EDIT).length;
    this.compile(
      {
        source: placed.kind === "module" ? placed : source,
        from: this.firstStage(),
        startAfter,
        edited: { trace, step, passes, input, settings },
      },
      { ...whatIf, disabled: [], inserted: [] },
      baseline ?? { trace, settings },
      { flag: EDIT, run },
    );
  }
  /** A text with errors. Each edit has a file of its own: what an editor that failed has left is not written over. */
  #edited: { readonly step: object; readonly path: string; readonly line: number } | undefined;
  private forgetEdit(path: string): void {
    this.#edited = undefined;
    rmSync(path, { force: true });
  }
  /** The stage that our whole pipeline begins with. */
  private firstStage(): "ttir" | "ttgir" {
    return this.shell.state().session.input?.from === "ttgir" ? "ttgir" : "ttir";
  }
  /** The position in our whole pipeline after a step: that of our own Trace's pass, found by name for a dump's. */
  private positionAfter(
    index: number,
    whatIf: WhatIf,
    { trace, settings, input }: Pick<Session, "trace" | "settings" | "input"> = this.shell.state().session,
  ): number {
    // A step before an edit was made from the input of then.
    if (input?.edited && index <= input.edited.step.index) return this.positionAfter(index, whatIf, input.edited);
    const version = input?.version ?? DEFAULT_TRITON;
    const whole = passesOf({ from: this.firstStage(), version }, { ...whatIf, disabled: [], inserted: [] });
    const top = trace.steps.slice(0, index + 1).filter((s) => s.parent === undefined && s.kind === "pass");
    if (settings && input) {
      const earlier = whole.length - passesOf({ from: input.from, version }, { ...settings, disabled: [], inserted: [] }).length;
      const ran = top.length - (input.edited?.passes ?? 0);
      return earlier + (runOf(input, settings)[ran - 1]?.position ?? input.startAfter ?? 0);
    }
    // Passes of the dump in their order, as far as ours has them.
    let at = 0;
    for (const step of top) {
      const found = whole.findIndex((p, i) => i >= at && p.flag === step.flag);
      if (found >= 0) at = found + 1;
    }
    return at;
  }

  /** Edits a file of the Python source; the input itself is compiled again. */
  editSource(file: string, line: number): void {
    const edited = this.shell.away(() => editText(file, undefined, line));
    if ("error" in edited) return this.shell.say(edited.error, "error");
    const { session } = this.shell.state();
    const changed = session.sources.find((s) => s.found === file)?.lines.join("\n") !== fromBytes(edited.text);
    if ((changed || session.refused) && resolve(file) === resolve(this.inputs.name)) this.reopen();
    else this.shell.dispatch({ type: "session", session: withSources({ ...session, sources: [] }) });
  }
  /** The input was edited: it is compiled again, and held against what it was. */
  private reopen(): void {
    const { baseline, trace, settings } = this.shell.state().session;
    const opened = this.#again();
    if (this.shell.state().session.refused) {
      this.shell.dispatch({ type: "session", session: { ...this.shell.state().session, refused: undefined } });
      return this.open(opened);
    }
    if (opened.kind === "error") return this.shell.say(opened.text.split("\n")[0]!, "error");
    if (opened.kind !== "module") return this.open(opened);
    const whatIf: WhatIf = settings
      ? { ...settings, disabled: [], inserted: [], divisibility: divisibilityOf(opened.source.module) }
      : this.whatIfOf(opened);
    this.compile({ source: opened.source, ...opened.range }, whatIf, baseline ?? { trace, settings });
  }
}

/** A pass that failed, and the first thing said of it: the why tab has all of it. */
function failureText({ flag, reason }: NonNullable<Compilation["failed"]>, trace: Trace): string {
  const said = failuresOf(trace)[0];
  const what = reason === "verify" ? `the result of ${flag} does not verify, a bug in tt-step` : `${flag} failed`;
  return said === undefined ? what : `${what}: ${said.split("\n")[0]!}`;
}

/** Where what takes long is computed later. */
export const COMPUTED_LATER: Computed = { ...NOTHING_COMPUTED, diffs: new Map() };

const passesIn = ({ steps }: Pick<Trace, "steps">): number => steps.filter((s) => s?.parent === undefined && s.kind === "pass").length;
function defaultWhatIf(trace: Trace): Omit<WhatIf, "divisibility" | "always"> {
  const target = trace.target !== undefined && platformOf(trace.target) ? trace.target : DEFAULT_TARGET;
  return { target, options: defaultOptions(target), disabled: [], inserted: [] };
}
