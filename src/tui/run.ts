/**
 * The program around the pure core: it owns the terminal, draws and reads keys through Ink, and does what the reducer asks for,
 * or has it done (`compilations.ts`, `idle.ts`).
 */
import { closeSync, openSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isatty, ReadStream } from "node:tty";
import { failureOf } from "../node/failure.js";
import { fileError, writeFile } from "../node/files.js";
import { terminalText } from "../support/terminal-text.js";
import type { App } from "./app.js";
import { COMPUTED_LATER, Compilations, type Inputs } from "./compilations.js";
import { type Action, initialState, reduce, reduceInputs } from "./control/reducer.js";
import { THEMES, type Theme } from "./draw/theme.js";
import { exportText } from "./export/export.js";
import type { PageParts } from "./export/html.js";
import { type Frame, frame } from "./frame.js";
import { Idle } from "./idle.js";
import { keyboardOf } from "./keyboard.js";
import type { TerminalInput } from "./keys.js";
import { type AppModule, loadApp } from "./load-app.js";
import { initialView } from "./panes/index.js";
import type { ToAssemble } from "./second-thread.js";
import { type Shell, SLICE } from "./shell.js";
import { emptySession } from "./state/begin.js";
import type { Effect, Session, Settings, State } from "./state/state.js";
import type { View } from "./state/view.js";
import { Terminal } from "./terminal.js";
import { ASK_BACKGROUND, BackgroundReply, REPLY_MS } from "./terminal-background.js";
import type { TourRequest } from "./tour/step.js";

export interface TuiRequest extends Inputs {
  readonly theme: Theme["name"];
  /** The theme follows the terminal's background, if the terminal reports it. */
  readonly guessesTheme: boolean;
  readonly mouse: boolean;
  readonly trueColour: boolean;
  readonly settings: Settings;
  readonly view?: Partial<View>;
  /** Why it cannot be assembled here, as far as that is known at once. */
  readonly noAssembler: (code: ToAssemble) => string | undefined;
  readonly clock: () => number;
  /** The scripts of a page that is exported. */
  readonly page: () => PageParts;
  readonly tour?: TourRequest;
}

/** Runs the UI until the user leaves it; returns the exit code. */
export function runTui(request: TuiRequest): Promise<number> {
  return new Promise((resolve) => new TerminalUi(request, resolve).start());
}

class TerminalUi {
  readonly #terminal: Terminal;
  /** Keys come from the terminal also where the input comes from standard input, as less does it. */
  readonly #keysFrom = process.stdin.isTTY ? 0 : openSync("/dev/tty", "r");
  readonly #keys = this.#keysFrom === 0 ? process.stdin : new ReadStream(this.#keysFrom);
  #theme: Theme;
  #background: BackgroundReply | undefined;
  #asked = 0;
  #state: State;
  #isShown = false;
  /** Ink is about to begin anew, perhaps with another size. */
  #restarts = false;
  #suspended = false;
  #ended = false;
  #ink: AppModule | undefined;
  #app: App | undefined;
  /** Ink would take the terminal's reply for keys. */
  readonly #keyboard = keyboardOf(this.#keys, (text) => this.#background?.take(text) ?? text);
  readonly #compilations: Compilations;
  readonly #idle: Idle;

