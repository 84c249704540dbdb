/** Input from the keyboard and the mouse, by name. Ink has decoded it. */
import type { Key } from "ink";

export type TerminalInput =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "paste"; readonly text: string }
  /** 0-based cell. */
  | {
      readonly kind: "mouse";
      readonly what: "press" | "drag" | "release" | "wheel-up" | "wheel-down";
      readonly x: number;
      readonly y: number;
    };

const NAMES: readonly (readonly [keyof Key, string])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["rightArrow", "right"],
  ["leftArrow", "left"],
  ["pageUp", "pgup"],
  ["pageDown", "pgdn"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];
const CHARACTERS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\x08": "backspace",
  " ": "space",
  "\x1b": "esc",
};

/** The inputs in a call of Ink's `useInput`: a key, or all that was typed or pasted at once. */
export function inputsOf(input: string, key: Key): TerminalInput[] {
  const one = (name: string): TerminalInput[] => [{ kind: "key", key: name }];
  for (const [flag, name] of NAMES) if (key[flag]) return one(name);
  if (key.tab) return one(key.shift ? "shift+tab" : "tab");
  if (key.escape) return one("esc");
  if (key.ctrl) return input.length === 1 ? one(`ctrl+${input}`) : [];
  const mouse = /^\[<(\d+);(\d+);(\d+)([Mm])$/.exec(input);
  if (mouse) return mouseInput(Number(mouse[1]), Number(mouse[2]) - 1, Number(mouse[3]) - 1, mouse[4] === "M");
  const paste = /^\[200;([\d;]+)~$/.exec(input);
  if (paste) return [{ kind: "paste", text: Array.from(paste[1]!.split(";"), (code) => String.fromCodePoint(Number(code))).join("") }];
  // A key that Ink has no name for.
  if (/^\[[\d;?]+[A-Za-z~]$/.test(input)) return [];
  return charactersOf(input);
}

function mouseInput(button: number, x: number, y: number, isDown: boolean): TerminalInput[] {
  const isLeft = (button & 0b1000011) === 0;
  const moves = (button & 32) !== 0;
  const what =
    button === 64 ? "wheel-up" : button === 65 ? "wheel-down" : !isLeft ? undefined : !isDown ? "release" : moves ? "drag" : "press";
  return what ? [{ kind: "mouse", what, x, y }] : [];
}

/** The keys that type a text. */
export function charactersOf(text: string): TerminalInput[] {
  return [...text].map((char) => ({
    kind: "key",
    key: CHARACTERS[char] ?? (char < " " ? `ctrl+${String.fromCharCode(char.charCodeAt(0) + 96)}` : char),
  }));
}

/** A key as text that is typed into a prompt; undefined for keys that stand for no character. */
export function typedText(key: string): string | undefined {
  if (key === "space") return " ";
  return [...key].length === 1 ? key : undefined;
}
