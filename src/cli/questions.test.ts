/** Every question of docs/questions.md is answered by the output of its command, as the page shows it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memo } from "../support/memo.js";
import { memoryIo } from "../testing/memory-io.js";
import { outputOf } from "./tour-command.js";
import { main } from "./tt-step.js";

const PAGE = readFileSync("docs/questions.md", "utf8");
const QUESTIONS = [...PAGE.matchAll(/^### \d+\. (.*)\n\n```\n\$ (.*)\n([\s\S]*?)\n```\n\n(.+)$/gm)].map(
  ([, ...parts]) => parts as [string, string, string, string],
);
const output = memo((command: string) => outputOf(command, "", main, memoryIo()), 64);

test("there are ten questions on each of four articles", () => {
  const sections = PAGE.split(/^## /m).slice(1);
  expect(sections.map((section) => section.match(/^### /gm)?.length)).toEqual([10, 10, 10, 10]);
  expect(QUESTIONS).toHaveLength(40);
});

test.each(QUESTIONS)("%s", async (_, command, shown) => {
  const lines = (await output(command)).split("\n").map((line) => line.trimEnd());
  let at = -1;
  for (const line of shown.trimEnd().split("\n"))
    if (line !== "...") {
      at = lines.indexOf(line, at + 1);
      expect(at, `${command} does not print: ${line}`).toBeGreaterThanOrEqual(0);
    }
  expect(at).toBeGreaterThanOrEqual(0);
});
