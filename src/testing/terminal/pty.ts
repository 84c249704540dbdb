/** A program in a real pseudo-terminal, with an emulator that knows what the user would see. */
import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { hexOf } from "../../tui/draw/theme.js";
import type { Run } from "../../tui/export/svg.js";

/** A colour as CSS has it; undefined for the terminal's own. */
function colourOf(colour: number, isRgb: boolean, isPalette: boolean): string | undefined {
  if (isRgb) return `#${colour.toString(16).padStart(6, "0")}`;
  return isPalette ? hexOf(colour) : undefined;
}

export interface Screen {
  readonly text: string;
  readonly alternate: boolean;
  readonly cursorHidden: boolean;
  readonly mouse: string;
}

export class Pty {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #process: ReturnType<typeof spawn>;
  #received = "";
  #last = Date.now();
  exit: { readonly code: number; readonly signal: number | undefined } | undefined;

  constructor(
    argv: readonly string[],
    options: { readonly columns: number; readonly rows: number; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string },
  ) {
    const { columns: cols, rows } = options;
    this.#terminal = new headless.Terminal({ cols, rows, allowProposedApi: true, scrollback: 100 });
    const env: Record<string, string> = {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "/",
      TERM: "xterm-256color",
      ...options.env,
    };
    this.#process = spawn(argv[0]!, argv.slice(1), { cols, rows, env, cwd: options.cwd ?? process.cwd() });
    this.#process.onData((data) => {
      this.#received += data;
      this.#last = Date.now();
      this.#terminal.write(data);
    });
    this.#process.onExit(({ exitCode, signal }) => {
      this.exit = { code: exitCode, signal };
      this.#last = Date.now();
    });
  }

  get pid(): number {
    return this.#process.pid;
  }
  type(text: string): void {
    this.#process.write(text);
  }
  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#process.resize(columns, rows);
  }
  signal(name: string): void {
    this.#process.kill(name);
  }
  /** The terminal goes away, as when its window is closed: reading stdin ends. */
  close(): void {
    (this.#process as unknown as { destroy(): void }).destroy();
  }
  /** All bytes since the last call. */
  take(): string {
    const received = this.#received;
    this.#received = "";
    return received;
  }
  /** Bytes since the last `take`. */
  get received(): string {
    return this.#received;
  }

  /** Waits until the screen shows what is wanted. */
  async until(wanted: (screen: Screen) => boolean, what: string, ms = 120_000): Promise<Screen> {
    const end = Date.now() + ms;
    for (;;) {
      const screen = await this.screen();
      if (wanted(screen)) return screen;
      if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms; the screen is\n${screen.text}`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
  /** Waits until nothing was written for a while. */
  async idle(ms = 300): Promise<Screen> {
    while (Date.now() - this.#last < ms) await new Promise((resolve) => setTimeout(resolve, 15));
    return this.screen();
  }
  async exited(ms = 120_000): Promise<{ readonly code: number; readonly signal: number | undefined }> {
    const end = Date.now() + ms;
    while (!this.exit) {
      if (Date.now() > end) throw new Error(`the program is still there after ${ms} ms; the screen is\n${(await this.screen()).text}`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return this.exit;
  }
  async screen(): Promise<Screen> {
    await new Promise<void>((resolve) => this.#terminal.write("", resolve));
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, y) => active.getLine(active.viewportY + y)?.translateToString(true, 0, this.#terminal.cols) ?? "",
    );
    const core = (this.#terminal as unknown as { readonly _core: { readonly coreService: { readonly isCursorHidden: boolean } } })._core;
    return {
      text: `${lines.join("\n").trimEnd()}\n`,
      alternate: active.type === "alternate",
      cursorHidden: core.coreService.isCursorHidden,
      mouse: this.#terminal.modes.mouseTrackingMode,
    };
  }
  /** The screen as cells of one look beside each other, with the colours that the terminal was given. */
  async runs(): Promise<Run[]> {
    await this.screen();
    const { active } = this.#terminal.buffer;
    const runs: Run[] = [];
    for (let y = 0; y < this.#terminal.rows; y++) {
      const line = active.getLine(active.viewportY + y);
      for (let x = 0; line && x < this.#terminal.cols; x++) {
        const cell = line.getCell(x)!;
        const fore = colourOf(cell.getFgColor(), cell.isFgRGB(), cell.isFgPalette());
        const back = colourOf(cell.getBgColor(), cell.isBgRGB(), cell.isBgPalette());
        const [ink, paper] = cell.isInverse() ? [back, fore] : [fore, back];
        const look = { ink, paper, bold: cell.isBold() !== 0 };
        const last = runs.at(-1);
        const text = cell.getChars() || " ";
        if (last?.y === y && last.ink === ink && last.paper === paper && last.bold === look.bold)
          runs[runs.length - 1] = { ...last, cells: last.cells + 1, text: last.text + text };
        else runs.push({ x, y, cells: 1, text, ...look });
      }
    }
    return runs;
  }
  kill(): void {
    if (!this.exit) this.#process.kill("SIGKILL");
  }
}
