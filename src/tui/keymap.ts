import { PANE_TABLE, type PaneEntry, type PaneId } from "./state/view.js";
/**
 * Every command with its keys: the one table from which the footer, the `?` overlay, the key list of docs/ui.md and the
 * configuration file's schema are made.
 */

export type Group = "Move" | "Passes" | "Diff" | "Panes" | "Go to" | "Layout" | "Do" | "Tour" | "Program";

export interface CommandDef {
  readonly keys: readonly string[];
  readonly title: string;
  readonly group: Group;
  /** A word for the footer, or one for each pane whose footer shows it; commands without one are in the help only. */
  readonly footer?: string | Readonly<Partial<Record<PaneId, string>>>;
}

type FocusId = `focus-${PaneId}`;
/** The commands that focus a pane. */
const FOCUS = Object.fromEntries(
  Object.entries<PaneEntry>(PANE_TABLE).map(([id, { key, title, footer }]): [string, CommandDef] => [
    `focus-${id}`,
    { keys: [key], title, group: "Panes", ...(footer && { footer }) },
  ]),
) as Readonly<Record<FocusId, CommandDef>>;
export const isFocus = (id: CommandId): id is FocusId => Object.hasOwn(FOCUS, id);

export const COMMANDS = {
  down: { keys: ["j", "down"], title: "down; in the pass list the next pass, and the diff follows", group: "Move" },
  up: { keys: ["k", "up"], title: "up; in the pass list the pass before", group: "Move" },
  left: { keys: ["h", "left"], title: "the value to the left on the line; in a layout an element to the left", group: "Move" },
  right: { keys: ["l", "right"], title: "the value to the right on the line; in a layout an element to the right", group: "Move" },
  "page-down": { keys: ["pgdn", "ctrl+f"], title: "a page down", group: "Move" },
  "page-up": { keys: ["pgup", "ctrl+b"], title: "a page up", group: "Move" },
  top: { keys: ["g g", "home"], title: "to the beginning", group: "Move" },
  bottom: { keys: ["G", "end"], title: "to the end", group: "Move" },
  "main-half-down": { keys: ["ctrl+d"], title: "half a page down in the diff, from any pane", group: "Move" },
  "main-half-up": { keys: ["ctrl+u"], title: "half a page up in the diff, from any pane", group: "Move" },
  "main-down": { keys: ["J"], title: "scroll the diff down, from any pane", group: "Move" },
  "main-up": { keys: ["K"], title: "scroll the diff up, from any pane", group: "Move" },
  "main-left": { keys: ["H"], title: "scroll sideways to the left", group: "Move" },
  "main-right": { keys: ["L"], title: "scroll sideways to the right", group: "Move" },

  "previous-pass": { keys: [","], title: "the pass before, from any pane", group: "Passes" },
  "next-pass": { keys: ["."], title: "the next pass, from any pane", group: "Passes", footer: "pass" },
  "previous-changed": { keys: ["<"], title: "the pass before that changed something", group: "Passes" },
  "next-changed": { keys: [">"], title: "the next pass that changed something", group: "Passes", footer: "changed pass" },
  "hide-unchanged": {
    keys: ["c"],
    title: "hide passes that changed nothing, or show them again",
    group: "Passes",
    footer: { passes: "changed only" },
  },
  nested: { keys: ["v"], title: "list the passes that passes run, or hide them", group: "Passes" },
  disable: { keys: ["x"], title: "switch the selected pass off, and rerun; o switches it on again", group: "Passes" },
  insert: { keys: ["i"], title: "run another pass after the selected one, and rerun", group: "Passes" },
  earlier: { keys: ["U"], title: "run the selected pass before the one before it", group: "Passes" },
  later: { keys: ["D"], title: "run the selected pass after the one after it", group: "Passes" },

  next: {
    keys: ["n"],
    title: "the next match while a search is active, else change (or rewrite)",
    group: "Diff",
    footer: "next change",
  },
  previous: { keys: ["N"], title: "the match or change before", group: "Diff" },
  "diff-mode": { keys: ["|"], title: "side by side, unified, or the IR alone", group: "Diff", footer: { diff: "mode" } },
  python: { keys: ["P"], title: "the Python source beside the IR, each following the other's cursor, or not", group: "Diff" },
  "short-types": { keys: ["t"], title: "short types (‹64x64xf16 #mma·dot0›), or as they are written", group: "Diff" },
  wrap: { keys: ["W"], title: "long lines go on in the next row, or are cut", group: "Diff" },
  "less-context": { keys: ["{"], title: "fewer unchanged lines around changes", group: "Diff" },
  "more-context": { keys: ["}"], title: "more unchanged lines around changes", group: "Diff" },
  fold: { keys: ["z"], title: "open the fold under the cursor, or close what was opened", group: "Diff" },
  mark: { keys: ["m"], title: "mark the selected step with the next letter, or take its mark away", group: "Diff" },
  "against-mark": {
    keys: ["'"],
    title: "hold the step against a mark (of several one is chosen), or against the step before again",
    group: "Diff",
  },
  "against-other": { keys: ["b"], title: "hold the step against the baseline or the other input (--against)", group: "Diff" },
  "first-difference": { keys: ["B"], title: "the first pass whose result differs from the baseline or the other input", group: "Diff" },

  "focus-next": { keys: ["tab"], title: "the next pane", group: "Panes" },
  "focus-previous": { keys: ["shift+tab"], title: "the pane before", group: "Panes" },
  ...FOCUS,
  "next-tab": { keys: ["]"], title: "the pane's next tab", group: "Panes", footer: { layout: "tab", codegen: "tab" } },
  "previous-tab": { keys: ["["], title: "the pane's tab before", group: "Panes" },
  zoom: { keys: ["+"], title: "the focused pane alone", group: "Panes", footer: { layout: "alone", codegen: "alone" } },
  unzoom: { keys: ["_"], title: "all panes again", group: "Panes" },

  definition: { keys: ["g d"], title: "where the value under the cursor is defined", group: "Go to" },
  uses: { keys: ["g r"], title: "where it is used", group: "Go to" },
  "life-line": {
    keys: ["g l"],
    title: "the op's life: from its Python line through all passes to its instructions",
    group: "Go to",
    footer: { diff: "life of the op" },
  },
  source: { keys: ["g s"], title: "its line in the Python source; from there, the ops of the line", group: "Go to" },
  "through-time": { keys: ["g /"], title: "the first and last pass in which a text occurs", group: "Go to" },
  kernels: { keys: ["g k"], title: "another kernel of the input", group: "Go to" },

  colour: { keys: ["C"], title: "colour the layout by thread, warp or register", group: "Layout", footer: { layout: "colour" } },

  enter: {
    keys: ["enter"],
    title: "go in: a pass's rewrites, an item's place, a fold",
    group: "Do",
    footer: { passes: "rewrites", codegen: "its op", source: "its ops", findings: "its place" },
  },
  select: {
    keys: ["space"],
    title: "select: an element's owner, what its thread owns, a pass to hold against",
    group: "Do",
    footer: { layout: "its thread" },
  },
  why: { keys: ["w"], title: "why it is as it is: an op, a pass, an instruction, a cell of a layout", group: "Do", footer: "why" },
  arguments: { keys: ["A"], title: "the arguments of a Python kernel: types, divisibility, constants, target", group: "Do" },
  "what-if": { keys: ["o"], title: "what if: warps, stages, target, Triton, divisibility, passes", group: "Do", footer: "what if" },
  edit: { keys: ["e"], title: "edit the IR after the selected pass in $EDITOR, and run the rest", group: "Do" },
  export: {
    keys: ["E"],
    title: "export as a page (.html), a drawing (.svg), data (.json), or the selected pass with its input (.mlir)",
    group: "Do",
  },
  copy: { keys: ["y"], title: "copy the line under the cursor", group: "Do" },
  "copy-all": { keys: ["Y"], title: "copy the whole IR of the step", group: "Do" },
  undo: { keys: ["u"], title: "undo the last jump, mode or filter", group: "Do" },
  redo: { keys: ["ctrl+r"], title: "do it again", group: "Do" },

  "tour-next": { keys: [")"], title: "the rest of the text of the tour's step, then the next step (tt-step learn)", group: "Tour" },
  "tour-previous": { keys: ["("], title: "back: to the beginning of the text, then to the step before", group: "Tour" },
  "tour-show": { keys: ["="], title: "do what the step asks for: go to its screen, or show its output", group: "Tour" },

  search: { keys: ["/"], title: "search in the pane; in the pass list, filter by name", group: "Program", footer: "search" },
  cancel: { keys: ["esc"], title: "back: close what is open, end the search, clear the filter", group: "Program" },
  command: { keys: [":"], title: "the command line that prints what is shown", group: "Program" },
  help: { keys: ["?"], title: "all keys", group: "Program", footer: "keys" },
  redraw: { keys: ["ctrl+l"], title: "draw the screen again", group: "Program" },
  quit: { keys: ["q", "ctrl+c"], title: "quit", group: "Program", footer: "quit" },
  suspend: { keys: ["ctrl+z"], title: "suspend (fg comes back)", group: "Program" },
} as const satisfies Readonly<Record<string, CommandDef>>;

