/**
 * The keyboard as Ink sees it. Ink has no say over raw mode: while one Ink ends and the next begins, keys are not echoed, and ^C is a key.
 * Sequences that Ink reads as other keys are replaced by ones that it reads as what they are.
 */
import type { ReadStream } from "node:tty";

export function keyboardOf(keys: ReadStream, taken: (text: string) => string): ReadStream {
  keys.setEncoding("utf8");
  let isPasting = false;
  let begun = "";
  const read = (): string | null => {
    const chunk = keys.read() as string | null;
    if (chunk === null) return null;
    const all = begun + taken(chunk);
    begun = BEGUN.exec(all)?.[0] ?? "";
    return all
      .slice(0, all.length - begun.length)
      .split(/(\x1b\[20[01]~)/)
      .map((part) => {
        if (/^\x1b\[20[01]~$/.test(part)) isPasting = part === PASTE;
        else return isPasting ? asPaste(part) : asKeys(part);
        return "";
      })
      .join("");
  };
  const none = () => keyboard;
  const on = (event: string, listener: () => void) => void keys.addListener(event, listener);
  const off = (event: string, listener: () => void) => void keys.removeListener(event, listener);
  const keyboard = {
    isTTY: true,
    read,
    addListener: on,
    removeListener: off,
    setRawMode: none,
    setEncoding: none,
    ref: none,
    unref: none,
  } as unknown as ReadStream;
  return keyboard;
}

const PASTE = "\x1b[200~";
/** The beginning of a sequence with numbers, at the end of what was read: no key sends it, and Ink would not wait for the rest. */
const BEGUN = /\x1b\[[<\d?][\d;]*$/;
/** An escape that begins no sequence is a key, also where other keys follow at once; Ink's name for most backspaces is that of delete. */
export const asKeys = (text: string): string => text.replace(/\x1b(?!(?:[[O].|$))/gs, "\x1b[27u").replaceAll("\x7f", "\b");
/** Pasted text as parameters of one sequence: it is no keys. */
export const asPaste = (text: string): string => text && `\x1b[200;${Array.from(text, (char) => char.codePointAt(0)).join(";")}~`;
