import { expect, test } from "vitest";
import { BackgroundReply } from "./terminal-background.js";

/** The rest of chunks that were read, and the colour that was found. */
function taken(...chunks: readonly string[]) {
  const found: boolean[] = [];
  const reply = new BackgroundReply((isLight) => found.push(isLight));
  return { typed: chunks.map((chunk) => reply.take(chunk)).join(""), found };
}

test("the reply is taken out of what is typed, whole or in pieces", () => {
  expect(taken("\x1b]11;rgb:ffff/ffff/dddd\x07")).toEqual({ typed: "", found: [true] });
  expect(taken("j\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\kq")).toEqual({ typed: "jkq", found: [false] });
  expect(taken("j\x1b]1", "1;rgb:ff/f", "f/ff\x1b", "\\k")).toEqual({ typed: "jk", found: [true] });
});

test("keys pass when no reply comes, escape among them", () => {
  expect(taken("\x1b", "j", "\x1b[A", "]11")).toEqual({ typed: "\x1bj\x1b[A]11", found: [] });
  expect(taken("\x1b]11;rgb:0/0/0\x07", "\x1b]11;rgb:0/0/0\x07").typed).toBe("\x1b]11;rgb:0/0/0\x07");
});
