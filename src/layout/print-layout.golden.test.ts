/** Both views of a layout against real Triton 3.6: all recorded prints by their hashes, small ones of every family in full. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readAttribute } from "./attribute-reader.fixture.js";
import { printHwView, printTensorView } from "./print-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

type View = "tensor" | "hw";
const read = <Row>(name: string): readonly Row[] => JSON.parse(readFileSync(`fixtures/layout/${name}.json`, "utf8")) as readonly Row[];

function print(attr: string, shape: readonly number[], view: View): string[] {
  const lines: string[] = [];
  (view === "hw" ? printHwView : printTensorView)(toLinearLayout(shape, readAttribute(attr)), (line) => lines.push(line));
  return lines;
}

test("small prints of every family", () => {
  type Row = readonly [attr: string, shape: readonly number[], view: View, lines: readonly string[]];
  for (const [attr, shape, view, lines] of read<Row>("prints"))
    expect(print(attr, shape, view), `${attr} ${shape.join("x")} ${view}`).toEqual(lines);
});

test("all prints, by a prefix of their SHA-256", () => {
  type Row = readonly [attr: string, shape: readonly number[], view: View, hash: string];
  for (const [attr, shape, view, hash] of read<Row>("print-hashes")) {
    const text = `${print(attr, shape, view).join("\n")}\n`;
    expect(createHash("sha256").update(text).digest("hex").slice(0, 16), `${attr} ${shape.join("x")} ${view}`).toBe(hash);
  }
});
