/** Results that the screen lacks are computed between key presses, or in another thread if the work cannot be sliced. */
import { type Work, wantedWork, wantsPtx } from "./background.js";
import { writePtx } from "./ptx-thread.js";
import { type Shell, SLICE } from "./shell.js";
import type { Computed, Ptx } from "./state/state.js";

export class Idle {
  #work: { readonly key: string; readonly steps: ReturnType<Work["steps"]> } | undefined;
  #thread: { readonly generation: number; readonly stop: () => void } | undefined;

  /** `computed` is called whenever something is known. */
  constructor(
    readonly shell: Shell,
    readonly computed: () => void,
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
  }
  stop(): void {
    this.#work = undefined;
    this.#thread?.stop();
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
      return this.computed();
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
  private tell(generation: number, ptx: Ptx): void {
    if (this.#thread?.generation !== generation) return;
    if (ptx.kind !== "making") this.#thread = undefined;
    this.know((computed) => ({ ...computed, ptx }));
    if (ptx.kind === "none") this.shell.say(`no PTX: ${ptx.why}`, "error");
  }
}
