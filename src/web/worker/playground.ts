/**
 * The compiler behind the page: one State, as the terminal UI has, changed by the page's orders. It knows nothing of workers: the
 * shell around it (`worker.ts`) calls `step` for slices of what is under way.
 */
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Choices } from "../../frontend/specialize.js";
import { type Settings, settingsOf } from "../../library/pipeline.js";
import { divisibilityOf, type Rejected, readSource, toBytes } from "../../library/sources.js";
import type { Trace } from "../../library/trace.js";
import { wantedWork } from "../../tui/background.js";
import { inputFor, start } from "../../tui/compiler.js";
import { go } from "../../tui/control/navigate.js";
import { initialState, reduce, reduceInputs } from "../../tui/control/reducer.js";
import { settle } from "../../tui/control/settle.js";
import { typedCommand } from "../../tui/control/typed-command.js";
import { type Form, formOf } from "../../tui/form/form.js";
import { findKernels } from "../../tui/kernels.js";
import { withPtxStep } from "../../tui/machine-step.js";
import { displayOf } from "../../tui/panes/diff/model.js";
import { emptySession, firstStep } from "../../tui/state/begin.js";
import { type CompilerInput, type Session, type State, type WhatIf, withView } from "../../tui/state/state.js";
import { selectedStep } from "../../tui/state/steps.js";
import type { Answer, Input, Order, Pictures, Report } from "../protocol.js";
import { type About, picturesOf } from "./pictures.js";
import { answering } from "./questions.js";

type Slices = Generator<void, void>;

/** The answer to a question about a kernel that is no longer there. */
const CHANGED: Answer = { sections: [], text: "the kernel was changed", failed: true };
/** The answer if a bug of tt-step ends the question; the bug itself is reported to the page separately. */
const BROKEN: Answer = { sections: [], text: "this ended with a bug in tt-step", failed: true };
/** Rows of the diff that are drawn at first. */
const FIRST_ROWS = 300;
/** Milliseconds between two pictures of what is under way. */
const PICTURE_EVERY = 250;

