import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMAND_IDS, COMMANDS, isPrefix, keyListMarkdown, keyTable } from "./keymap.js";

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
