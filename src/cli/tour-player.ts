/**
 * A UI without a terminal: the state, the compilations that it asks for, and results computed at once. It prints tours, and the test of
 * each tour presses its keys in it.
 */
import { finished } from "../support/slices.js";
import { wantedWork } from "../tui/background.js";
import { COMPUTED_LATER, Compilations, type Inputs } from "../tui/compilations.js";
import { type Action, initialState, reduce } from "../tui/control/reducer.js";
import type { Shell } from "../tui/shell.js";
import { emptySession } from "../tui/state/begin.js";
import type { Effect, Settings, Size, State } from "../tui/state/state.js";
import type { TourRequest } from "../tui/tour/step.js";

export class Player {
  readonly #compilations: Compilations;
  readonly #soon: (() => void)[] = [];
  #state: State;

  constructor(
    readonly request: Inputs & { readonly settings: Settings; readonly tour: TourRequest },
    size: Size,
  ) {
    const session = { ...emptySession(request.name), computed: COMPUTED_LATER };
    this.#state = initialState(session, size, request.settings);
    const shell: Shell = {
      state: () => this.#state,
      dispatch: (action) => this.take(action),
      say: (text, kind = "info") => this.take({ type: "message", text, kind }),
      soon: (what) => void this.#soon.push(what),
      // Time does not pass: a compilation is done in one slice.
      clock: () => 0,
      freed: () => {},
      away: (what) => what(),
      end: (_, text) => {
        throw new Error(text);
      },
    };
    this.#compilations = new Compilations(shell, request);
    this.#compilations.open();
    this.settle();
    this.take({ type: "tour", tour: request.tour.tour, at: request.tour.at });
  }

  get state(): State {
    return this.#state;
  }

  /** Does what an action leads to, until nothing more is to be done. */
  async play(action: Action): Promise<void> {
    this.take(action);
    this.settle();
    for (const command of this.#commands.splice(0))
      this.take({ type: "output", title: command, text: await this.request.tour.run(command) });
  }

  readonly #commands: string[] = [];
  private take(action: Action): void {
    const next = reduce(this.#state, action);
    this.#state = { ...next, effects: [] };
    for (const effect of next.effects) this.perform(effect);
  }
  private perform(effect: Effect): void {
    if (effect.kind === "compile") this.#compilations.recompile(effect.whatIf);
    if (effect.kind === "tour-command") this.#commands.push(effect.command);
  }
  private settle(): void {
    for (;;) {
      const what = this.#soon.shift();
      if (what) {
        what();
        continue;
      }
      const work = wantedWork(this.#state, () => 0);
      if (!work) return;
      this.take({ type: "computed", computed: finished(work.steps())(this.#state.session.computed) });
    }
  }
}
