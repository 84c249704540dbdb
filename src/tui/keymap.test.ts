import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMAND_IDS, COMMANDS, isPrefix, keyListMarkdown, keyTable } from "./keymap.js";
import { decodeInput } from "./keys.js";

test("every command has a key, and no key is given twice", () => {
  for (const id of COMMAND_IDS) expect(COMMANDS[id].keys.length, id).toBeGreaterThan(0);
  const keys = COMMAND_IDS.flatMap((id) => [...COMMANDS[id].keys]);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test("no key is also the beginning of a sequence", () => {
  const table = keyTable({});
  for (const key of table.keys()) expect(isPrefix({}, key), key).toBe(false);
});

test("keys can be changed", () => {
  const table = keyTable({ quit: ["Q"] });
  expect([table.get("Q"), table.get("q")]).toEqual(["quit", undefined]);
});

test("docs/ui.md lists the keys as they are", () => {
  expect(readFileSync("docs/ui.md", "utf8")).toContain(keyListMarkdown());
});

test("what terminals send", () => {
  const names = (text: string) => decodeInput(text).map((i) => (i.kind === "key" ? i.key : `${i.what} ${i.x},${i.y}`));
  expect(names("jj\x1b[A\x1b[6~\x1bOH\x1b")).toEqual(["j", "j", "up", "pgdn", "home", "esc"]);
  expect(names("\x1b[<0;12;3M\x1b[<0;12;3m\x1b[<65;1;1M")).toEqual(["press 11,2", "wheel-down 0,0"]);
  expect(names("\x04 \r\t\x1b[Z\x7f")).toEqual(["ctrl+d", "space", "enter", "tab", "shift+tab", "backspace"]);
  expect(names("é")).toEqual(["é"]);
});
