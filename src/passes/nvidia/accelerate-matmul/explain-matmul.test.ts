import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { supportMMA } from "../../../dialects/ttg/support-mma.js";
import { Context } from "../../../ir/context.js";
import type { View } from "../../../ir/define-op.js";
import { TRITON_3_6, TRITON_3_8, type TritonVersion } from "../../../support/triton-version.js";
import { parseModule } from "../../../syntax/parse.js";
import "../../../syntax/print.js";
import { unmetConditions } from "./explain-matmul.js";

interface Case {
  readonly version: 2 | 3 | 5;
  readonly shape: readonly [m: number, n: number, k: number];
  readonly batch: boolean;
  readonly types: readonly [a: string, b: string, d: string];
  readonly numWarps: number;
  readonly precision: string;
  readonly imprecise: number;
  readonly triton: TritonVersion;
}

function dotOf({ shape: [m, n, k], batch, types: [a, b, d], numWarps, precision, imprecise, triton }: Case): View<typeof DotOp> {
  const dims = batch ? "2x" : "";
  const rank = batch ? 3 : 2;
  const list = (last: number[]) => [...(batch ? [1] : []), ...last].join(", ");
  const order = batch ? "2, 1, 0" : "1, 0";
  const operand = (index: number) => `#ttg.dot_op<{opIdx = ${index}, parent = #b}>`;
  const [A, B, D] = [
    `tensor<${dims}${m}x${k}x${a}, ${operand(0)}>`,
    `tensor<${dims}${k}x${n}x${b}, ${operand(1)}>`,
    `tensor<${dims}${m}x${n}x${d}, #b>`,
  ];
  const text = `#b = #ttg.blocked<{sizePerThread = [${list([1, 1])}], threadsPerWarp = [${list([4, 8])}], warpsPerCTA = [${list([1, numWarps])}], order = [${order}]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = ${numWarps} : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: ${A}, %b: ${B}, %c: ${D}) {
    %0 = tt.dot %a, %b, %c, inputPrecision = ${precision} {maxNumImpreciseAcc = ${imprecise} : i32} : ${A} * ${B} -> ${D}
    tt.return
  }
}`;
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = triton;
  const { module } = parseModule(ctx, `dot${rank}.mlir`, text)!;
  let found: View<typeof DotOp> | undefined;
  module.walk((op) => {
    found ??= DotOp.match(op);
  });
  return found!;
}

test("there is a condition that is not met exactly where tensor cores cannot do the dot", () => {
  const types = ["f16", "bf16", "f32", "f64", "i8", "i16", "f8E5M2", "f8E4M3FN", "f8E4M3B11FNUZ"];
  const size = fc.constantFrom(1, 8, 16, 32, 64, 128);
  const either = fc.constantFrom(...types);
  const cases: fc.Arbitrary<Case> = fc.record({
    version: fc.constantFrom(2, 3, 5),
    shape: fc.tuple(size, size, size),
    batch: fc.boolean(),
    // Operands of one type, or of two.
    types: fc
      .tuple(either, either, fc.boolean(), fc.constantFrom("f16", "f32", "f64", "i32"))
      .map(([a, b, same, d]) => [a, same ? a : b, d] as const),
    numWarps: fc.constantFrom(1, 2, 4, 8, 16),
    precision: fc.constantFrom("tf32", "ieee", "tf32x3"),
    imprecise: fc.constantFrom(0, 32),
    triton: fc.constantFrom(TRITON_3_6, TRITON_3_8),
  });
  fc.assert(
    fc.property(cases, (one) => {
      const dot = dotOf(one);
      expect(unmetConditions(dot, one.version).length === 0).toBe(supportMMA(dot.op, one.version));
    }),
    { numRuns: 300 },
  );
});
