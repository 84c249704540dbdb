import { expect, test } from "vitest";
import { compile, readSource } from "../index.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import { callersOf, locationOf } from "./provenance.js";

const IR = `module {
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %0 = tt.load %p : !tt.ptr<f32> loc(#inner)
    %1 = arith.addf %0, %0 : f32 loc(#library)
    tt.store %p, %1 : !tt.ptr<f32> loc(#kernel)
    tt.return
  }
}
#kernel = loc("k.py":30:4)
#helper = loc("h.py":12:8)
#deep = loc("h.py":3:2)
#lib = loc("/x/triton/language/standard.py":40:2)
#inner = loc(callsite(callsite(#deep at #helper) at #kernel))
#library = loc("named"(callsite(#lib at #helper)))
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
