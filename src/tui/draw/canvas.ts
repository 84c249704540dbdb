/** A screen as a grid of cells. Panes write rows into it; nothing can be written outside, so no line is ever too long. */
import type { Row, Style } from "./style.js";
import { charWidth, shownCode } from "./text-width.js";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Canvas {
  /** Code points; 0 is the right half of a wide character. */
  readonly chars: Uint32Array;
  readonly styles: Uint32Array;
  /** Regions whose content scrolls: hints for the painter. */
  readonly scrolling: Rect[] = [];
  /** An error in drawing a part, which says so in its place. */
  failure: Error | undefined;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.chars = new Uint32Array(width * height).fill(32);
    this.styles = new Uint32Array(width * height);
  }

  /** Writes text from a cell on, up to column `end`; answers the column behind it. Negative columns are skipped. */
  text(x: number, y: number, text: string, s: Style, end = this.width): number {
    if (y < 0 || y >= this.height) return x;
    end = Math.min(end, this.width);
    const base = y * this.width;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      let w = 1;
      if (code >= 0x300) {
        code = text.codePointAt(i)!;
        if (code > 0xffff) i++;
        w = charWidth(code);
        if (w === 0) continue;
      }
      if (x >= 0 && x + w <= end) {
        this.chars[base + x] = shownCode(code);
        this.styles[base + x] = s;
        if (w === 2) {
          this.chars[base + x + 1] = 0;
          this.styles[base + x + 1] = s;
        }
      } else if (x >= end) return x;
      x += w;
    }
    return x;
  }

  /** Writes a row into `width` columns from a cell on, shifted to the left by `skip`; the rest takes the last piece's paper. */
  row(x: number, y: number, row: Row, width: number, skip = 0): void {
    const end = x + width;
    if (skip === 0) {
      let at = x;
      for (const [text, s] of row) at = this.text(at, y, text, s, end);
      return;
    }
    let at = x - skip;
    const kept = this.width;
    for (const [text, s] of row) {
      if (at >= end) break;
      at = this.clipped(at, y, text, s, x, Math.min(end, kept));
    }
  }
  private clipped(x: number, y: number, text: string, s: Style, from: number, end: number): number {
    for (const char of text) {
      const w = charWidth(char.codePointAt(0)!);
      if (x >= from && x + w <= end) this.text(x, y, char, s, end);
      x += w;
      if (x >= end) break;
    }
    return x;
  }

  fill(rect: Rect, s: Style, char = " "): void {
    const code = char.codePointAt(0)!;
    for (let y = Math.max(0, rect.y); y < Math.min(this.height, rect.y + rect.height); y++) {
      const from = y * this.width + Math.max(0, rect.x);
      const to = y * this.width + Math.min(this.width, rect.x + rect.width);
      if (to > from) {
        this.chars.fill(code, from, to);
        this.styles.fill(s, from, to);
      }
    }
  }

  /** A line's text without its styles. */
  lineText(y: number): string {
    let out = "";
    for (let x = 0; x < this.width; x++) {
      const code = this.chars[y * this.width + x]!;
      if (code !== 0) out += String.fromCodePoint(code);
    }
    return out.trimEnd();
  }
  toText(): string {
    return Array.from({ length: this.height }, (_, y) => `${this.lineText(y)}\n`).join("");
  }
}
