/** The shell of the plain UI (`plain.ts`): lines are read from standard input, and sections are written to standard output. */
import { failureOf } from "../node/failure.js";
import { printable } from "../support/utf8.js";
import { COMPUTED_LATER, Compilations } from "./compilations.js";
import { type Action, initialState, reduce, reduceInputs } from "./control/reducer.js";
import { Idle } from "./idle.js";
import { initialView } from "./panes/index.js";
import { elsewhere, keysOfLine, PART, PLAIN_HELP, PLAIN_SIZE, section, sectionText } from "./plain.js";
import type { TuiRequest } from "./run.js";
import type { Shell } from "./shell.js";
import { emptySession } from "./state/begin.js";
import type { Effect, State } from "./state/state.js";

/** Runs until standard input ends or the user quits; returns the exit code. */
export function runPlain(request: TuiRequest): Promise<number> {
  return new Promise((resolve) => new PlainUi(request, resolve).start());
}

class PlainUi {
  #state: State;
  #ended = false;
  /** Something is under way, whose result is said when it is there. */
  #awaits = true;
  /** Lines that were read meanwhile. */
  readonly #lines: string[] = [];
  #inputEnded = false;
  #from = 0;
  readonly #compilations: Compilations;
  readonly #idle: Idle;
  /** Not imported: it takes long to load, and the drawn UI is without it. */
  readonly #reader = process.getBuiltinModule("node:readline").createInterface({ input: process.stdin, terminal: false });

  constructor(
    readonly request: TuiRequest,
    readonly resolve: (code: number) => void,
  ) {
    const session = { ...emptySession(request.name), computed: COMPUTED_LATER };
    this.#state = initialState(session, PLAIN_SIZE, request.settings, { ...initialView(), ...request.view });
    const shell: Shell = {
      state: () => this.#state,
      dispatch: (action) => this.dispatch(action),
      say: (text, kind = "info") => this.dispatch({ type: "message", text, kind }),
      soon: (what) => void setImmediate(() => this.#ended || this.guarded(what)),
      clock: request.clock,
      away: (what) => what(),
      freed: () => this.#idle.update(false),
      end: (code, text) => this.end(code, text),
    };
    this.#compilations = new Compilations(shell, request);
    this.#idle = new Idle(shell, request.noAssembler);
  }

  start(): void {
    // Who reads may stop: `| head`.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      this.end(this.#compilations.result, "");
    });
    this.write(PLAIN_HELP);
    this.#reader.on("line", (line) => {
      this.#lines.push(line);
      this.guarded(() => this.readLines());
    });
    this.#reader.on("close", () => {
      this.#inputEnded = true;
      this.readLines();
    });
    setImmediate(() => this.guarded(() => this.#compilations.open()));
  }

  private write(text: string): void {
    process.stdout.write(`${printable(text)}\n`, "latin1");
  }
  /** Lines are taken when nothing is under way. */
  private readLines(): void {
    while (!this.#ended && !this.#awaits && this.#lines.length > 0) this.typed(this.#lines.shift()!);
    if (this.#inputEnded && !this.#awaits && this.#lines.length === 0) this.end(this.#compilations.result, "");
  }
  private typed(line: string): void {
    if (line === "" || line === "=") {
      const now = section(this.#state);
      this.#from = line === "" ? this.#from + PART : 0;
      return this.write(this.#from < now.rows.length ? sectionText(now, this.#from) : "(the end of the section)");
    }
    const before = section(this.#state);
    const { view } = this.#state;
    this.take(reduceInputs(this.#state, keysOfLine(line)));
    const shown = elsewhere(line, view, this.#state);
    if (shown !== undefined) this.take(reduceInputs(this.#state, keysOfLine(shown)));
    if (this.#ended || this.#awaits) return;
    const { message } = this.#state;
    if (message) this.write(message.text);
    if (this.#idle.busy) {
      // The section is said when it is whole.
      this.#awaits = true;
      return;
    }
    const now = section(this.#state);
    const isSame = now.title === before.title && now.rows.length === before.rows.length;
    if (!isSame) this.say();
    else if (now.cursor !== before.cursor) this.write(`> ${now.rows[now.cursor] ?? ""}`);
    else if (!message) this.say();
  }
  /** Says the section, from its cursor on. */
  private say(): void {
    const now = section(this.#state);
    this.#from = now.cursor < PART ? 0 : now.cursor;
    this.write(sectionText(now, this.#from));
  }

  private dispatch(action: Action): void {
    const { message } = this.#state;
    this.take(reduce(this.#state, action));
    if (this.#state.message && this.#state.message !== message) this.write(this.#state.message.text);
  }
  private take(state: State): void {
    const { effects } = state;
    this.#state = { ...state, effects: [] };
    for (const effect of effects) this.perform(effect);
    if (this.#ended) return;
    this.#idle.update(this.#compilations.busy);
    const { session, overlay } = this.#state;
    const isKnown = session.refused !== undefined || overlay !== undefined || (session.trace.steps.length > 0 && !this.#idle.busy);
    if (!this.#awaits || this.#compilations.busy || session.progress || !isKnown) return;
    this.#awaits = false;
    this.say();
    setImmediate(() => this.readLines());
  }
  private perform(effect: Effect): void {
    switch (effect.kind) {
      case "quit":
        return this.end(this.#compilations.result, "");
      case "copy":
        return this.write(effect.text);
      case "compile":
        this.#awaits = true;
        return this.#compilations.recompile(effect.whatIf);
      case "edit":
        return this.#compilations.edit(effect.step);
      case "edit-source":
        return this.#compilations.editSource(effect.file, effect.line);
      case "open":
        this.#awaits = true;
        return this.#compilations.choose(effect.choice);
      case "fill":
        this.#awaits = true;
        return this.#compilations.fill(effect.form);
      default:
        return this.write("that needs the full screen");
    }
  }
  private guarded(body: () => void): void {
    try {
      body();
    } catch (error) {
      const { text, isBug } = failureOf(error as Error);
      this.#compilations.result = isBug ? 3 : 2;
      this.write(text);
    }
  }
  private end(code: number, text: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#idle.stop();
    this.#reader.close();
    process.stdin.pause();
    if (text !== "") this.write(text);
    this.resolve(code);
  }
}
