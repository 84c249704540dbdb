import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isDumpLog, splitLog } from "./dump-log.js";
import { importDumpLog } from "./import-dump.js";

const before = (pass: string, flag: string, op = "builtin.module") =>
  `// -----// IR Dump Before ${pass} (${flag}) ('${op}' operation) //----- //`;
const module = (...lines: readonly string[]) =>
  ["module {", "  tt.func @f() {", ...lines.map((l) => `    ${l}`), "    tt.return", "  }", "}"].join("\n");

test("headers of every era", () => {
  const headers = [
    ["// -----// IR Dump After Canonicalizer //----- //", "after", "Canonicalizer", undefined, "", undefined, undefined],
    [
      "// -----// IR Dump Before CSE (cse) ('builtin.module' operation) //----- //",
      "before",
      "CSE",
      "cse",
      "",
      "builtin.module",
      undefined,
    ],
    ["// -----// IR Dump Before CSE (cse) ('tt.func' operation: @f) //----- //", "before", "CSE", "cse", "", "tt.func", "f"],
    [`// -----// IR Dump Before CSE (cse) ('tt.func' operation: @"a (b)") //----- //`, "before", "CSE", "cse", "", "tt.func", "a (b)"],
    [
      "// -----// IR Dump Before A: b-c{d=1  e=2 } ('builtin.module' operation) //----- //",
      "before",
      "A",
      "b-c",
      "d=1 e=2",
      "builtin.module",
      undefined,
    ],
    [
      "// -----// SoftwarePipeliner internal IR Dump After: LowerLoops",
      "internal",
      "SoftwarePipeliner",
      "LowerLoops",
      "",
      undefined,
      undefined,
    ],
  ] as const;
  for (const [line, when, pass, flag, options, op, symbol] of headers) {
    expect(isDumpLog(line)).toBe(true);
    expect(splitLog(`${line}\n${module()}\n`).dumps).toEqual([
      { line: 1, when, pass, flag, options, op, symbol, text: `${module()}\n`, complete: true },
    ]);
  }
});

test("lines of other origin are kept outside, between and inside", () => {
  const log = [
    "a warning",
    before("CSE", "cse"),
    "module {",
    "Traceback of something",
    "  tt.func @f() {",
    "    warn_once(X)",
    "    tt.return",
    "  }",
    "}",
    "done",
  ].join("\n");
  const { dumps, warnings } = splitLog(log);
  expect(dumps[0]).toMatchObject({ text: `${module()}\n`, complete: true });
  expect(warnings).toEqual(["lines 1, 4, 6, 10: of other origin, passed over"]);
});

test("a module without a header belongs to nobody", () => {
  const { dumps, warnings } = splitLog(`${before("CSE", "cse")}\n${module()}\n${module("%0 = a.b : i32")}\n`);
  expect(dumps[0]!.text).toBe(`${module()}\n`);
  expect(warnings).toEqual(["lines 7 to 12: of other origin, passed over"]);
});

test("the logs of two processes, interleaved", () => {
  const log = [
    before("CSE", "cse"),
    "module {",
    "  tt.func @f() {",
    before("Inliner", "inline"),
    module("%0 = a.b : i32"),
    "    tt.return",
    "  }",
    "}",
  ].join("\n");
  const { dumps, warnings } = splitLog(log);
  expect(dumps.map((d) => d.complete)).toEqual([false, true]);
  expect(dumps[1]!.text).toBe(`${module("%0 = a.b : i32")}\n`);
  expect(warnings).toEqual(["line 1: the IR of CSE is cut off", "lines 11 to 13: of other origin, passed over"]);
});

test("IR that is interrupted by other IR is read from there on", () => {
  const log = [before("CSE", "cse"), "module {", "  tt.func @f() {", module()].join("\n");
  const { dumps, warnings } = splitLog(log);
  expect(dumps[0]).toMatchObject({ text: `${module()}\n`, complete: true });
  expect(warnings).toEqual(["line 4: the IR of CSE (line 1) is interrupted; it is read from here on"]);
});

test("a log may end at any byte, and begin at any", () => {
  const log = `${before("CSE", "cse")}\n#loc = loc("f.py":1:0)\n${module("%0 = a.b : i32 loc(#loc)")}\n#loc1 = loc("\xc3\xa9":1:1)\n\n\n${before("Inliner", "inline")}\n${module("%0 = a.b : i32")}\n`;
  for (let i = 0; i <= log.length; i++)
    for (const cut of [log.slice(0, i), log.slice(i)]) {
      const trace = importDumpLog("log", cut);
      // IR after a whole header can be stepped.
      if (/^\/\/ -----\/\/ IR Dump Before .* \/\/-----? \/\/\n(?:#.*\n)?module \{/m.test(cut)) expect(trace).not.toHaveProperty("error");
      if (!("error" in trace)) expect(trace.steps.length).toBeGreaterThan(0);
    }
});

test("a real log may end anywhere", () => {
  const log = readFileSync("fixtures/dumps/2.0.0-gemm.log", "latin1");
  for (let i = 60; i <= log.length; i += 487) expect(() => importDumpLog("log", log.slice(0, i))).not.toThrow();
});

test("carriage returns are not IR", () => {
  expect(splitLog(`${before("CSE", "cse")}\r\n${module().replaceAll("\n", "\r\n")}\r\n`).dumps[0]).toMatchObject({
    text: `${module()}\n`,
    complete: true,
  });
});

test("a log without IR says so", () => {
  expect(importDumpLog("log", `${before("CSE", "cse")}\n`)).toEqual({
    error: "the log holds no IR; line 1: no IR follows the header of CSE",
  });
  expect(splitLog("// -----// IR Dump Bef").warnings).toEqual(["line 1: this header is cut off or not understood"]);
});
