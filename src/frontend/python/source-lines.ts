/** Positions in a Python text as CPython counts them: lines from 1, columns in UTF-8 bytes from 0. */
import type { Place } from "./ast.js";

/** A text with what is needed to turn offsets into lines and columns. */
export interface SourceLines {
  readonly text: string;
  /** How many bytes come before each offset; undefined where every character is one. */
  readonly bytes: Uint32Array | undefined;
  /** Offset of each line's first character. */
  readonly starts: readonly number[];
  /** The number of each line, where it is not its place in the text. */
  readonly numbers: readonly number[] | undefined;
}

/**
 * `directives`: a comment `#line 133` alone on its line gives the next line that number. The prelude's functions are so given
 * the lines of those whose place they take.
 */
export function sourceLines(text: string, directives = false): SourceLines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { text, bytes: bytesBefore(text), starts, numbers: directives ? numberLines(text.split("\n")) : undefined };
}

function numberLines(lines: readonly string[]): number[] {
  let number = 0;
  return lines.map((line) => {
    const directive = /^\s*#line (\d+)\r?$/.exec(line);
    number = directive ? Number(directive[1]) - 1 : number + 1;
    return number;
  });
}

/** Line from 1 and column in bytes of an offset. */
export function lineAndColumn(source: SourceLines, offset: number): { line: number; col: number } {
  let low = 0;
  let high = source.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (source.starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  const start = source.starts[low]!;
  return { line: source.numbers?.[low] ?? low + 1, col: source.bytes ? source.bytes[offset]! - source.bytes[start]! : offset - start };
}

/** The lines and columns of a stretch of the text; columns are bytes, as in CPython. */
export function placeOf(source: SourceLines, start: number, end: number): Place {
  const from = lineAndColumn(source, start);
  const to = lineAndColumn(source, end);
  return { line: from.line, col: from.col, endLine: to.line, endCol: to.col };
}

function bytesBefore(text: string): Uint32Array | undefined {
  if (!/[^\0-\x7f]/.test(text)) return undefined;
  const bytes = new Uint32Array(text.length + 1);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Half of a surrogate pair: two of them make four bytes.
    bytes[i + 1] = bytes[i]! + (code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3);
  }
  return bytes;
}
