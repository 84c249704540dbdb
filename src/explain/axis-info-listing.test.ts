import { expect, test } from "vitest";
import { AXIS_INFO_RULES } from "../analysis/axis-info-rules.js";
import { AXIS_INFO_WORDS } from "../analysis/axis-info-words.js";
import { compileSource } from "../compile/compile-source.js";
import { readSource } from "../compile/read-source.js";
import { axisInfoListing } from "./axis-info-listing.js";
import { explain } from "./queries.js";
import { queriesAt, resolve } from "./resolve.js";

test("every rule of AxisInfo has its words", () => {
  expect([...AXIS_INFO_WORDS.keys()]).toEqual([...AXIS_INFO_RULES.keys()]);
});

function queriesOf(text: string) {
  const source = readSource({ name: "k.ttir", text });
  const made = source.kind === "module" ? compileSource(source, { until: "tritongpu-coalesce" }) : source;
  if (made.kind !== "compiled") throw new Error("it does not compile");
  const queries = queriesAt(made.trace, "0");
  if ("error" in queries) throw new Error(queries.error);
  return { queries, trace: made.trace };
}
const LOOP = `tt.func @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %first = tt.addptr %base, %range : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %first) -> (tensor<64x!tt.ptr<f16>>) : i32 {
    %value = tt.load %at : tensor<64x!tt.ptr<f16>>
    tt.store %at, %value : tensor<64x!tt.ptr<f16>>
    %next = tt.addptr %at, %c8 : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f16>>
  }
  tt.return
}
`;

test("the AxisInfo of each value with its rule and the operands' numbers; a carried value from both sides", () => {
  const lines = axisInfoListing(queriesOf(LOOP).queries).map((line) => line.trim());
  expect(lines).toContain("// a = %1: c [1] d [16] k [64]; b = %0: c [64] d [2^30] k [1]");
  expect(lines).toContain(
    "// %arg3: c [64] d [16] k [1], the gcd of what enters (%2: c [64] d [16] k [1]) and what a round hands on (%5: c [64] d [16] k [1])",
  );
  expect(lines).toContain("// by the definition, of the numbers themselves: c [64] d [2^62] k [1]");
});

test("a value is found by its name in the file; the width of its access is derived", () => {
  const { trace } = queriesOf(LOOP);
  const queries = queriesAt(trace, undefined);
  if ("error" in queries) throw new Error(queries.error);
  const found = resolve(queries, "%value");
  if ("error" in found) throw new Error(found.error);
  const access = explain(queries, found.entities[0]!).sections.find(({ title }) => title === "access")!;
  expect(access.lines[1]).toMatch(/^min\(contiguity 64, divisibility 16 B \/ 2 B = 8, .*\*elements of a thread 1\) = 1 element = 16 bits/);
});
