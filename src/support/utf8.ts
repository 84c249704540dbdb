/** Texts are kept as bytes, one character each; arguments and Python's words are letters, and become bytes where they are printed. */
import { bytesOf, textOfBytes } from "./bytes.js";

/** Letters as the bytes of their UTF-8. */
export const toBytes = (letters: string): string => (isAscii(letters) ? letters : textOfBytes(new TextEncoder().encode(letters)));

/** The letters that bytes of UTF-8 stand for; a byte that is none is U+FFFD. */
export const fromBytes = (bytes: string): string =>
  isAscii(bytes) ? bytes : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(bytes));

/** A text of either kind as bytes that are UTF-8: what is no UTF-8 is taken for letters. */
export function printable(text: string): string {
  return isAscii(text) || (!/[^\0-\xff]/.test(text) && !fromBytes(text).includes("\ufffd")) ? text : toBytes(text);
}

/** The whole letter at an offset of bytes. */
export function letterAt(bytes: string, at: number): string {
  const letter = /[\xc2-\xf4][\x80-\xbf]{1,3}|./sy;
  letter.lastIndex = at;
  return letter.exec(bytes)?.[0] ?? "";
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
