/** Results that the screen lacks are computed between key presses, or in another thread if the work cannot be sliced. */
import type { Trace } from "../trace/trace.js";
import { type Work, wantedWork, wantsPtx } from "./background.js";
import { assembledText, unassembled, withMachineStep, withPtx } from "./machine-step.js";
import { assembledName } from "./panes/codegen/final-code.js";
import { type Assembled, assemble, type ToAssemble, writePtx } from "./second-thread.js";
import { type Shell, SLICE } from "./shell.js";
import type { Computed, Ptx } from "./state/state.js";

export class Idle {
  #work: { readonly key: string; readonly steps: ReturnType<Work["steps"]> } | undefined;
  #thread: { readonly generation: number; readonly stop: () => void } | undefined;

  /** The Trace that is assembled now. */
  #assembling: { readonly trace: Trace; readonly stop: () => void } | undefined;

  /** `noAssembler` says why it cannot be assembled here. */
  constructor(
    readonly shell: Shell,
    readonly noAssembler: (code: ToAssemble) => string | undefined,
  ) {}

  /** Begins what the screen lacks, or goes on with it; nothing while the program is `busy`. */
  update(busy: boolean): void {
    const { shell } = this;
    const wanted = busy ? undefined : wantedWork(shell.state(), shell.clock);
    if (wanted?.key !== this.#work?.key) {
      this.#work = wanted && { key: wanted.key, steps: wanted.steps() };
      if (wanted) shell.soon(() => this.slice(wanted.key));
    }
    this.updateThread();
    this.updateAssembler();
  }
  /** Whether the screen lacks something. */
  get busy(): boolean {
    return this.#work !== undefined || this.#thread !== undefined || this.#assembling !== undefined;
  }
  stop(): void {
    this.#work = undefined;
    this.#thread?.stop();
    this.#assembling?.stop();
  }

  private slice(key: string): void {
    const work = this.#work;
    if (work?.key !== key) return;
    const { clock, soon } = this.shell;
    for (const until = clock() + SLICE; clock() < until; ) {
      const next = work.steps.next();
      if (!next.done) continue;
      this.#work = undefined;
      this.know(next.value);
      return;
    }
    soon(() => this.slice(key));
  }
  private know(more: (computed: Computed) => Computed): void {
    this.shell.dispatch({ type: "computed", computed: more(this.shell.state().session.computed) });
  }

  private updateThread(): void {
    const state = this.shell.state();
    const { generation, input, settings } = state.session;
    if (this.#thread && this.#thread.generation !== generation) {
      this.#thread.stop();
      this.#thread = undefined;
    }
    if (this.#thread || !input || !settings || !wantsPtx(state)) return;
    this.#thread = { generation, stop: writePtx(input, settings, (ptx) => this.shell.soon(() => this.tell(generation, ptx))) };
  }
  private updateAssembler(): void {
    const trace = unassembled(this.shell.state().session);
    if (this.#assembling || !trace) return;
    const { target, options } = trace;
    const code: ToAssemble = { text: assembledText(trace)!, target, options };
    const why = this.noAssembler(code);
    if (why !== undefined) return this.know((computed) => ({ ...computed, noMachine: why }));
    const stop = assemble(code, (made) => this.shell.soon(() => this.assembled(trace, made)));
    this.#assembling = { trace, stop };
  }
  /** The Trace has its machine code now, wherever it is looked at. */
  private assembled(of: Trace, made: Assembled): void {
    this.#assembling = undefined;
    const { session } = this.shell.state();
    if ("error" in made) return this.know((computed) => ({ ...computed, noMachine: made.error.split("\n")[0]! }));
    const withCode = <T extends { readonly trace: Trace }>(side: T): T =>
      side.trace === of ? { ...side, trace: withMachineStep(of, made) } : side;
    const { against, baseline, computed } = session;
    this.shell.dispatch({
      type: "session",
      session: {
        ...withCode(session),
        against: against && withCode(against),
        baseline: baseline && withCode(baseline),
        // Spills are a finding.
        computed: made.spilled > 0 ? { ...computed, findings: undefined } : computed,
      },
    });
  }
  private tell(generation: number, ptx: Ptx): void {
    if (this.#thread?.generation !== generation) return;
    if (ptx.kind !== "making") this.#thread = undefined;
    this.know((computed) => ({ ...computed, ptx }));
    const { session } = this.shell.state();
    // From now on it is as for a small module: a step of the list, blocks, limits, and machine code.
    if (ptx.kind === "text") {
      const trace = withPtx(session.trace, ptx);
      this.shell.dispatch({ type: "session", session: { ...session, trace } });
    }
    if (ptx.kind === "none") this.shell.say(`no ${assembledName(session.trace)}: ${ptx.why}`, "error");
  }
}
