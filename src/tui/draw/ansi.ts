/** Rows as text with a terminal's styles. Text of inputs comes to the terminal here only: control characters are dots. */
import type { Row } from "./style.js";
import { charWidth, shownCode } from "./text-width.js";
import { type Theme, transition } from "./theme.js";

const known = new WeakMap<Theme, Map<number, string>>();
/** The escape sequence that changes one style into another. */
function sgr(theme: Theme, from: number, to: number): string {
  let texts = known.get(theme);
  if (!texts) known.set(theme, (texts = new Map()));
  const key = from * 2 ** 24 + to;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = transition(theme, from, to)));
  return text;
}

/** The row in at most `width` columns, or in exactly as many where it is `filled`. */
export function ansiRow(theme: Theme, row: Row, width: number, filled = false): string {
  let out = "";
  let at = 0;
  let current = 0;
  for (const [text, style] of filled ? [...row, [" ".repeat(width), 0] as const] : row) {
    const room = width - at;
    if (room <= 0) break;
    const part = fitting(text, room);
    if (part.text === "") continue;
    out += sgr(theme, current, style) + part.text;
    at += part.width;
    current = style;
  }
  return out + sgr(theme, current, 0);
}

/** The beginning of a text that takes at most `width` columns. */
function fitting(text: string, width: number): { readonly text: string; readonly width: number } {
  if (!/[^\x20-\x7e]/.test(text)) return text.length <= width ? { text, width: text.length } : { text: text.slice(0, width), width };
  let out = "";
  let used = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    const columns = charWidth(code);
    // Zero-width characters are left out: they take columns of their own in some terminals, and none in others.
    if (columns === 0) continue;
    if (used + columns > width) return { text: out + " ".repeat(width - used), width };
    out += String.fromCodePoint(shownCode(code));
    used += columns;
  }
  return { text: out, width: used };
}

/** The text without its styles. */
export function plainText(ansi: string): string {
  return ansi.replace(/\x1b\[[\d;]*m/g, "");
}
