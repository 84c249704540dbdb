/** The lines of a Trace: each distinct one is kept once, and a step refers to it by number. */
import { compact } from "../support/bytes.js";

/** The IR after a step: numbers of lines, and for each line the op that begins on it (0: none) and its identity hash. */
export interface StepText {
  readonly lines: Int32Array;
  readonly ops: Int32Array;
  /**
   * A hash of the op's own text with values named by identity and aliases spelt out: equal for an op that did not
   * change though it was renumbered. 0 where no op begins.
   */
  readonly hashes: Int32Array;
}

/** Texts of more characters than this are kept deflated where the host can. */
export const PAGE_SIZE = 4 << 20;
/** Lines of pages have numbers from here on. */
const FIRST_PAGED = 1 << 30;

/** A large text: deflated, and inflated while its lines are looked at. */
interface Page {
  readonly first: number;
  /** Where each line begins; one more entry for the end. */
  readonly starts: Int32Array;
  readonly packed: Uint8Array | string;
}

/** Makes texts smaller while nobody looks at them. */
export interface Deflater {
  deflate(text: string): Uint8Array;
  inflate(bytes: Uint8Array): string;
}

/** Distinct lines, each kept once; the lines of large texts in pages of their own. Lines are latin1, as files are read. */
export class LineTable {
  /** Set by a host that has one; without it large texts stay as they are. */
  static deflater: Deflater | undefined;
  readonly #lines: string[];
  /** Lines to their numbers; absent once all are known. */
  #numbers: Map<string, number> | undefined;
  readonly #pages: Page[] = [];
  /** The pages looked at last, newest first: a diff looks at two, and going to the next pass at a third. */
  #inflated: { readonly page: Page; readonly text: string }[] = [];

  /** `lines` are those numbered from 0; more may come. */
  constructor(lines: readonly string[] = []) {
    this.#lines = [...lines];
  }
  /** Says that no more lines come: what finds equal ones is dropped. */
  seal(): this {
    this.#numbers = undefined;
    return this;
  }
  number(line: string): number {
    this.#numbers ??= new Map(this.#lines.map((known, i) => [known, i]));
    let number = this.#numbers.get(line);
    if (number === undefined) {
      number = this.#lines.length;
      // A slice would keep the whole printed text alive.
      const copy = compact(line);
      this.#lines.push(copy);
      this.#numbers.set(copy, number);
    }
    return number;
  }
  /** Numbers for all lines of a text, of which `starts` says where they begin, with one more entry for the end. */
  numbers(text: string, starts: Int32Array): Int32Array {
    const count = starts.length - 1;
    if (text.length <= PAGE_SIZE) {
      const numbers = new Int32Array(count);
      for (let i = 0; i < count; i++) numbers[i] = this.number(text.slice(starts[i], starts[i + 1]! - 1));
      return numbers;
    }
    const last = this.#pages.at(-1);
    const first = last ? last.first + last.starts.length - 1 : FIRST_PAGED;
    this.#pages.push({ first, starts, packed: LineTable.deflater?.deflate(text) ?? text });
    return Int32Array.from({ length: count }, (_, i) => first + i);
  }
  line(number: number): string {
    return number < FIRST_PAGED ? this.#lines[number]! : this.pagedLine(number);
  }
  private pagedLine(number: number): string {
    const { page, text } = this.inflated(number);
    const at = number - page.first;
    return text.slice(page.starts[at], page.starts[at + 1]! - 1);
  }
  /** The page of a line, with its text. */
  private inflated(number: number): { readonly page: Page; readonly text: string } {
    const found = this.#inflated.find(({ page }) => number >= page.first && number < page.first + page.starts.length - 1);
    if (found) return found;
    const page = this.#pages.findLast((p) => p.first <= number)!;
    const made = { page, text: typeof page.packed === "string" ? page.packed : LineTable.deflater!.inflate(page.packed) };
    this.#inflated = [made, ...this.#inflated.slice(0, 2)];
    return made;
  }
  /** The lines of a step. */
  linesOf(text: StepText): string[] {
    return Array.from(text.lines, (n) => this.line(n));
  }
  textOf(text: StepText): string {
    const first = text.lines[0] ?? 0;
    const whole = first < FIRST_PAGED ? undefined : this.inflated(first);
    // All lines of a page.
    if (whole?.page.first === first && whole.page.starts.length - 1 === text.lines.length)
      return whole.text.endsWith("\n") ? whole.text : `${whole.text}\n`;
    let out = "";
    for (const n of text.lines) out += `${this.line(n)}\n`;
    return out;
  }
  /** All lines, those of pages last, and the place of a line's number among them. */
  all(): { readonly lines: readonly string[]; readonly indexOf: (number: number) => number } {
    const lines = [...this.#lines];
    for (const { first, starts } of this.#pages) for (let i = 0; i < starts.length - 1; i++) lines.push(this.line(first + i));
    return { lines, indexOf: (number) => (number < FIRST_PAGED ? number : number - FIRST_PAGED + this.#lines.length) };
  }
  /** Bytes kept for lines, deflated pages included. */
  get bytes(): number {
    return this.#lines.reduce((n, line) => n + line.length, 0) + this.#pages.reduce((n, p) => n + p.packed.length + p.starts.byteLength, 0);
  }
}