export class Playground {
  #state: State = initialState(emptySession(""), { columns: 240, rows: 60 }, { keys: {}, ascii: false, command: [] });
  #about: About = {
    input: { name: "", text: "" },
    columns: 100,
    rows: FIRST_ROWS,
    diagnostics: [],
    rendered: "",
    choices: undefined,
    busy: undefined,
  };
  #compilation: Slices | undefined;
  /** Questions, first come first served; each in slices. */
  #questions: { readonly id: number; readonly slices: Slices }[] = [];
  #background: { readonly key: string; readonly slices: Slices } | undefined;
  /** The text of each part of the page that was sent last. */
  readonly #sent = new Map<string, string>();

  constructor(
    readonly report: (report: Report) => void,
    readonly clock: () => number,
  ) {}

  receive(order: Order): void {
    switch (order.kind) {
      case "compile":
        this.#compilation = this.compile(order);
        for (const { id } of this.#questions) this.report({ kind: "answer", id, answer: CHANGED });
        this.#questions = [];
        return;
      case "ask":
        this.#questions.push({ id: order.id, slices: this.answer(order) });
        return;
      case "command":
        this.become(reduce(this.#state, { type: "command", command: order.command }));
        // The page has one panel at a time: the reason is shown in the place of the diff.
        if (order.command === "why") this.become(reduce(this.#state, { type: "command", command: "focus-codegen" }));
        break;
      case "screen":
        this.become(reduce(this.#state, { type: "screen", screen: order.screen }));
        break;
      case "go":
        this.become(settle(go(this.#state, { text: "", go: order.go })));
        break;
      case "row":
        this.become(this.atRow(order.row));
        break;
      case "rows":
        this.#about = { ...this.#about, rows: Math.max(this.#about.rows, order.count) };
        break;
      case "columns":
        this.#about = { ...this.#about, columns: Math.max(40, Math.min(200, order.columns)) };
        this.become(reduce(this.#state, { type: "resize", size: { columns: order.columns >= 100 ? 240 : 120, rows: 60 } }));
        // A new worker has no result yet: the page keeps the message that says why.
        if (this.#state.session.trace.steps.length === 0) return;
        break;
      case "limits":
        this.become(settle(typedCommand(this.#state, `limits ${order.launch}`)));
        break;
      case "search":
        this.become(withView(this.#state, { search: undefined }));
        if (order.text !== "") {
          const inputs = [...Array.from(order.text, (key) => ({ kind: "key", key }) as const), { kind: "key", key: "enter" } as const];
          this.become(reduceInputs(reduce(this.#state, { type: "command", command: "search" }), inputs));
        }
        break;
      case "closed":
        this.#state = { ...this.#state, overlay: undefined };
        break;
      case "element": {
        const { layout } = this.#state.view;
        this.become(withView(this.#state, { layout: { ...layout, element: order.element, thread: order.thread } }));
        break;
      }
    }
    this.draw();
  }

  /** A slice of what is under way; false where there is nothing more to do. */
  step(): boolean {
    if (this.#compilation) {
      try {
        if (this.#compilation.next().done) this.#compilation = undefined;
      } catch (error) {
        // A bug: the last result stays, and the shell reports it.
        this.#compilation = undefined;
        this.busy(undefined);
        throw error;
      }
      return true;
    }
    const [question] = this.#questions;
    if (question) {
      try {
        if (question.slices.next().done) this.#questions.shift();
      } catch (error) {
        this.#questions.shift();
        this.busy(undefined);
        this.report({ kind: "answer", id: question.id, answer: BROKEN });
        throw error;
      }
      return true;
    }
    const work = wantedWork(this.#state, this.clock);
    if (!work) return false;
    if (this.#background?.key !== work.key) this.#background = { key: work.key, slices: this.compute(work.steps()) };
    if (this.#background.slices.next().done) this.#background = undefined;
    return true;
  }

  private become(next: State): void {
    if (selectedStep(next) !== selectedStep(this.#state)) this.#about = { ...this.#about, rows: FIRST_ROWS };
    this.#state = next.effects.length > 0 ? reduce(next, { type: "taken" }) : next;
    // Another option, or a pass that is switched off: the result is compared with the earlier one.
    const again = next.effects.find((effect) => effect.kind === "compile");
    if (again) this.#compilation = this.compile({ kind: "compile", input: this.#about.input }, again.whatIf);
  }
  private atRow(row: number): State {
    const { diff } = this.#state.view;
    const shown = displayOf(this.#state);
    if (!shown || row >= shown.length) return this.#state;
    const at = shown.at(row);
    const open = at.kind === "fold" ? [...diff.open, at.first] : diff.open;
    return settle(withView(this.#state, { focus: "diff", diff: { ...diff, open, row, word: -1 } }));
  }
  private draw(parts?: readonly (keyof Pictures)[]): void {
    const changed: Record<string, unknown> = {};
    for (const [name, make] of Object.entries(picturesOf(this.#state, this.#about))) {
      if (parts && !parts.some((part) => part === name)) continue;
      const picture = make();
      const text = JSON.stringify(picture);
      if (this.#sent.get(name) === text) continue;
      this.#sent.set(name, text);
      changed[name] = picture;
    }
    if (Object.keys(changed).length > 0) this.report({ kind: "pictures", pictures: changed as Partial<Pictures> });
  }
  private *compute(steps: ReturnType<NonNullable<ReturnType<typeof wantedWork>>["steps"]>): Slices {
    const found = yield* steps;
    this.become(reduce(this.#state, { type: "computed", computed: found(this.#state.session.computed) }));
    this.draw();
  }
  private *answer({ id, question }: Extract<Order, { kind: "ask" }>): Slices {
    const work = answering(question, this.#state, this.#about.input);
    let drawn = this.clock();
    for (;;) {
      const next = work.next();
      if (next.done) {
        this.busy(undefined);
        return this.report({ kind: "answer", id, answer: next.value });
      }
      const { done, of, what } = next.value;
      if (this.clock() - drawn > PICTURE_EVERY) {
        drawn = this.clock();
        this.busy({ done, total: of, what });
      }
      yield;
    }
  }

  private *compile({ input, against, open }: Extract<Order, { kind: "compile" }>, asked?: WhatIf): Slices {
    this.busy({ done: 0, total: 1, what: "reading" });
    yield;
    const made = yield* this.trace(input, asked);
    this.#about = { ...this.#about, input, ...made.said, busy: undefined };
    const form = made.form;
    if (!made.trace) {
      // The last result stays until there is another one.
      const session = { ...this.#state.session, name: input.name, form };
      this.become(reduce(this.#state, { type: "session", session }));
      return this.draw();
    }
    const isFirst = this.#state.session.trace.steps.length === 0;
    const held = isFirst || open !== undefined ? undefined : selectedStep(this.#state);
    const { trace, settings } = this.#state.session;
    const session = { ...this.sessionOf(input, made, form), baseline: asked && { trace, settings } };
    // The text is another one: undo stays within it.
    if (!asked) this.#state = { ...this.#state, past: [], future: [] };
    const same = held && session.trace.steps.find((s) => s.flag === held.flag && s.run === held.run);
    this.become(reduce(this.#state, { type: "session", session, select: same?.index ?? firstStep(session) }));
    if (open !== undefined) this.become(reduce(this.#state, { type: "screen", screen: open }));
    // Passes are seen at once: what is found in the final code takes about half as long as they did. The status says that all is there.
    this.draw(isFirst ? ["status", "passes"] : ["passes", "diff"]);
    this.draw();
    if (!against) return;
    const other = yield* this.trace(against);
    this.busy(undefined);
    if (!other.trace) {
      const [first] = other.said.diagnostics;
      this.become(
        reduce(this.#state, { type: "message", text: `${against.name}: ${first?.message ?? other.said.rendered}`, kind: "error" }),
      );
    } else {
      const name = against.name === input.name ? settingsText(against, other.whatIf) : against.name;
      this.become(reduce(this.#state, { type: "session", session: { ...this.#state.session, against: { name, trace: other.trace } } }));
    }
    this.draw();
  }
  /** Shows the progress of a compilation or of a question. The page keeps the last result until the new one is complete. */
  private busy(busy: About["busy"]): void {
    this.#about = { ...this.#about, busy };
    this.draw();
  }
  private sessionOf(input: Input, { trace, whatIf, compiled, failure }: Made, form: Form | undefined): Session {
    return {
      ...emptySession(input.name),
      generation: this.#state.session.generation + 1,
      trace: trace!,
      form,
      settings: whatIf,
      input: compiled,
      kernels: findKernels(trace!),
      failure,
      sources: compiled?.source.defaults ? [{ path: input.name, found: input.name, lines: input.text.split("\n") }] : [],
    };
  }

  /** Reads and compiles an input, pass by pass. */
  private *trace(input: Input, given?: WhatIf): Generator<void, Made> {
    const { name, text, target, options = {}, kernel, signature, config } = input;
    const triton = given?.triton ?? input.triton;
    const asked = { kernel, signature, config, guess: true, types: [], constants: [], defines: [] };
    const request = { name, text: toBytes(text), target, options, triton };
    let read = readSource({ ...request, python: asked });
    if (read.kind === "error" && (kernel ?? signature ?? config) !== undefined) {
      // They may be those of the kernel that was here before.
      const guessed = readSource({ ...request, python: { ...asked, kernel: undefined, signature: undefined, config: undefined } });
      if (guessed.kind !== "error") read = guessed;
    }
    yield;
    if (read.kind === "error") return { said: saidOf(read), form: read.proposal && formOf(read.proposal, target) };
    if (read.kind === "imported") return { said: NOTHING_SAID, trace: read.trace };
    const settings: Settings = settingsOf(read, { target, options, triton });
    const whatIf: WhatIf = given ?? {
      target: settings.target,
      options: settings.options,
      triton: settings.version.name,
      disabled: [],
      inserted: [],
      divisibility: divisibilityOf(read.module),
      always: {},
    };
    const form = read.python && formOf(withSettings(read.python.proposal, whatIf), settings.target);
    const ready = inputFor({ source: read }, whatIf);
    if ("kind" in ready) return { said: saidOf(ready), form };
    const run = start(ready, whatIf, this.clock, { maxArtifactOps: Number.POSITIVE_INFINITY });
    let drawn = this.clock();
    for (;;) {
      const next = run.next();
      if (!next.done) {
        const { done, total, next: pass } = next.value;
        if (this.clock() - drawn > PICTURE_EVERY) {
          drawn = this.clock();
          this.busy({ done, total, what: pass.flag });
        }
        yield;
        continue;
      }
      const made = next.value;
      if (made.kind === "error") return { said: saidOf(made), form };
      const said = { diagnostics: made.diagnostics, rendered: made.rendered, choices: undefined };
      const failure = made.failed && `${made.failed.flag} failed`;
      return { said, form, trace: withPtxStep(made.trace), whatIf, compiled: ready, failure };
    }
  }
}

interface Made {
  readonly said: Pick<About, "diagnostics" | "rendered" | "choices">;
  readonly form?: Form | undefined;
  readonly trace?: Trace;
  readonly whatIf?: WhatIf;
  readonly compiled?: CompilerInput;
  readonly failure?: string | undefined;
}
const NOTHING_SAID: Made["said"] = { diagnostics: [], rendered: "", choices: undefined };

function saidOf({ diagnostics, rendered, message, choices }: Rejected): {
  readonly diagnostics: readonly Diagnostic[];
  readonly rendered: string;
  readonly choices: Choices | undefined;
} {
  return { diagnostics, rendered: rendered ?? message ?? "", choices };
}
/** A proposal with the options that the kernel was compiled with. */
function withSettings(proposal: Parameters<typeof formOf>[0], { options }: WhatIf): Parameters<typeof formOf>[0] {
  const stated = new Map([...proposal.stated, ["num_warps", String(options.numWarps)], ["num_stages", String(options.numStages)]]);
  return { ...proposal, stated };
}
/** `cuda:90, Triton 3.6, 8 warps, 4 stages` */
function settingsText({ name }: Input, whatIf: WhatIf | undefined): string {
  if (!whatIf) return name;
  const { target, triton, options } = whatIf;
  return `${target}, Triton ${triton}, ${options.numWarps} warps, ${options.numStages} stages`;
}
