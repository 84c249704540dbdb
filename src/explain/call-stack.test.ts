import { expect, test } from "vitest";
import { compile, readSource } from "../index.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import { callersOf, locationOf } from "./provenance.js";

const IR = `module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = tt.load %p : !tt.ptr<f32> loc(#loc6)
    %1 = arith.addf %0, %0 : f32 loc(#loc4)
    tt.store %p, %1 : !tt.ptr<f32> loc(#loc1)
    tt.return
  }
}
#loc1 = loc("k.py":30:4)
#loc2 = loc("h.py":12:8)
#loc3 = loc("h.py":3:2)
#loc5 = loc("/x/triton/language/standard.py":40:2)
#loc6 = loc(callsite(callsite(#loc3 at #loc2) at #loc1))
#loc4 = loc("named"(callsite(#loc5 at #loc2)))
`;

test("an op of an inlined function has its own line and the calls around it; Triton's library is left out", () => {
  const source = readSource({ name: "k.ttir", text: IR });
  if (source.kind !== "module") throw new Error("no IR");
  const compiled = compile(source, { until: "1" });
  if (compiled.kind === "error") throw new Error(compiled.message);
  const dump = importDumpLog("k.log", `// -----// IR Dump After Inliner (inline) ('builtin.module' operation) //----- //\n${IR}`);
  if ("error" in dump) throw new Error(dump.error);
  for (const trace of [compiled.trace, dump]) {
    const text = trace.steps[0]!.text;
    const at = (needle: string) => text.ops[trace.lines.linesOf(text).findIndex((line) => line.includes(needle))]!;
    const lines = (op: number) => [locationOf(trace, op)!, ...callersOf(trace, op)].map(({ file, line }) => `${file}:${line}`);
    expect(lines(at("tt.load"))).toEqual(["h.py:3", "h.py:12", "k.py:30"]);
    expect(lines(at("arith.addf"))).toEqual(["h.py:12"]);
    expect(lines(at("tt.store"))).toEqual(["k.py:30"]);
  }
});

const CALLEE = `module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = tt.call @helper(%p) : (!tt.ptr<f32>) -> f32 loc(#loc1)
    tt.store %p, %0 : !tt.ptr<f32> loc(#loc1)
    tt.return
  }
  tt.func private @helper(%p: !tt.ptr<f32>) -> f32 {
    %0 = tt.load %p : !tt.ptr<f32> loc(#loc3)
    %1 = tt.call @maximum(%0) : (f32) -> f32 loc(#loc2)
    tt.return %1 : f32
  }
  tt.func private @maximum(%x: f32) -> f32 {
    %0 = arith.addf %x, %x : f32 loc(#loc5)
    tt.return %0 : f32
  }
}
#loc1 = loc("k.py":30:4)
#loc2 = loc("h.py":12:8)
#loc3 = loc("h.py":3:2)
#loc5 = loc("/x/triton/language/standard.py":40:2)
`;

const INLINED = `module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = tt.load %p : !tt.ptr<f32> loc(#loc4)
    %1 = arith.addf %0, %0 : f32 loc(#loc7)
    tt.store %p, %1 : !tt.ptr<f32> loc(#loc1)
    tt.return
  }
}
#loc1 = loc("k.py":30:4)
#loc2 = loc("h.py":12:8)
#loc3 = loc("h.py":3:2)
#loc4 = loc(callsite(#loc3 at #loc1))
#loc5 = loc("/x/triton/language/standard.py":40:2)
#loc6 = loc(callsite(#loc5 at #loc2))
#loc7 = loc(callsite(#loc6 at #loc1))
`;

test("an op that the inliner moves, and that so stays the same op, has the calls that it was inlined by", () => {
  const source = readSource({ name: "k.ttir", text: CALLEE });
  if (source.kind !== "module") throw new Error("no IR");
  const compiled = compile(source, { until: "1" });
  if (compiled.kind === "error") throw new Error(compiled.message);
  const dump = importDumpLog(
    "k.log",
    `// -----// IR Dump Before Inliner (inline) ('builtin.module' operation) //----- //\n${CALLEE}\n// -----// IR Dump Before Canonicalizer (canonicalize) ('builtin.module' operation) //----- //\n${INLINED}`,
  );
  if ("error" in dump) throw new Error(dump.error);
  for (const trace of [compiled.trace, dump]) {
    const before = trace.steps[0]!.text;
    const after = trace.steps[1]!.text;
    for (const [needle, expected] of [
      ["tt.load", ["h.py:3", "k.py:30"]],
      ["arith.addf", ["h.py:12", "k.py:30"]],
    ] as const) {
      const [was, is] = [before, after].map((text) => text.ops[trace.lines.linesOf(text).findIndex((line) => line.includes(needle))]!);
      expect(is).toBe(was);
      expect([locationOf(trace, is!)!, ...callersOf(trace, is!)].map(({ file, line }) => `${file}:${line}`)).toEqual(expected);
    }
  }
});
