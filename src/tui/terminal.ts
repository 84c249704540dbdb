/** The terminal: alternate screen, cursor, mouse, and its state of before on every way out. */

/** The parts of a terminal's output that are needed. */
export interface TerminalOut {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/** With what is pasted marked as such. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const LEAVE = "\x1b[r\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";
/** Presses, and where the mouse moves while a button is held: borders are dragged. */
const MOUSE_ON = "\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF = "\x1b[?1006l\x1b[?1002l";
/** Synchronized output: terminals that know it show a frame at once, others ignore it. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

export class Terminal {
  #inside = false;

  constructor(
    readonly out: TerminalOut,
    readonly mouse: boolean,
  ) {}

  enter(): void {
    if (this.#inside) return;
    this.#inside = true;
    this.out.write(ENTER + (this.mouse ? MOUSE_ON : ""));
  }
  /** Leaves the screen as it was found; may be called at any time, any number of times. */
  leave(): void {
    if (!this.#inside) return;
    this.#inside = false;
    this.out.write((this.mouse ? MOUSE_OFF : "") + LEAVE);
  }
  frame(text: string): void {
    if (this.#inside && text !== "") this.out.write(BEGIN + text + END);
  }
  /** Puts text on the user's clipboard, also from afar (OSC 52). */
  copy(text: string): void {
    this.out.write(`\x1b]52;c;${Buffer.from(text, "latin1").toString("base64")}\x07`);
  }
  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: Math.max(1, this.out.columns || 80), rows: Math.max(1, this.out.rows || 24) };
  }
}
