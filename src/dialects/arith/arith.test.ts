import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import { isSpeculatable } from "../../ir/interfaces.js";
import { constantOf } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { canonicalizationPatterns } from "../../passes/common/canonicalize.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { ALL_DIALECTS } from "../index.js";

const canonicalized = (module: Operation) =>
  void applyPatternsGreedily(module, canonicalizationPatterns(module.ctx).set, { topDown: true, regionSimplification: "normal" });

describe.each(["arith/fold-integers", "arith/fold-floats", "arith/fold-casts", "arith/canonicalize", "math/fold"])(
  "%s as real Triton",
  (name) => {
    goldenParts(`fixtures/${name}.mlir`).forEach(({ input, output }, i) => {
      test(`part ${i}`, () => expect(rewritten(input, canonicalized)).toBe(output));
    });
  },
);

function parsed(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const module = parseModule(ctx, "input", text)!.module;
  expect(verifyOperation(module), JSON.stringify(ctx.diagnostics)).toBe(true);
  return module;
}

describe.each(["arith", "math"])("%s ops", (dialect) => {
  const text = readFileSync(`fixtures/${dialect}/ops.mlir`, "latin1");
  test("print as upstream prints them", () => expect(printOperation(parsed(text))).toBe(text));
  test("go through the generic form", () => {
    const generic = printOperation(parsed(text), { generic: true });
    expect(printOperation(parsed(generic))).toBe(text);
  });
});

test("new ops are located at the ops that upstream names", () => {
  const module = parsed(`tt.func @f(%x: i32) -> i32 {
  %c5 = arith.constant 5 : i32
  %c3 = arith.constant 3 : i32
  %y = arith.addi %x, %c5 : i32
  %r = arith.addi %y, %c3 : i32
  tt.return %r : i32
}
`);
  canonicalized(module);
  expect(printOperation(module, { debugInfo: true, localScope: true })).toContain(
    `arith.addi %arg0, %c8_i32 : i32 loc(fused["input":5:8, "input":2:9])`,
  );
});

test("a division is speculatable only by what can be neither 0 nor -1", () => {
  const module = parsed(`tt.func @f(%x: i32, %t: tensor<2xi32>) {
  %c4 = arith.constant 4 : i32
  %m1 = arith.constant -1 : i32
  %d = arith.constant dense<[1, 2]> : tensor<2xi32>
  %e = arith.constant dense<[1, -3]> : tensor<2xi32>
  %0 = arith.divsi %x, %c4 : i32
  %1 = arith.divsi %x, %m1 : i32
  %2 = arith.divui %x, %m1 : i32
  %3 = arith.divsi %x, %x : i32
  %4 = arith.divsi %t, %d : tensor<2xi32>
  %5 = arith.divsi %t, %e : tensor<2xi32>
  %6 = arith.divui %t, %e : tensor<2xi32>
  %7 = arith.remsi %x, %x : i32
  tt.return
}
`);
  const verdicts: boolean[] = [];
  module.walk((op) => void (op.name.startsWith("arith.") && !constantOf(op.result(0)) && verdicts.push(isSpeculatable(op))));
  expect(verdicts).toEqual([true, false, true, false, true, false, true, true]);
});
