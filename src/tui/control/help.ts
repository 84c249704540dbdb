/** The text of the help: all keys by group, or those about which a word is. */
import { wrapText } from "../../support/wrap-text.js";
import { COMMAND_IDS, COMMANDS, GROUPS, keyLabel, keysOf, type UserKeys } from "../keymap.js";
import type { Overlay } from "../state/state.js";

/** A line: the name of a group, or keys and what they do. */
export type HelpLine = { readonly group: string } | { readonly keys: string; readonly text: string };

const KEYS = 18;
/** The lines of the help overlay that match its filter. */
export function helpLines({ filter }: Pick<Extract<Overlay, { kind: "help" }>, "filter">, user: UserKeys, width: number): HelpLine[] {
  const wanted = (filter ?? "").toLowerCase();
  return GROUPS.flatMap((group): HelpLine[] => {
    const lines = COMMAND_IDS.flatMap((id): HelpLine[] => {
      const { title } = COMMANDS[id];
      const keys = keysOf(id, user).map(keyLabel).join("  ");
      if (COMMANDS[id].group !== group || !`${keys} ${title} ${id}`.toLowerCase().includes(wanted)) return [];
      return wrapText(title, width - KEYS - 1).map((text, i) => ({ keys: (i === 0 ? `  ${keys}` : "").padEnd(KEYS), text }));
    });
    return lines.length > 0 ? [{ group }, ...lines, { group: "" }] : [];
  });
}