  constructor(
    readonly request: TuiRequest,
    readonly resolve: (code: number) => void,
  ) {
    this.#terminal = new Terminal(process.stdout, request.mouse);
    this.#theme = this.themeCalled(request.theme);
    const session: Session = { ...emptySession(request.name), computed: COMPUTED_LATER };
    const view = { ...initialView(), ...request.view };
    this.#state = reduce(initialState(session, this.#terminal.size, request.settings, view), {
      type: "message",
      text: `reading ${request.name} ...`,
      kind: "info",
    });
    if (request.tour) this.#state = reduce(this.#state, { type: "tour", ...request.tour });
    const shell: Shell = {
      state: () => this.#state,
      dispatch: (action) => this.dispatch(action),
      say: (text, kind) => this.say(text, kind),
      soon: (what) => void setImmediate(() => this.#ended || this.guarded(what)),
      clock: request.clock,
      away: (what) => this.away(what),
      freed: () => this.#idle.update(false),
      end: (code, text) => this.end(code, text),
    };
    this.#compilations = new Compilations(shell, request);
    this.#idle = new Idle(shell, request.noAssembler);
  }

  start(): void {
    process.on("exit", this.#onExit);
    process.on("uncaughtException", this.#onError);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#onContinue);
    process.stdout.on("resize", this.#onResize);
    process.stdout.on("error", () => this.end(0));
    for (const gone of ["end", "close", "error"]) this.#keys.on(gone, () => this.#suspended || this.end(0));
    // Keys pressed before Ink listens must not be echoed.
    this.#keys.setRawMode(true);
    this.#terminal.enter();
    if (this.request.guessesTheme) this.askBackground();
    void this.begin();
  }
  private themeCalled(name: Theme["name"]): Theme {
    return { ...THEMES[name], trueColour: this.request.trueColour };
  }
  private askBackground(): void {
    this.#background = new BackgroundReply((isLight) => {
      this.#theme = this.themeCalled(isLight ? "light" : "dark");
      this.changed();
    });
    this.#asked = this.request.clock();
    process.stdout.write(ASK_BACKGROUND);
  }

  private async begin(): Promise<void> {
    try {
      this.#ink = await loadApp();
      if (this.#ended) return;
      this.startApp();
      setImmediate(() => this.opened());
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  /** Without an input there is nothing to go on with. */
  private opened(): void {
    try {
      this.#compilations.open();
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  /**
   * Ink begins anew where it does not know what the screen holds. A timer fires only when Ink has passed on all keys that were read with the one
   * that asked for this, also an escape at their end, which waits for an immediate: keys inside of an Ink that stops are lost.
   */
  private restartApp(): void {
    this.#restarts = true;
    setTimeout(() => {
      if (this.#restarts && !this.#ended && !this.#suspended) this.guarded(() => this.startApp());
    }, 0);
  }
  private startApp(): void {
    this.#restarts = false;
    this.#app?.stop();
    this.#app = this.#ink?.startApp(
      {
        stdin: this.#keyboard,
        write: (text) => this.#terminal.frame(text),
        input: (inputs) => this.typed(inputs),
        failed: this.#onError,
      },
      this.frame(),
    );
    this.#isShown = true;
  }
  private frame(): Frame {
    const shown = frame(this.#state, this.#theme);
    if (shown.failure) this.#compilations.result = 3;
    return shown;
  }

  private typed(inputs: readonly TerminalInput[]): void {
    try {
      this.take(reduceInputs(this.#state, inputs));
    } catch (error) {
      // Whatever is broken, the user gets out.
      if (inputs.some((input) => input.kind === "key" && /^(?:q|ctrl\+c)$/.test(input.key))) this.#onError(error as Error);
      else this.failed(error as Error);
    }
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
    if (!this.#ended) this.#idle.update(this.#compilations.busy);
  }
  /** The screen is drawn when all that was typed at once has been read. */
  private changed(): void {
    if (this.#isShown) setImmediate(() => this.guarded(() => this.show()));
    this.#isShown = false;
  }
  private show(): void {
    if (this.#ended || this.#suspended || this.#isShown || this.#restarts) return;
    this.#isShown = true;
    this.#app?.show(this.frame());
  }
  private say(text: string, kind: "info" | "error" = "info"): void {
    this.dispatch({ type: "message", text, kind });
  }

  // --- effects -------------------------------------------------------------------------------

  private perform(effect: Effect): void {
    switch (effect.kind) {
      case "quit":
        return this.end(this.#compilations.result, this.#state.session.refused?.text);
      case "suspend":
        return this.suspend();
      case "copy":
        return this.#terminal.copy(effect.text);
      case "compile":
        return this.#compilations.recompile(effect.whatIf, effect.select);
      case "edit":
        return this.#compilations.edit(effect.step);
      case "edit-source":
        return this.#compilations.editSource(effect.file, effect.line);
      case "export":
        return void this.export(effect.path);
      case "open":
        return this.#compilations.choose(effect.choice);
      case "fill":
        return this.#compilations.fill(effect.form);
      case "tour-command":
        return void this.runTourCommand(effect.command);
      case "tour-step":
        return this.guarded(() => this.request.tour?.save(effect.at));
      case "run":
        return this.restartApp();
    }
  }

  private async runTourCommand(command: string): Promise<void> {
    // Some take seconds: the frame that says so comes first, which Ink may hold back for a moment.
    await new Promise((resolve) => setTimeout(resolve, SLICE));
    try {
      this.dispatch({ type: "output", title: command, text: await this.request.tour!.run(command) });
    } catch (error) {
      this.failed(error as Error);
    }
  }

  private suspend(): void {
    this.handOver();
    process.kill(process.pid, "SIGSTOP");
  }
  readonly #onStop = (): void => {
    if (!this.#suspended) this.guarded(() => this.suspend());
  };
  /** Also after a stop that cannot be noticed (SIGSTOP): somebody else has had the terminal. */
  readonly #onContinue = (): void =>
    this.guarded(() => {
      if (!this.#suspended) this.handOver();
      this.takeBack();
    });
  /** Gives the terminal away; the keyboard is not read meanwhile. */
  private handOver(): void {
    this.#suspended = true;
    this.#app?.stop();
    this.#keys.setRawMode(false);
    this.#terminal.leave();
  }
  private away<T>(what: () => T): T {
    this.handOver();
    try {
      return what();
    } finally {
      this.takeBack();
    }
  }
  private takeBack(): void {
    this.#suspended = false;
    this.#keys.setRawMode(true);
    this.#terminal.enter();
    this.resized();
  }
  private resized(): void {
    this.dispatch({ type: "resize", size: this.#terminal.size });
    this.restartApp();
  }

  private async export(path: string): Promise<void> {
    const theme = THEMES[this.request.theme === "none" ? "light" : this.request.theme];
    const made = await exportText(path, this.#state, theme, { app: loadApp, page: this.request.page });
    if ("error" in made) return this.say(made.error, "error");
    try {
      writeFile(path.startsWith("~/") ? join(homedir(), path.slice(2)) : path, Buffer.from(made.text, "utf8"));
      this.say(`wrote ${path}`);
    } catch (error) {
      this.say(`cannot write ${path}: ${fileError(error)}`, "error");
    }
  }

  // --- ends ----------------------------------------------------------------------------------

  readonly #onResize = (): void => this.guarded(() => this.#suspended || this.resized());
  readonly #onExit = (): void => {
    this.#terminal.leave();
    if (this.#keys.isTTY && this.#keys.isRaw) this.#keys.setRawMode(false);
  };
  readonly #onSignal = (_: NodeJS.Signals, number: number): void => this.end(128 + number);
  readonly #onError = (error: Error): void => {
    const { text, isBug } = failureOf(error);
    const stack = process.env["TT_STEP_STACK"] ? `${error.stack}\n` : "";
    this.end(isBug ? 3 : 2, `${text}\n${stack}`);
  };
  /** Whatever goes wrong in here is reported, and the program goes on. */
  private guarded(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.failed(error as Error);
    }
  }
  #isReporting = false;
  private failed(error: Error): void {
    // Where the report fails too, nothing can be shown any more.
    if (this.#isReporting) return this.#onError(error);
    this.#isReporting = true;
    const { text, isBug } = failureOf(error);
    this.#compilations.result = isBug ? 3 : 2;
    try {
      this.say(text.replace("\n", ". "), "error");
    } catch (again) {
      this.#onError(again as Error);
    }
    this.#isReporting = false;
  }

  private end(code: number, text = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#idle.stop();
    this.#app?.stop();
    // A reply that is on its way would be typed into the shell.
    const awaits = this.#background?.isKnown === false && this.request.clock() - this.#asked < REPLY_MS;
    if (!awaits || code !== 0) return this.leave(code, text);
    this.#keys.once("data", (chunk: string) => this.#background!.take(String(chunk)));
    setTimeout(() => this.leave(code, text), REPLY_MS / 2);
  }
  private leave(code: number, text: string): void {
    process.off("exit", this.#onExit);
    process.off("uncaughtException", this.#onError);
    process.off("SIGCONT", this.#onContinue);
    process.stdout.off("resize", this.#onResize);
    this.#onExit();
    if (text !== "") process.stderr.write(terminalText(text), "latin1");
    // node aborts where it cannot put back the modes of a terminal that has gone; of files that are closed it does not try.
    const isGone = code === HUNG_UP || !isatty(this.#keysFrom);
    if (isGone) for (const fd of [0, 1, 2]) closeSync(fd);
    this.#keys.pause();
    this.#keys.unref();
    const ended = isGone && code === 0 ? HUNG_UP : code;
    this.resolve(ended);
    // Handles that others left open do not keep a program that has ended.
    setImmediate(() => process.exit(ended));
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
/** The exit code after SIGHUP. */
const HUNG_UP = 129;
