import { expect, test } from "vitest";
import { bytesOf, compact } from "./bytes.js";
import { fromBytes, toBytes } from "./utf8.js";

test("text becomes UTF-8 bytes and back", () => {
  for (const text of ["", "plain", "\ufeffx", "é中\u{1f600}", "a\0b"]) expect(fromBytes(toBytes(text))).toBe(text);
  expect(toBytes("é")).toBe("\xc3\xa9");
  expect(fromBytes("\xff")).toBe("\ufffd");
});

test("a copy holds the same characters", () => {
  const text = "a\xff".repeat(5000);
  expect(compact(text)).toBe(text);
  expect([...bytesOf("a\xff")]).toEqual([97, 255]);
});
