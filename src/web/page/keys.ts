/** The terminal UI's keys, where they make sense in a page. */
import { COMMANDS, type CommandId, keyTable } from "../../tui/keymap.js";

/** Commands that the page passes on. Others are the browser's own matter, or have a button. */
export const PAGE_COMMANDS: readonly CommandId[] = [
  "down",
  "up",
  "left",
  "right",
  "previous-pass",
  "next-pass",
  "previous-changed",
  "next-changed",
  "hide-unchanged",
  "disable",
  "nested",
  "next",
  "previous",
  "diff-mode",
  "short-types",
  "less-context",
  "more-context",
  "fold",
  "mark",
  "against-mark",
  "against-other",
  "first-difference",
  "focus-passes",
  "focus-diff",
  "focus-layout",
  "focus-codegen",
  "focus-findings",
  "next-tab",
  "previous-tab",
  "definition",
  "uses",
  "life-line",
  "kernels",
  "colour",
  "enter",
  "select",
  "search",
  "cancel",
  "why",
  "undo",
  "redo",
  "help",
  "arguments",
];
const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: "down",
  ArrowUp: "up",
  ArrowLeft: "left",
  ArrowRight: "right",
  Enter: "enter",
  Escape: "esc",
  " ": "space",
};

/** Reads keys one after the other: some commands have two. */
export class Keys {
  #before = "";
  /** The command of a key press; `waiting` where another key is to follow. */
  read({
    key,
    ctrlKey,
    metaKey,
    altKey,
  }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): CommandId | "waiting" | undefined {
    if (metaKey || altKey || key === "Shift") return undefined;
    const name = `${this.#before}${ctrlKey ? "ctrl+" : ""}${NAMES[key] ?? key}`;
    this.#before = "";
    const found = keyTable({}).get(name);
    if (found) return PAGE_COMMANDS.includes(found) ? found : undefined;
    const begins = [...keyTable({})].some(([keys, id]) => keys.startsWith(`${name} `) && PAGE_COMMANDS.includes(id));
    if (begins) this.#before = `${name} `;
    return begins ? "waiting" : undefined;
  }
}
/** Each command with its keys, for the help. */
export const keyHelp = (): readonly (readonly [keys: string, title: string])[] =>
  PAGE_COMMANDS.map((id) => [COMMANDS[id].keys.join("  "), COMMANDS[id].title]);
