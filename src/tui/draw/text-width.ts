/** How many columns text takes in a terminal, and text made fit for one. */
import { fromBytes } from "../../support/utf8.js";

/** Columns of a character: 0 for combining marks, 2 for wide East Asian characters and pictures. */
export function charWidth(code: number): number {
  if (code < 0x300) return 1;
  if ((code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) || (code >= 0xfe00 && code <= 0xfe0f) || code === 0xfeff)
    return 0;
  if (code < 0x1100) return 1;
  const wide =
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

/** A character as a terminal is given it: what it would obey (control characters, direction of text) is a dot. */
export function shownCode(code: number): number {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isDirection = code === 0x61c || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isControl || isDirection ? DOT : code;
}
const DOT = 46;

/** The columns that a text takes in a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char.codePointAt(0)!);
  return width;
}

/** Text of a file that was read as latin1, as it is meant (UTF-8), with tabs spread and control characters shown as dots. */
export function shown(latin1: string): string {
  if (!/[^\x20-\x7e]/.test(latin1)) return latin1;
  const text = /[^\x00-\xff]/.test(latin1) ? latin1 : fromBytes(latin1);
  return text.replace(/\t/g, "    ").replace(/[\x00-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069]/g, ".");
}

/** The text cut to a width, with an ellipsis where something is lost. */
export function cut(text: string, width: number): string {
  if (width <= 0) return "";
  if (textWidth(text) <= width) return text;
  let out = "";
  let used = 0;
  for (const char of text) {
    const w = charWidth(char.codePointAt(0)!);
    if (used + w > width - 1) break;
    out += char;
    used += w;
  }
  return `${out}…`;
}
/** A text whose last parts (`a · b · c`) are left out where there is no room for them. */
export function fitting(text: string, width: number): string {
  const parts = text.split(" · ");
  while (parts.length > 1 && textWidth(parts.join(" · ")) > width) parts.pop();
  return cut(parts.join(" · "), width);
}
/** The name of a pass cut to a width: the number of its run remains. */
export function cutName(name: string, width: number): string {
  const number = /#\d+$/.exec(name)?.[0] ?? "";
  return textWidth(name) <= width ? name : cut(name.slice(0, name.length - number.length), width - number.length) + number;
}
/** The text cut to a width, or filled with spaces to it. */
export function padded(text: string, width: number): string {
  const fitting = cut(text, width);
  return fitting + " ".repeat(Math.max(0, width - textWidth(fitting)));
}
