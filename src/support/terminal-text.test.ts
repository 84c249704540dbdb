import { expect, test } from "vitest";
import { colour, terminalLine, terminalText } from "./terminal-text.js";

const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

test.each([
  ["plain, with a tab\tand lines\nand\r\n", "plain, with a tab\tand lines\nand\r\n"],
  ["\x1b]52;c;AAAA\x07", "\\x1b]52;c;AAAA\\x07"],
  ["over\rwritten", "over\\x0dwritten"],
  ["\x7f\x9b31m", "\\u007f\\u009b31m"],
  [bytes("größer → ≠ 中 😀"), bytes("größer → ≠ 中 😀")],
  [bytes("\u009b31m \u202eEVIL\u2066"), "\\u009b31m \\u202eEVIL\\u2066"],
  // Overlong C1, and bytes that are no UTF-8.
  ["\xe0\x82\x9b \xc0\x9b \xf6", "\\u009b \xc0\\u009b \xf6"],
  // UTF-16, as names of files are.
  ["→ \u202e", "→ \\u202e"],
  [`${colour(31)}-x${colour(0)}`, "\x1b[31m-x\x1b[0m"],
])("%j is shown as %j", (text, shown) => expect(terminalText(text)).toBe(shown));

test("a name is one line, and JSON stays JSON", () => {
  expect(terminalLine("a\nb: error: made up")).toBe("a\\nb: error: made up");
  const text = JSON.stringify("\x1b\x7f\u009b\u202e");
  expect(JSON.parse(terminalText(text))).toBe("\x1b\x7f\u009b\u202e");
});