export type CommandId = keyof typeof COMMANDS;
export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[];
export const GROUPS: readonly Group[] = ["Move", "Passes", "Diff", "Panes", "Go to", "Layout", "Do", "Tour", "Program"];

export type UserKeys = Readonly<Record<string, readonly string[]>>;

/** The keys of a command, as the user has them. */
export function keysOf(id: CommandId, user: UserKeys = {}): readonly string[] {
  return user[id] ?? COMMANDS[id].keys;
}

const tables = new WeakMap<UserKeys, ReadonlyMap<string, CommandId>>();
/** Commands by key or sequence of keys. */
export function keyTable(user: UserKeys): ReadonlyMap<string, CommandId> {
  let table = tables.get(user);
  if (!table) {
    const made = new Map<string, CommandId>();
    for (const id of COMMAND_IDS) for (const key of keysOf(id, user)) made.set(key, id);
    tables.set(user, (table = made));
  }
  return table;
}
/** Whether a sequence of keys begins with these. */
export function isPrefix(user: UserKeys, keys: string): boolean {
  for (const key of keyTable(user).keys()) if (key.startsWith(`${keys} `)) return true;
  return false;
}

/** A key for people: `space`, `^d`, `g d`. */
export function keyLabel(key: string): string {
  return key.replace(/^ctrl\+/, "^").replace(/\b(?:pgdn|pgup|home|end)\b/g, (k) => k);
}
/** The table of keys in docs/ui.md. */
export function keyListMarkdown(): string {
  const code = (key: string): string => `\`${key.replaceAll("|", "\\|")}\``;
  const rows = GROUPS.map((group) => {
    const commands = COMMAND_IDS.filter((id) => COMMANDS[id].group === group);
    return commands.map((id) => `| ${COMMANDS[id].keys.map(code).join(" ")} | ${COMMANDS[id].title} |`).join("\n");
  });
  return `| key | does |\n|---|---|\n${rows.join("\n")}\n`;
}
