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
  return { counts: countsText(alignment), unified: unified(text, alignment.rows), alignment, text };
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

test("an op is opposite the one most like it that was made from it, and the others name the line they come from", () => {
  const located = (text: string) => `${text} loc("k.py":7:0)`;
  const a = func(located("%0 = tt.load %arg0 : i32"), "a.use %0 : i32");
  const b = func(located("%0 = llvm.ptr %arg0 : i32"), located("%1 = llvm.load %0 : i32"), "a.use %1 : i32");
  const { unified: text } = diff(a, b);
  expect(text).toContain("+    %0 = llvm.ptr %arg0 : i32  // from line 3\n-    %0 = tt.load %arg0 : i32\n+    %1 = llvm.load %0 : i32\n");
});

test("an alias with another meaning is one line, and the lines that use it are as before", () => {
  const ops = ["%0 = a.b %arg0 : tensor<4xi32, #blocked>", "%1 = a.c %0 : tensor<4xi32, #ttg.slice<{dim = 0, parent = #blocked}>>"];
  const { counts, unified: text } = diff(
    `#blocked = #ttg.blocked<{a = 1}>\n${func(...ops)}`,
    `#blocked = #ttg.blocked<{a = 2}>\n${func(...ops)}`,
  );
  expect(counts).toBe("1 layout redefined");
  expect(text.match(/^[-+].*/gm)).toEqual(["-#blocked = #ttg.blocked<{a = 1}>", "+#blocked = #ttg.blocked<{a = 2}>  // 2 lines use it"]);
});

test("a line that takes another layout than the others is a difference", () => {
  const a = `#blocked = #ttg.blocked<{a = 1}>\n${func("%0 = a.b %arg0 : tensor<4xi32, #blocked>", "%1 = a.c %0 : tensor<4xi32, #blocked>", "a.d %1 : tensor<4xi32, #blocked>")}`;
  const b = `#blocked = #ttg.blocked<{a = 2}>\n#blocked1 = #ttg.blocked<{a = 3}>\n${func("%0 = a.b %arg0 : tensor<4xi32, #blocked>", "%1 = a.c %0 : tensor<4xi32, #blocked1>", "a.d %1 : tensor<4xi32, #blocked>")}`;
  expect(diff(a, b)).toMatchObject({ counts: "1 changed, 1 layout redefined" });
});

test("lines that use another alias that was there before are as before, and notes say which", () => {
  const ops = (...aliases: readonly string[]) => func(...aliases.map((alias, i) => `%${i} = a.op${i} %arg0 : tensor<4xi32, #${alias}>`));
  const { counts, unified: text } = diff(
    `#blocked = #ttg.blocked<{a = [1]}>\n#blocked1 = #ttg.blocked<{a = [4]}>\n${ops("blocked", "blocked", "blocked1")}`,
    `#blocked = #ttg.blocked<{a = [4]}>\n${ops("blocked", "blocked", "blocked")}`,
  );
  expect(counts).toBe("1 layout redefined");
  expect(text.split("\n").slice(1, 3)).toEqual([
    "-#blocked = #ttg.blocked<{a = [1]}>  // 2 lines use #blocked1 instead",
    " #blocked = #ttg.blocked<{a = [4]}>  // #blocked1 before",
  ]);
});

test("a changed line that reads as before says what its names stand for now", () => {
  const ops = (...aliases: readonly string[]) => func(...aliases.map((alias, i) => `%${i} = a.op${i} %arg0 : tensor<4xi32, #${alias}>`));
  const a = `#blocked = #ttg.blocked<{a = [1, 2], order = [0]}>\n#blocked1 = #ttg.blocked<{a = [4, 2], order = [0]}>\n`;
  const b = `#blocked = #ttg.blocked<{a = [4, 2], order = [0]}>\n#blocked1 = #ttg.blocked<{a = [1, 2], order = [0]}>\n`;
  expect(diff(a + ops("blocked", "blocked1"), b + ops("blocked", "blocked")).unified.match(/^[-+].*/gm)).toEqual([
    "-    %0 = a.op0 %arg0 : tensor<4xi32, #blocked>",
    "+    %0 = a.op0 %arg0 : tensor<4xi32, #blocked>  // #blocked: a [1, 2] -> [4, 2]",
  ]);
  const use = (...lines: readonly string[]) => func(...lines, "a.use %0 : i32");
  expect(diff(use("%1 = a.b : i32", "%0 = a.c : i32"), use("%0 = a.b : i32", "%1 = a.c : i32")).unified).toContain(
    "-    a.use %0 : i32\n+    a.use %0 : i32  // another %0",
  );
});

test("the target alone is no difference", () => {
  const module = (target: string) => `module attributes {ttg.target = "cuda:${target}"} {\n  a.b\n}\n`;
  expect(diff(module("80"), module("90"))).toMatchObject({ counts: "0 changes", unified: "" });
});

test("arguments and results of a loop that has fewer of them are the same", () => {
  const loop = (count: number, args: string, ...body: readonly string[]) =>
    func(
      `%0:${count} = scf.for %i = %arg0 to %arg1 iter_args(${args}) {`,
      ...body.map((line) => `  ${line}`),
      "}",
      `a.use %0#${count - 1} : i32`,
    );
  const a = loop(2, "%x = %arg0, %y = %arg1", "%1 = a.b %y : i32", "scf.yield %x, %1 : i32");
  const b = loop(1, "%y = %arg1", "%1 = a.b %y : i32", "scf.yield %1 : i32");
  expect(
    diff(a, b)
      .unified.match(/^[-+] .*/gm)!
      .map((line) => line.replace(/\s+/g, " ")),
  ).toEqual([
    "- %0:2 = scf.for %i = %arg0 to %arg1 iter_args(%x = %arg0, %y = %arg1) {",
    "+ %0:1 = scf.for %i = %arg0 to %arg1 iter_args(%y = %arg1) {",
    "- scf.yield %x, %1 : i32",
    "+ scf.yield %1 : i32",
  ]);
});

test("side by side, and in colour", () => {
  const { text, alignment } = diff(func("%0 = a.b %arg0 : i32"), func("%0 = a.b %arg1 : i32"));
  expect(sideBySide(text, alignment.rows, 103).split("\n")[3]).toBe(`${"    %0 = a.b %arg0 : i32".padEnd(50)} |     %0 = a.b %arg1 : i32`);
  expect(terminalText(unified(text, alignment.rows, true))).toContain(
    "\x1b[31m-    %0 = a.b %arg0 : i32\x1b[0m\n\x1b[32m+    %0 = a.b %arg1 : i32\x1b[0m\n",
  );
});
