/** A changed word is in sight at every width, for every changed line of every kernel: at 80, 120, 140 and 200 columns. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { initialState, reduce } from "../../control/reducer.js";
import { PAPERS, paperOf, type Row, textOf } from "../../draw/style.js";
import { computed, kernelSession, typed } from "../../session.fixture.js";
import { insideOf } from "../../state/places.js";
import { partsInSight, resultEncoding, shortLine } from "./in-sight.js";
import { diffRows, displayOf } from "./model.js";

const KERNELS = readdirSync("fixtures/kernels").filter((name) => name.endsWith(".ttir") && !name.includes("triton20"));
const LIT = new Set(["addedWord", "removedWord"].map((paper) => PAPERS.indexOf(paper as (typeof PAPERS)[number])));

const SETTINGS = { keys: {}, ascii: false, command: [] };

const litIn = (row: Row): string[] => row.filter(([, style]) => LIT.has(paperOf(style))).map(([text]) => text);

test.each(KERNELS)("%s", (name) => {
  const session = kernelSession(`fixtures/kernels/${name}`);
  let lit = 0;
  const hidden: string[] = [];
  for (const columns of [80, 120, 140, 200]) {
    const start = typed(initialState(session, { columns, rows: 40 }, SETTINGS), "2");
    const { width } = insideOf(start, "diff")!;
    for (const step of session.trace.steps) {
      if (!step.changed || step.stage === "llir") continue;
      const state = computed(reduce(start, { type: "session", session, select: step.index }));
      const size = { width, height: displayOf(state)!.length };
      const whole = diffRows(state, { ...size, width: 10_000 });
      const narrow = diffRows(state, size);
      whole.forEach((row, i) => {
        const words = litIn(row);
        if (words.length === 0) return;
        lit++;
        const shown = litIn(narrow[i]!);
        const isReadable = (word: string) => shown.some((part) => part === word || (part.length > 16 && word.startsWith(part)));
        const isSigned = shown.length === words.length || textOf(narrow[i]!).includes("…");
        if (!words.some(isReadable) || !isSigned) hidden.push(`${columns} ${step.flag}: ${words.join(" | ")}\n${textOf(narrow[i]!)}`);
      });
    }
  }
  expect(lit).toBeGreaterThan(40);
  expect(hidden).toEqual([]);
});

test("the beginning, the stretch, and what is around it", () => {
  const line = `%0 = a.op ${"x".repeat(50)} changed ${"y".repeat(50)}`;
  const at = line.indexOf("changed");
  const parts = partsInSight(line, 40, [[at, at + 7]]);
  expect(parts.map(([from, to]) => line.slice(from, to)).join("…")).toMatch(/^%0 = a\.op.*….*changed/);
  expect(parts.reduce((n, [from, to]) => n + to - from + 1, 0)).toBeLessThanOrEqual(40);
});

test("a new line that is too long ends with the layout that it gives", () => {
  const line = "%0 = ttg.convert_layout %1 : tensor<64x64xf16, #blocked1> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma}>>";
  const seen = (text: string, columns: number) =>
    partsInSight(text, columns, resultEncoding(text))
      .map(([from, to]) => text.slice(from, to))
      .join("…");
  expect(seen(line, 80)).toMatch(/^%0 = ttg\.convert_layout.*….*, #ttg\.dot_op<\{opIdx = 0, parent = #mma\}>>$/);
  expect(seen(shortLine(line).text, 45)).toMatch(/^%0 = ttg.convert_layout .*#mma·dot0›$/);
  expect(resultEncoding("tt.return")).toEqual([]);
});

test("short types say shape, element and layout", () => {
  const dot = "tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>";
  const slice = "tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #blocked}>>";
  const { text, stretchOf } = shortLine(`%1 = a.b %0 : ${dot} -> ${slice}`);
  expect(text).toBe("%1 = a.b %0 : ‹64x32xf16 #mma·dot1·k2› -> ‹64x*f16 #blocked·slice0›");
  const [from, to] = stretchOf([20, 25]);
  expect(text.slice(from, to)).toBe("‹64x32xf16 #mma·dot1·k2›");
});

test("a new line of a block or of many values keeps its beginning", () => {
  const types = "tensor<64x64xf32, #mma>, i32, !ttg.async.token, !ttg.async.token";
  for (const line of [
    `^bb1(%85: i32, %86: ${types}):`,
    `  cf.br ^bb1(%1, %2 : i32, ${types})`,
    `  %0 = ttg.local_alloc : () -> ${MEMDESC}`,
  ]) {
    expect(resultEncoding(line)).toEqual([]);
    expect(partsInSight(line, 40, resultEncoding(line))).toEqual([[0, 39]]);
  }
  const block = `  ^bb1(%85: i32, %86: ${types}):  // 2 preds: ^bb0, ^bb2`;
  const at = block.indexOf("// 2");
  expect(partsInSight(block, 40, [[at, at + 10]])[0]![1]).toBeGreaterThanOrEqual("  ^bb1".length);
});
const MEMDESC = "!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>";

test("short types of buffers", () => {
  expect(shortLine(`%0 = ttg.local_alloc : () -> ${MEMDESC}`).text).toBe(
    "%0 = ttg.local_alloc : () -> ‹2x64x64xf16 #shared #smem mutable›",
  );
  const written = "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, order = [1, 0]}>, #smem>";
  expect(shortLine(written).text).toBe("‹64x64xf16 #ttg.swizzled_shared<{vec = 8, order = [1, 0]}> #smem›");
});

test("a wrapped line goes on at a blank where there is one near the end", () => {
  const start = typed(initialState(kernelSession("fixtures/kernels/vecadd.ttir"), { columns: 80, rows: 40 }, SETTINGS), "2W|");
  const shown = (width: number) => diffRows(start, { width, height: 400 }).map((row) => textOf(row).trimEnd());
  const [rows, whole] = [shown(50), shown(10_000)];
  expect(rows.filter((row) => row.length > 50)).toEqual([]);
  const letters = (texts: readonly string[]) => texts.map((text) => text.replaceAll(" ", "")).join("");
  expect(letters(rows)).toBe(letters(whole));
  // Every further row begins with a whole word.
  const words = new Set(whole.flatMap((text) => text.split(/ +/)));
  const further = rows.filter((row) => !/^ *\d+ /.test(row)).map((row) => row.trim().split(" ")[0]!);
  expect(further.length).toBeGreaterThan(20);
  expect(further.filter((word) => !words.has(word))).toEqual([]);
});
