/** An op that was right is not checked again until something changes that its checks depend on. */
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { parseModule } from "../syntax/parse.js";
import "../syntax/print.js";
import { i32Attr } from "./builtin-attrs.js";
import { f32 } from "./builtin-types.js";
import { Context } from "./context.js";
import type { Operation } from "./operation.js";
import { verifyOperation } from "./verify.js";

const MODULE = `
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: i32) {
    %y = builtin.unrealized_conversion_cast %x : i32 to i32
    %sum = arith.addi %y, %y : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    tt.return
  }
}`;
function verified(): { readonly module: Operation; readonly named: (name: string) => Operation } {
  const { module } = parseModule(new Context(ALL_DIALECTS), "m.mlir", MODULE)!;
  expect(verifyOperation(module!)).toBe(true);
  const named = (name: string): Operation => {
    let found: Operation | undefined;
    module!.walk((op) => void (op.name === name && (found = op)));
    return found!;
  };
  return { module: module!, named };
}
const problem = (module: Operation): string | undefined => (verifyOperation(module) ? undefined : module.ctx.diagnostics.at(-1)!.message);

test("a result of another type", () => {
  const { module, named } = verified();
  named("arith.addi").result().setType(f32(module.ctx));
  expect(problem(module)).toContain("result #0 must be signless-integer-like, but got 'f32'");
});

test("an operand of another type, which is changed at its definition", () => {
  const { module, named } = verified();
  named("builtin.unrealized_conversion_cast").result().setType(f32(module.ctx));
  expect(problem(module)).toContain("operand #0 must be signless-integer-like, but got 'f32'");
});

test("an operand that is another value", () => {
  const { module, named } = verified();
  named("arith.addi").setOperand(1, named("tt.make_range").result());
  named("arith.addi").moveAfter(named("tt.make_range"));
  expect(problem(module)).toContain("requires the same type for all operands and results");
});

test("an attribute that is missing", () => {
  const { module, named } = verified();
  named("tt.make_range").removeAttr("end");
  expect(problem(module)).toContain("requires attribute 'end'");
});

test("another number of warps of the module", () => {
  const { module } = verified();
  module.setAttr("ttg.num-warps", i32Attr(module.ctx, 8));
  expect(problem(module)).toContain("Layout has 4 warps per CTA, but the context requires 8 warps per CTA.");
  module.setAttr("ttg.num-warps", i32Attr(module.ctx, 4));
  expect(problem(module)).toBe(undefined);
});
