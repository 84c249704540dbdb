import { expect, test } from "vitest";
import { addingLoop, instructions } from "./translate.fixture.js";

test("where a loop needs more registers than there are, it makes the descriptor of tcgen05.mma itself", () => {
  /** The instructions for the descriptor, the loop's first label among them, where the loop adds up so many numbers. */
  const made = (count: number): string[] => {
    const before = `%fields = llvm.mlir.constant(4611756662049472512 : i64) : i64\n%descriptor = llvm.or %address, %fields : i64`;
    const mma = `llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $1, 0, 1;", "r,l" %i, %descriptor : (i32, i64) -> ()`;
    const lines = instructions(addingLoop(count, "%x: !llvm.ptr<1>, %address: i64", before, mma, "%x", "%x"), { capability: 100 });
    return lines.flatMap((l) => /^(?:or\.b64|tcgen05\.mma|\$L__BB0_1:)/.exec(l)?.[0] ?? []);
  };
  expect(made(100)).toEqual(["or.b64", "$L__BB0_1:", "tcgen05.mma"]);
  expect(made(300)).toEqual(["$L__BB0_1:", "or.b64", "tcgen05.mma"]);
});
