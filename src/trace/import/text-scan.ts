/** Scanning printed IR by characters: their codes, brackets, and hashes of texts. */

export enum Char {
  Tab = 9,
  Space = 32,
  Bang = 33,
  Quote = 34,
  Hash = 35,
  Percent = 37,
  Open = 40,
  Close = 41,
  Comma = 44,
  Dash = 45,
  Slash = 47,
  Colon = 58,
  Less = 60,
  Equal = 61,
  Greater = 62,
  Backslash = 92,
  Caret = 94,
  LeftBrace = 123,
  RightBrace = 125,
}
/** Characters of names: letters, digits, `_ $ . -`. */
export const NAME_CHAR = new Uint8Array(256);
for (let c = 0; c < 256; c++) if (/[\w$.-]/.test(String.fromCharCode(c))) NAME_CHAR[c] = 1;

/** Past the `>` that closes the `<` at `at`. */
export function endOfBrackets(text: string, at: number, end: number): number {
  let depth = 0;
  for (; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c === Char.Quote) while (++at < end && text.charCodeAt(at) !== Char.Quote) if (text.charCodeAt(at) === Char.Backslash) at++;
    if (c === Char.Less) depth++;
    else if (c === Char.Greater && text.charCodeAt(at - 1) !== Char.Dash && --depth === 0) return at + 1;
  }
  return end;
}
/** Past the `)` that closes the `(` at `at`. */
export function endOfParens(text: string, at: number, end: number): number {
  let depth = 0;
  for (; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c === Char.Quote) while (++at < end && text.charCodeAt(at) !== Char.Quote) if (text.charCodeAt(at) === Char.Backslash) at++;
    if (c === Char.Open) depth++;
    else if (c === Char.Close && --depth === 0) return at + 1;
  }
  return end;
}

export const SEED = 0x811c9dc5 | 0;
export const PRIME = 0x01000193;

/** FNV-1a of a text. */
export function hashOf(text: string): number {
  let h = SEED;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), PRIME);
  return h;
}
/** A hash of both numbers. */
export function mixHash(h: number, x: number): number {
  h = Math.imul(h ^ x, 0x9e3779b1);
  return h ^ (h >>> 15);
}
