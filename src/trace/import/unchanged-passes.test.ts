import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Trace } from "../trace.js";
import { importDumpLog } from "./import-dump.js";

function imported(text: string): Trace {
  const trace = importDumpLog("x.log", text);
  if ("error" in trace) throw new Error(trace.error);
  return trace;
}
const dump = (pass: string, value: number) =>
  `// -----// IR Dump After ${pass} //----- //\nmodule {\n  func public @k_0d1(%arg0: i32) {\n    %c = arith.constant ${value} : i32\n    return\n  }\n}\n\n`;

describe("logs of 2.0", () => {
  test("seed 003 is one compilation of eight passes", () => {
    const trace = imported(readFileSync("fixtures/dumps/seed003.log", "latin1"));
    expect(trace.steps.map((s) => `${s.flag}${s.changed ? " *" : ""}`)).toEqual([
      "inline *",
      "cse",
      "loop-invariant-code-motion *",
      "convert-triton-to-tritongpu *",
      "tritongpu-combine *",
      "tritongpu-pipeline *",
      "tritongpu-prefetch *",
      "convert-triton-gpu-to-llvm *",
    ]);
    expect(trace.warnings).toContain("matmul_kernel takes 9 arguments: 0, 1, 2, 3 divisible by 16; 4, 6, 8 folded as constants");
  });

  test("passes that changed nothing are listed where they ran", () => {
    const trace = imported(dump("Canonicalizer", 0) + dump("Inliner", 1) + dump("CSE", 2) + dump("ConvertTritonToTritonGPU", 3));
    expect(trace.steps.map((s) => `${s.flag}#${s.run}${s.changed ? " *" : ""}`)).toEqual([
      "canonicalize#1 *",
      "inline#1 *",
      "triton-combine#1",
      "canonicalize#2",
      "cse#1 *",
      "loop-invariant-code-motion#1",
      "convert-triton-to-tritongpu#1 *",
    ]);
    expect(trace.steps.every((s) => s.known)).toBe(true);
  });

  test("a log of another version is left as it is", () => {
    const log = `// -----// IR Dump Before CSE (cse) ('builtin.module' operation) //----- //\nmodule {\n}\n`;
    expect(imported(log).steps.map((s) => s.flag)).toEqual(["source", "cse"]);
  });
});
