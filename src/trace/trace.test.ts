import { deflateRawSync, inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { LineTable, PAGE_SIZE } from "./line-table.js";

function startsOf(text: string): Int32Array {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return Int32Array.from(starts);
}

test("equal lines are kept once", () => {
  const table = new LineTable();
  const numbers = table.numbers("a\nb\na\n", startsOf("a\nb\na\n"));
  expect([...numbers]).toEqual([0, 1, 0]);
  expect(table.bytes).toBe(2);
});

test("large texts are kept deflated where the host can, and read back", () => {
  LineTable.deflater = {
    deflate: (text) => deflateRawSync(Buffer.from(text, "latin1")),
    inflate: (bytes) => inflateRawSync(bytes).toString("latin1"),
  };
  const table = new LineTable();
  const small = table.numbers("first\n", startsOf("first\n"));
  const texts = [0, 1, 2].map((k) =>
    Array.from({ length: 60_000 }, (_, i) => `    %${i} = llvm.add %${k}, \xe9 : ${"i32".repeat(20)}\n`).join(""),
  );
  const numbers = texts.map((text) => table.numbers(text, startsOf(text)));
  expect(texts[0]!.length).toBeGreaterThan(PAGE_SIZE);
  expect(table.bytes).toBeLessThan(texts[0]!.length / 2);
  for (const [k, text] of texts.entries()) {
    const step = { lines: numbers[k]!, ops: new Int32Array(0), hashes: new Int32Array(0) };
    expect(table.textOf(step) === text).toBe(true);
  }
  expect(table.line(numbers[2]![59_999]!)).toBe(texts[2]!.trimEnd().slice(texts[2]!.trimEnd().lastIndexOf("\n") + 1));
  expect(table.line(small[0]!)).toBe("first");
  const { lines, indexOf } = table.all();
  expect(lines[indexOf(numbers[1]![7]!)]).toBe(table.line(numbers[1]![7]!));
});
