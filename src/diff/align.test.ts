import { expect, test } from "vitest";
import { terminalText } from "../support/terminal-text.js";
import { importTexts } from "../trace/import/import-dump.js";
import { align } from "./align.js";
import { countsText, sideBySide, unified } from "./hunks.js";

const func = (...lines: readonly string[]) =>
  `module {\n  tt.func @f(%arg0: i32, %arg1: i32) {\n${lines.map((l) => `    ${l}\n`).join("")}    tt.return\n  }\n}\n`;

function diff(a: string, b: string) {
  const { steps, lines } = importTexts("", "texts", [
    { pass: "A", flag: "a", stage: undefined, text: a },
    { pass: "B", flag: "b", stage: undefined, text: b },
  ]);
  const [before, after] = [steps[0]!.text, steps[1]!.text];
  const alignment = align(lines, before, after, [steps[1]!.origins]);
  // Every line is in one row.
  expect(new Set(alignment.rows.filter((r) => r.left >= 0).map((r) => r.left)).size).toBe(before.lines.length);
  expect(new Set(alignment.rows.filter((r) => r.right >= 0).map((r) => r.right)).size).toBe(after.lines.length);
  const text = { lines, before, after };
  return { counts: countsText(alignment), unified: unified(text, alignment), alignment, text };
}

test("renumbered values, blocks and aliases are no difference", () => {
  const a = `#blocked = #ttg.blocked<{a = 1}>\n#blocked1 = #ttg.blocked<{a = 2}>\n${func("%0 = a.b %arg0 : tensor<4xi32, #blocked>", "%1 = a.c %0 : tensor<4xi32, #blocked1>", "cf.br ^bb1", "^bb1:  // pred: ^bb0", "a.d %1 : i32")}`;
  const b = `#blocked = #ttg.blocked<{a = 2}>\n#blocked1 = #ttg.blocked<{a = 1}>\n${func("%x = a.b %arg0 : tensor<4xi32, #blocked1>", "%3 = a.c %x : tensor<4xi32, #blocked>", "cf.br ^bb7", "^bb7:  // 2 preds: ^bb0, ^bb1", "a.d %3 : i32")}`;
  expect(diff(a, b)).toMatchObject({ counts: "0 changes", unified: "" });
});

test("aliases on one side only are no difference", () => {
  const a = `#blocked = #ttg.blocked<{a = 1}>\n${func("%0 = a.b %arg0 : tensor<4xi32, #ttg.slice<{dim = 0, parent = #blocked}>>")}`;
  const b = func("%0 = a.b %arg0 : tensor<4xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{a = 1}>}>>");
  expect(diff(a, b)).toMatchObject({ counts: "0 changes", unified: "" });
});

test("an operand that is another value is a difference, one that was made anew is not", () => {
  const a = func("%0 = a.b %arg0 : i32", "%1 = a.c %0, %arg1 : i32");
  expect(diff(a, func("%0 = a.b %arg0 : i32", "%1 = a.c %0, %arg0 : i32")).counts).toBe("1 changed");
  expect(diff(a, func("%0 = a.new %arg0 : i32", "%1 = a.c %0, %arg1 : i32")).counts).not.toContain("added");
});

test("an op that moves is shown as moved, its region with it", () => {
  const a = func("scf.for %arg2 = %arg0 to %arg1 {", "  %0 = a.b %arg1 : i32", "  a.c %0 : i32", "}", "a.last");
  const b = func("%0 = a.b %arg1 : i32", "scf.for %arg2 = %arg0 to %arg1 {", "  a.c %0 : i32", "}", "a.last");
  const { counts, unified: text } = diff(a, b);
  expect(counts).toBe("1 moved");
  expect(text).toBe(`@@ -1 +1 @@
 module {
   tt.func @f(%arg0: i32, %arg1: i32) {
>    %0 = a.b %arg1 : i32  // moved from line 4
     scf.for %arg2 = %arg0 to %arg1 {
<      %0 = a.b %arg1 : i32  // moved to line 3
       a.c %0 : i32
     }
     a.last
`);
});

test("what is gone stands before what is new, and new ops name the line they come from", () => {
  const located = (text: string) => `${text} loc("k.py":7:0)`;
  const a = func(located("%0 = tt.load %arg0 : i32"), "a.use %0 : i32");
  const b = func(located("%0 = llvm.ptr %arg0 : i32"), located("%1 = llvm.load %0 : i32"), "a.use %1 : i32");
  const { unified: text } = diff(a, b);
  expect(text).toContain("-    %0 = tt.load %arg0 : i32\n+    %0 = llvm.ptr %arg0 : i32\n+    %1 = llvm.load %0 : i32  // from line 3\n");
});

test("side by side, and in colour", () => {
  const { text, alignment } = diff(func("%0 = a.b %arg0 : i32"), func("%0 = a.b %arg1 : i32"));
  expect(sideBySide(text, alignment, 103).split("\n")[3]).toBe(`${"    %0 = a.b %arg0 : i32".padEnd(50)} |     %0 = a.b %arg1 : i32`);
  expect(terminalText(unified(text, alignment, true))).toContain(
    "\x1b[31m-    %0 = a.b %arg0 : i32\x1b[0m\n\x1b[32m+    %0 = a.b %arg1 : i32\x1b[0m\n",
  );
});
