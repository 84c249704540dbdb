import type { Position } from "./diagnostic.js";

/**
 * One input text, held as latin1: one character is one byte, so columns are bytes as in MLIR.
 * `base` places the buffer in the numbering of all buffers of a Context: a location that is only
 * "where this was parsed" is the single number `base + offset` until somebody asks for its line.
 */
export class SourceBuffer {
  #lineStarts: Int32Array | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
    readonly base: number,
    /** The line number of the first line: a part of a file keeps the file's numbers. */
    readonly firstLine = 1,
  ) {}

  /** The 1-based line and column of an offset into `text`. */
  position(offset: number): Position {
    const starts = this.lineStarts();
    let lo = 0;
    let hi = starts.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (starts[mid]! <= offset) lo = mid;
      else hi = mid - 1;
    }
    return { file: this.file, line: lo + this.firstLine, column: offset - starts[lo]! + 1 };
  }

  /** The text of a 1-based line without its newline. */
  line(line: number): string | undefined {
    const starts = this.lineStarts();
    const start = starts[line - this.firstLine];
    if (start === undefined) return undefined;
    const end = this.text.indexOf("\n", start);
    return this.text.slice(start, end < 0 ? undefined : end);
  }

  private lineStarts(): Int32Array {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    return (this.#lineStarts = Int32Array.from(starts));
  }
}
