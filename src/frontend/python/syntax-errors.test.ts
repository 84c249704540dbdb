import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parsePython } from "./parse.js";

/** Texts with what CPython 3.11 says of them: line, column from 1 (in the file, where it counts from the bracket of an f-string), and message. */
const WRONG: readonly (readonly [text: string, line: number, column: number, message: string])[] = JSON.parse(
  readFileSync("fixtures/frontend/syntax-errors.json", "utf8"),
);

const say = (text: string): readonly (string | number)[] => {
  const parsed = parsePython(text, "case.py");
  return parsed.kind === "SyntaxError" ? [text, parsed.line, parsed.col + 1, `${parsed.name}: ${parsed.message}`] : [text];
};

test("what is wrong is told in CPython's words at CPython's place", () => {
  expect(WRONG.map(([text]) => say(text))).toEqual(WRONG);
});

test("a text of a megabyte and deep brackets are told of like any other", () => {
  const lines = "x = [1, 2, 3]\n".repeat(70_000);
  expect(say(`${lines}x = = 3\n`).slice(1)).toEqual([70_001, 5, "SyntaxError: invalid syntax"]);
  expect(say(`x = ${"(".repeat(100_000)}`).slice(1)).toEqual([1, 205, "SyntaxError: too many nested parentheses"]);
  expect(say(`x = '${"é".repeat(500_000)}' 3`).slice(1)).toEqual([1, 1_000_008, "SyntaxError: invalid syntax"]);
});
