import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, readSource } from "../../index.js";
import { loopSchedules, ptxFlow, scfFlow } from "./control-flow.js";

const IR = `module {
  tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c10 = arith.constant 10 : i32
    %c4 = arith.constant 4 : i32
    scf.for %i = %c0 to %c10 step %c4 : i32 {
      %x = tt.load %p : !tt.ptr<f32>
      scf.for %j = %c0 to %n step %c4 : i32 {
        tt.store %p, %x : !tt.ptr<f32>
      }
    }
    tt.return
  }
}
`;

test("loops have their nesting and trip counts", () => {
  const source = readSource({ name: "k.ttir", text: IR });
  if (source.kind !== "module") throw new Error("no IR");
  const compiled = compile(source, { until: "1" });
  if (compiled.kind === "error") throw new Error(compiled.message);
  const { trace } = compiled;
  const flow = scfFlow(trace, trace.steps[0]!);
  expect(flow.map(({ depth }) => depth)).toEqual([0, 1, 2]);
  expect(flow[1]!.title).toMatch(/^for %\S+ = 0 to 10 step 4: 3 iterations$/);
  expect(flow[2]!.title).toMatch(/^for %\S+ = 0 to %\S+ step 4: ceil\(%\S+ \/ 4\) iterations$/);
  expect(flow[1]!.notable).toEqual(["tt.load"]);
});

test("blocks of PTX say where they go on", () => {
  const ptx = [
    ".entry f()",
    "{",
    "\tmov.u32 %r1, 0;",
    "\t@%p1 bra $L2;",
    "$L1:",
    "\tld.global.b32 %r2, [%rd1];",
    "\t@%p2 bra $L1;",
    "$L2:",
    "\tret;",
    "}",
  ];
  expect(ptxFlow(ptx).map(({ title }) => title)).toEqual(["entry → $L2, $L1", "$L1 (a loop goes back) → $L1, $L2", "$L2 → the end"]);
});

test("a pipelined loop has stages and buffers", () => {
  const source = readSource({ name: "m", text: readFileSync("fixtures/kernels/matmul.ttir", "latin1") });
  if (source.kind !== "module") throw new Error("no IR");
  const compiled = compile(source, { until: "tritongpu-pipeline" });
  if (compiled.kind === "error") throw new Error(compiled.message);
  expect(loopSchedules(compiled.trace)).toMatchObject([
    {
      stages: [["tt.load", "tt.load"], [], ["ttg.convert_layout", "ttg.convert_layout", "tt.dot"]],
      buffers: [
        { type: "2x64x64xf16", slots: 2 },
        { type: "2x64x64xf16", slots: 2 },
      ],
    },
  ]);
});
