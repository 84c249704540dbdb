import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Step, Trace } from "../trace.js";
import { importDumpLog, importTexts } from "./import-dump.js";

function log(path: string, debugInfo = false): Trace {
  const trace = importDumpLog(path, readFileSync(`fixtures/dumps/${path}`, "latin1"), { debugInfo });
  if ("error" in trace) throw new Error(trace.error);
  return trace;
}
const pair = (a: string, b: string): Trace =>
  importTexts("pair", "texts", [
    { pass: "A", flag: "a", stage: undefined, text: a },
    { pass: "B", flag: "b", stage: undefined, text: b },
  ]);
/** For each line of the second step that begins an op, the line of its partner in the first; -1 for a new op. */
const partners = ({ steps }: Trace): number[] => {
  const [a, b] = steps as [Step, Step];
  return [...b.text.ops].filter((id) => id !== 0).map((id) => a.text.ops.indexOf(id));
};

test.each(["2.0.0-gemm", "2.0.0-vecadd", "3.1.0-vecadd", "3.2.0-softmax", "3.6.0-softmax", "3.9.0-softmax"])(
  "%s: every banner is a step",
  (name) => {
    const text = readFileSync(`fixtures/dumps/${name}.log`, "latin1");
    const trace = log(`${name}.log`);
    const banners = text.match(/^\/\/ -----\/\/ .*IR Dump/gm)!.length;
    const shown = trace.steps.filter((s) => s.kind !== "source");
    // Triton 2.0 shows changed passes only; the others are listed too.
    expect(name.startsWith("2.0") ? shown.length >= banners : shown.length === banners).toBe(true);
    expect(trace.steps.map((s) => s.index)).toEqual(trace.steps.map((_, i) => i));
    // Without debug information the lines hold no locations.
    for (const step of trace.steps) expect(trace.lines.textOf(step.text)).not.toContain("loc(");
  },
);

test("an import says before each step how far it is", () => {
  const text = readFileSync("fixtures/dumps/3.6.0-softmax.log", "latin1");
  const said: string[] = [];
  const trace = importDumpLog("log", text, { progress: ({ what, done, of }) => void said.push(`${what} ${done} of ${of}`) });
  if ("error" in trace) throw new Error(trace.error);
  // The source comes with the first dump.
  expect(said).toEqual(trace.steps.map((_, i) => `import ${i} of ${trace.steps.length - 1}`));
});

test("locations are kept on demand", () => {
  const trace = log("3.1.0-vecadd.log", true);
  expect(trace.lines.textOf(trace.steps[0]!.text)).toContain('#loc = loc("');
});

test("most ops of real logs have a partner, and the others an origin", () => {
  for (const name of ["2.0.0-gemm", "3.1.0-vecadd", "3.2.0-softmax", "3.6.0-softmax", "3.9.0-softmax"]) {
    const note = log(`${name}.log`).warnings.find((w) => w.includes("no partner"))!;
    expect(Number(/; ([\d.]+) % come from no known op/.exec(note)![1])).toBeLessThan(0.5);
  }
});

test("what a lowering makes leads back to what it was made from", () => {
  const trace = log("3.1.0-vecadd.log");
  const step = trace.steps.find((s) => s.flag === "convert-triton-gpu-to-llvm")!;
  const before = trace.steps[step.index - 1]!;
  const nameOf = (s: Step, id: number): string => trace.lines.line(s.text.lines[s.text.ops.indexOf(id)]!).trim();
  const origins = new Map<number, number>();
  for (let i = 0; i < step.origins.length; i += 2) origins.set(step.origins[i]!, step.origins[i + 1]!);
  const adds = [...step.text.ops].filter((id) => id !== 0 && nameOf(step, id).includes("llvm.fadd"));
  expect(adds.length).toBeGreaterThan(1);
  for (const id of adds) expect(nameOf(before, origins.get(id)!)).toContain("arith.addf");
});

test("a function alone continues that function of the module before", () => {
  const f = "tt.func @f(%arg0: i32) -> i32 {\n  %0 = arith.addi %arg0, %arg0 : i32\n  tt.return %0 : i32\n}\n";
  const g = "tt.func @g(%arg0: i32) -> i32 {\n  %0 = arith.muli %arg0, %arg0 : i32\n  tt.return %0 : i32\n}\n";
  const indented = (text: string) => text.replace(/^(?=.)/gm, "  ");
  const trace = importTexts("x", "texts", [
    { pass: "A", flag: "a", stage: undefined, text: `module {\n${indented(f)}${indented(g)}}\n` },
    { pass: "B", flag: "b", stage: undefined, text: g },
    { pass: "C", flag: "c", stage: undefined, text: f },
    { pass: "D", flag: "d", stage: undefined, text: `module {\n${indented(f)}${indented(g)}}\n` },
  ]);
  const ids = trace.steps.map((s) => [...s.text.ops].filter((id) => id !== 0));
  expect(ids[1]).toEqual(ids[0]!.slice(4));
  expect(ids[2]).toEqual(ids[0]!.slice(1, 4));
  expect(ids[3]!.slice(1)).toEqual(ids[0]!.slice(1));
  expect(trace.steps[1]).toMatchObject({ op: "tt.func", symbol: "g" });
});

