/**
 * Text for a terminal or a report. Names, messages and comments come from inputs: a terminal must show their control characters, not obey
 * them. Texts are latin1, one character is one byte of UTF-8; texts in UTF-16 are taken too.
 */

/** UTF-8 sequences, then what is unsafe alone: C0 but tab and newline, DEL, C1, controls of direction; last a `colour`. */
const SEQUENCE = "[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3}";
const UNSAFE = "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]";
const UNSAFE_ALONE = new RegExp(`^${UNSAFE}$`);
const COLOUR = 0xe000;
const PIECES = new RegExp(`\\r\\n|${SEQUENCE}|${UNSAFE}|[\\ue000-\\ue0ff]`, "g");

/** The text with characters that a terminal would obey as escapes: `\x1b`, `\u202e`. Newlines, tabs and `colour`s stay. */
export function terminalText(text: string): string {
  if (!/[^\n\t\x20-\x7e]/.test(text)) return text;
  return text.replace(PIECES, (piece) => {
    if (piece === "\r\n") return piece;
    const code = piece.length === 1 ? piece.charCodeAt(0) : codePoint(piece);
    if (piece.length === 1 && code >= COLOUR) return `\x1b[${code - COLOUR}m`;
    if (!UNSAFE_ALONE.test(String.fromCodePoint(code))) return piece;
    // JSON has no `\x`: a report in JSON holds no control characters below 32, and stays JSON.
    return code < 32 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** One line: names of files and the like cannot begin another one. */
export const terminalLine = (text: string): string => terminalText(text).replace(/\n/g, "\\n");

/** A colour (SGR parameter), as a character that no byte of an input is: `terminalText` makes an escape sequence of it. */
export const colour = (parameter: number): string => String.fromCharCode(COLOUR + parameter);

/** The code point of a UTF-8 sequence of two to four bytes; overlong ones too, as some terminals take them. */
function codePoint(sequence: string): number {
  const bytes = [...sequence].map((c) => c.charCodeAt(0));
  const code = bytes.slice(1).reduce((sum, byte) => sum * 64 + (byte & 63), bytes[0]! & (0xff >> (sequence.length + 1)));
  return Math.min(code, 0x10ffff);
}
