import { expect, test } from "vitest";
import { instructions } from "./translate.fixture.js";

test("where a loop needs more registers than there are, it makes the descriptor of tcgen05.mma itself", () => {
  /** The instructions for the descriptor, the loop's first label among them, where the loop adds up so many numbers. */
  const made = (count: number): string[] => {
    const sums = Array.from({ length: count }, (_, i) => i);
    const list = (name: string) => `${sums.map((i) => `%${name}${i}`).join(", ")} : ${sums.map(() => "f32").join(", ")}`;
    const lines = instructions(
      `(%x: !llvm.ptr<1>, %address: i64, %n: i32) attributes {nvvm.kernel = 1 : ui1} {
      %one = llvm.mlir.constant(1 : i32) : i32
      %fields = llvm.mlir.constant(4611756662049472512 : i64) : i64
      %descriptor = llvm.or %address, %fields : i64
      ${sums.map((i) => `%a${i} = llvm.load volatile %x : !llvm.ptr<1> -> f32`).join("\n")}
      llvm.br ^bb1(%n, ${list("a").replace(" : ", " : i32, ")})
    ^bb1(%i: i32, ${sums.map((i) => `%b${i}: f32`).join(", ")}):
      %goes = llvm.icmp "sgt" %i, %one : i32
      llvm.cond_br %goes, ^bb2, ^bb3
    ^bb2:
      llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $1, 0, 1;", "r,l" %i, %descriptor : (i32, i64) -> ()
      %next = llvm.sub %i, %one : i32
      ${sums.map((i) => `%c${i} = llvm.fadd %b${i}, %b${(i + 1) % count} : f32`).join("\n")}
      llvm.br ^bb1(%next, ${list("c").replace(" : ", " : i32, ")})
    ^bb3:
      ${sums.map((i) => `llvm.store volatile %b${i}, %x : f32, !llvm.ptr<1>`).join("\n")}
      llvm.return
    }`,
      { capability: 100 },
    );
    return lines.flatMap((l) => /^(?:or\.b64|tcgen05\.mma|\$L__BB0_1:)/.exec(l)?.[0] ?? []);
  };
  expect(made(100)).toEqual(["or.b64", "$L__BB0_1:", "tcgen05.mma"]);
  expect(made(300)).toEqual(["$L__BB0_1:", "or.b64", "tcgen05.mma"]);
});