test("ops keep their identity when values are renumbered, operands replaced, layouts changed, ops moved", () => {
  const head = "module {\n  tt.func @f(%arg0: i32, %arg1: tensor<4xf32>) {\n";
  const tail = "    tt.return\n  }\n}\n";
  const before = `${head}    %c0 = arith.constant 0 : i32\n    %0 = arith.addi %arg0, %c0 : i32\n    %1 = arith.muli %0, %0 : i32\n    %2 = math.exp %arg1 : tensor<4xf32>\n    tt.foo %1, %2 : i32, tensor<4xf32>\n${tail}`;
  const after = `#b = #ttg.blocked<{x = 1}>\n${head}    %0 = math.exp %arg1 : tensor<4xf32, #b>\n    %1 = arith.muli %arg0, %arg0 : i32\n    tt.foo %1, %0 : i32, tensor<4xf32, #b>\n${tail}`;
  // module, func, exp, muli, foo, return
  expect(partners(pair(before, after))).toEqual([0, 1, 5, 4, 6, 7]);
});

test("an inlined body is the function's; other copies come from it", () => {
  const callee = "  tt.func private @g(%arg0: i32) -> i32 {\n    %0 = arith.muli %arg0, %arg0 : i32\n    tt.return %0 : i32\n  }\n";
  const before = `module {\n  tt.func @f(%arg0: i32) {\n    %0 = tt.call @g(%arg0) : (i32) -> i32\n    %1 = tt.call @g(%0) : (i32) -> i32\n    tt.foo %1 : i32\n    tt.return\n  }\n${callee}}\n`;
  const after =
    "module {\n  tt.func @f(%arg0: i32) {\n    %0 = arith.muli %arg0, %arg0 : i32\n    %1 = arith.muli %0, %0 : i32\n    tt.foo %1 : i32\n    tt.return\n  }\n}\n";
  const trace = pair(before, after);
  const found = partners(trace);
  expect(found[3]).toBe(8);
  expect(found[2]).toBe(-1);
  const ids = trace.steps.map((s) => [...s.text.ops].filter((id) => id !== 0));
  expect([...trace.steps[1]!.origins]).toEqual([ids[1]![2], ids[0]![7]]);
});

test("several compilations do not run into each other", () => {
  const text = readFileSync("fixtures/dumps/3.1.0-vecadd.log", "latin1");
  const trace = importDumpLog("x", text + text);
  if ("error" in trace) throw new Error(trace.error);
  const sources = trace.steps.filter((s) => s.kind === "source");
  expect(sources).toHaveLength(2);
  const first = new Set(trace.steps.slice(0, sources[1]!.index).flatMap((s) => [...s.text.ops]));
  expect([...sources[1]!.text.ops].some((id) => id !== 0 && first.has(id))).toBe(false);
});

test("IR of unknown dialects, multi-line ops and region headers", () => {
  const text = `module {
  amd.func @f(%arg0: !amd.thing<4>) {
    %0:2 = amd.pair %arg0 : !amd.thing<4> -> i32, i32
    amd.specialize(%0#1)
    default {
      amd.yield
    }
    partition0(%arg1: i32) num_warps(4) {
      amd.use %arg1 : i32
    } : (i32) -> ()
    cf.switch %0#0 : i32, [
      default: ^bb1,
      42: ^bb2
    ]
  ^bb1:  // pred: ^bb0
    amd.use %0#0 : i32
  ^bb2:  // pred: ^bb0
    amd.return
  }
}
`;
  const trace = pair(text, text.replace("    amd.use %0#0 : i32\n", ""));
  expect(trace.steps[0]!.numOps).toBe(9);
  expect(partners(trace)).toEqual([0, 1, 2, 3, 5, 8, 10, 17]);
});

test("a log with the IR before and after each pass begins with its source, and has each pass once", () => {
  const banner = (when: string) => `// -----// IR Dump ${when} ('builtin.module' operation) //----- //\n`;
  const before = "module {\n  %c = arith.constant 1 : i32\n  %d = arith.constant 2 : i32\n}\n";
  const after = "module {\n  %c = arith.constant 1 : i32\n}\n";
  const compilation = `${banner("Before Inliner (inline)")}${before}${banner("After Inliner (inline)")}${after}${banner("Before CSE (cse)")}${after}${banner("After CSE (cse)")}${after}`;
  const trace = importDumpLog("both.log", compilation + compilation);
  if ("error" in trace) throw new Error(trace.error);
  const steps = ["source 2", "inline 1", "cse 1"];
  const opsOf = (step: Step) => step.text.ops.filter((id) => id !== 0).length - 1;
  expect(trace.steps.map((s) => `${s.flag} ${opsOf(s)}`)).toEqual([...steps, ...steps]);
});

test("a log that was cut off says where it ends", () => {
  const log = readFileSync("fixtures/tui/softmax.log", "latin1");
  const warnings = (text: string) => {
    const trace = importDumpLog("k.log", text);
    return "error" in trace ? [trace.error] : trace.warnings.filter((said) => said.startsWith("the log ends"));
  };
  expect(warnings(log)).toEqual([]);
  expect(warnings(log.slice(0, 20_000))).toEqual([
    "the log ends at line 345, in the IR before tritongpu-optimize-thread-locality: what is shown of it is incomplete",
  ]);
});
