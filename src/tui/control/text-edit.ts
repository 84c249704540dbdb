/** A line of text that is edited, with its cursor. */
import { typedText } from "../keys.js";

/** The text after a key; undefined for a key that edits nothing. */
export function edited(
  { text }: { readonly text: string },
  at: number,
  key: string,
): { readonly text: string; readonly at: number } | undefined {
  const to = (cursor: number) => ({ text, at: Math.max(0, Math.min(text.length, cursor)) });
  const typed = typedText(key);
  if (typed !== undefined) return { text: text.slice(0, at) + typed + text.slice(at), at: at + typed.length };
  switch (key) {
    case "backspace":
      return at === 0 ? to(0) : { text: text.slice(0, at - 1) + text.slice(at), at: at - 1 };
    case "delete":
      return { text: text.slice(0, at) + text.slice(at + 1), at };
    case "left":
      return to(at - 1);
    case "right":
      return to(at + 1);
    case "home":
    case "ctrl+a":
      return to(0);
    case "end":
    case "ctrl+e":
      return to(text.length);
    case "ctrl+u":
      return { text: text.slice(at), at: 0 };
    case "ctrl+w": {
      const from = text.slice(0, at).replace(/\S+\s*$/, "").length;
      return { text: text.slice(0, from) + text.slice(at), at: from };
    }
    default:
      return undefined;
  }
}
