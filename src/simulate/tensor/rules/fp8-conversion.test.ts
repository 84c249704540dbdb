import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { Context } from "../../../ir/context.js";
import { parseModule } from "../../../syntax/parse.js";
import { runModule } from "../run.js";

/** The bits that a constant is converted to. */
function converted(value: string, from: string, to: string, capability: number, rounding = ", rounding = rtne"): number {
  const bytes = to.startsWith("f8") ? 1 : 2;
  const text = `tt.func public @k(%p: !tt.ptr<${to}>) {
%c = arith.constant dense<${value}> : tensor<1x${from}>\n%v = tt.fp_to_fp %c${rounding} : tensor<1x${from}> -> tensor<1x${to}>
%a = tt.splat %p : !tt.ptr<${to}> -> tensor<1x!tt.ptr<${to}>>\ntt.store %a, %v : tensor<1x!tt.ptr<${to}>>\ntt.return\n}`;
  const { memory } = runModule(parseModule(new Context(ALL_DIALECTS), "t.ttir", text)!.module, { target: `cuda:${capability}` });
  return memory.contents("arg0", bytes).reduceRight((bits, byte) => bits * 256 + byte, 0);
}

test.each([
  // 100.03 lies above the middle of 96 and 104; cut to half it is that middle.
  ["100.03", "f32", "f8E4M3FN", 89, 0x6c],
  ["100.03", "f32", "f8E4M3FN", 90, 0x6d],
  ["100.03", "bf16", "f8E4M3FN", 89, 0x6c],
  // 1.125 lies in the middle of 1 and 1.25: away from zero in software, to even in hardware.
  ["1.125", "f16", "f8E5M2", 80, 0x3d],
  ["1.125", "f16", "f8E5M2", 89, 0x3c],
  ["1.125", "f32", "f8E5M2", 80, 0x3d],
  ["1.125", "bf16", "f8E5M2", 80, 0x3d],
  ["1.125", "bf16", "f8E5M2", 89, 0x3c],
  ["-1.0e-6", "bf16", "f8E5M2", 80, 0x80],
  ["65536.0", "bf16", "f8E5M2", 80, 0x7c],
] as const)("%s of %s to %s on sm_%i is %i", (value, from, to, capability, bits) => {
  expect(converted(value, from, to, capability)).toBe(bits);
});

test("infinity of f8E5M2 is 2^16 as a bf16, as the bits are moved", () => {
  expect(converted("0x7C", "f8E5M2", "bf16", 80, "")).toBe(0x4780);
  expect(converted("0x7C", "f8E5M2", "f16", 80, "")).toBe(0x7c00);
});
