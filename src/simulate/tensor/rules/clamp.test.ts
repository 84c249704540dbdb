import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { Context } from "../../../ir/context.js";
import { parseModule } from "../../../syntax/parse.js";
import { runModule } from "../run.js";

/** The value that clamp(value, low, high) stores. */
function clamped(value: string, low: string, high: string, capability: number, propagate: "none" | "all"): number {
  const constant = (name: string, text: string) => `%${name} = arith.constant dense<${text}> : tensor<1xf32>`;
  const text = `tt.func public @k(%p: !tt.ptr<f32>) {
${constant("x", value)}\n${constant("low", low)}\n${constant("high", high)}
%v = tt.clampf %x, %low, %high, propagateNan = ${propagate} : tensor<1xf32>
%a = tt.splat %p : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>\ntt.store %a, %v : tensor<1x!tt.ptr<f32>>\ntt.return\n}`;
  const { memory } = runModule(parseModule(new Context(ALL_DIALECTS), "t.ttir", text)!.module, { target: `cuda:${capability}` });
  return new Float32Array(Uint8Array.from(memory.contents("arg0", 4)).buffer)[0]!;
}
const NAN = "0x7FC00000";

// Real Triton's PTX: max.f32 and min.f32; on sm_90 min.xorsign.abs.f32 for limits that differ in their sign alone.
test.each([
  [NAN, "-1.0", "1.0", 80, "none", -1],
  [NAN, "-1.0", "1.0", 90, "none", 1],
  ["0xFFC00000", "-1.0", "1.0", 90, "none", -1],
  [NAN, "-2.0", "1.0", 90, "none", -2],
  [NAN, "-1.0", "1.0", 90, "all", Number.NaN],
  ["-3.0", "-1.0", "1.0", 90, "none", -1],
  ["0.5", "-1.0", "1.0", 90, "all", 0.5],
] as const)("clamp(%s, %s, %s) on sm_%i, NaN propagated: %s, is %d", (value, low, high, capability, propagate, result) => {
  expect(clamped(value, low, high, capability, propagate)).toBe(result);
});
