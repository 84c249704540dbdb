/** What comes from the keyboard and the mouse, by name. */

export type TerminalInput =
  | { readonly kind: "key"; readonly key: string }
  /** 0-based cell. */
  | {
      readonly kind: "mouse";
      readonly what: "press" | "wheel-up" | "wheel-down";
      readonly x: number;
      readonly y: number;
      readonly double: boolean;
    };

const CSI: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift+tab",
  "1~": "home",
  "3~": "delete",
  "4~": "end",
  "5~": "pgup",
  "6~": "pgdn",
  "7~": "home",
  "8~": "end",
};
const CONTROL: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\x08": "backspace",
  " ": "space",
  "\x1b": "esc",
};

/** The name of a single character. */
function charKey(char: string): string {
  const named = CONTROL[char];
  if (named !== undefined) return named;
  const code = char.charCodeAt(0);
  return code < 32 ? `ctrl+${String.fromCharCode(code + 96)}` : char;
}

/**
 * Splits what a terminal sent: several keys may come at once, and so may a paste. What is an incomplete sequence at the end
 * counts as the escape key and what follows it.
 */
export function decodeInput(text: string): TerminalInput[] {
  const found: TerminalInput[] = [];
  const key = (name: string) => found.push({ kind: "key", key: name });
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + 40);
    const mouse = /^\x1b?\[<(\d+);(\d+);(\d+)([Mm])/.exec(rest);
    if (mouse) {
      const button = Number(mouse[1]);
      const [x, y] = [Number(mouse[2]) - 1, Number(mouse[3]) - 1];
      const what =
        button === 64 ? "wheel-up" : button === 65 ? "wheel-down" : (button & 0b1100011) === 0 && mouse[4] === "M" ? "press" : undefined;
      if (what) found.push({ kind: "mouse", what, x, y, double: false });
      at += mouse[0].length;
      continue;
    }
    const csi = /^\x1b(?:\[([\d;]*)([A-Za-z~])|O([A-Z]))/.exec(rest);
    if (csi) {
      const modifiers = csi[1] ?? "";
      const name = CSI[csi[3] ?? (csi[2] === "~" ? `${modifiers.split(";")[0]}~` : csi[2]!)];
      if (name !== undefined) key(name);
      at += csi[0].length;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(at)!);
    key(charKey(char));
    at += char.length;
  }
  return found;
}

/** A key as text that is typed into a prompt; undefined for keys that stand for no character. */
export function typedText(key: string): string | undefined {
  if (key === "space") return " ";
  return [...key].length === 1 ? key : undefined;
}
