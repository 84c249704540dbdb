import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("numbers that branches and loops bound", () => {
  const stop = (condition: string, at: number): string => `llvm.cond_br ${condition}, ^no${at}, ^yes${at}
     ^no${at}:
       llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "trap${at};", "" : () -> ()
       llvm.return
     ^yes${at}:`;
  test("a branch that an earlier one decides is none, in wider registers too", () => {
    const lines = instructions(
      kernel(
        "%arg0: i32",
        `%c0 = llvm.mlir.constant(0 : i64) : i64
         %c8 = llvm.mlir.constant(8 : i32) : i32
         %most = llvm.mlir.constant(2147483647 : i64) : i64
         %id = nvvm.read.ptx.sreg.ctaid.x : i32
         %t = nvvm.read.ptx.sreg.tid.x : i32
         %wide = llvm.zext %id : i32 to i64
         %c256 = llvm.mlir.constant(256 : i64) : i64
         %product = llvm.mul %wide, %c256 : i64
         %p0 = llvm.icmp "sgt" %product, %most : i64
         ${stop("%p0", 0)}
         %word = llvm.shl %id, %c8 : i32
         %start = llvm.sext %word : i32 to i64
         %offset = llvm.zext %t : i32 to i64
         %sum = llvm.add %start, %offset : i64
         %above = llvm.icmp "sgt" %sum, %most : i64
         %below = llvm.icmp "slt" %sum, %c0 : i64
         %p1 = llvm.or %above, %below : i1
         ${stop("%p1", 1)}
         %p2 = llvm.icmp "sgt" %word, %arg0 : i32
         ${stop("%p2", 2)}`,
      ),
    );
    expect(lines.filter((line) => /^(setp|trap)/.test(line))).toEqual([
      "setp.gt.u32 %p1, %r1, 8388607;",
      "setp.gt.s32 %p2, %r2, %r3;",
      "trap2;",
      "trap0;",
    ]);
  });
  const loop = (body: string, value: string): string =>
    kernel(
      "%arg0: !llvm.ptr<1>, %n: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %c1 = llvm.mlir.constant(1 : i32) : i32
       %c4 = llvm.mlir.constant(4 : i32) : i32
       %none = llvm.mlir.constant(-1 : i32) : i32
       llvm.br ^head(%c0, %none : i32, i32)
     ^head(%i: i32, %stage: i32):
       %more = llvm.icmp "slt" %i, %n : i32
       llvm.cond_br %more, ^body, ^end
     ^body:
       ${body}
       llvm.store volatile ${value}, %arg0 : i32, !llvm.ptr<1>
       %i1 = llvm.add %i, %c1 : i32
       llvm.br ^head(%i1, %next : i32, i32)
     ^end:`,
    );
  test("a number that can be only one is a constant: the buffer of a ring of one", () => {
    const turn = `%s1 = llvm.add %stage, %c1 : i32
       %wraps = llvm.icmp "sge" %s1, %c1 : i32
       %next = llvm.select %wraps, %c0, %s1 : i1, i32`;
    const lines = instructions(loop(turn, "%next"));
    expect(lines.filter((line) => line.startsWith("selp"))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^st\.volatile\.global\.b32 \[%rd1\], %r3;$/));
    expect(lines[lines.findIndex((line) => line.startsWith("st.")) - 1]).toBe("mov.b32 %r3, 0;");
  });
  test("what is left of a length is counted along", () => {
    const left = `%next = llvm.add %stage, %stage : i32
       %done = llvm.shl %i, %c4 : i32
       %left = llvm.sub %n, %done : i32`;
    const lines = instructions(loop(left, "%left"));
    expect(lines.filter((line) => /^(shl|sub)/.test(line))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^add\.s32 (%r\d+), \1, -16;$/));
  });
  test("a loop that is left before its first iteration is none", () => {
    const from = (start: string): string[] =>
      instructions(
        kernel(
          "%arg0: !llvm.ptr<1>, %x: i32, %n: i32",
          `%c1 = llvm.mlir.constant(1 : i32) : i32
           %most = llvm.intr.smax(%x, %n) : (i32, i32) -> i32
           %least = llvm.intr.smin(%x, %n) : (i32, i32) -> i32
           llvm.br ^head(${start}, %x : i32, i32)
         ^head(%i: i32, %sum: i32):
           %more = llvm.icmp "slt" %i, %n : i32
           llvm.cond_br %more, ^body, ^end
         ^body:
           %next = llvm.add %sum, %i : i32
           %i1 = llvm.add %i, %c1 : i32
           llvm.br ^head(%i1, %next : i32, i32)
         ^end:
           %0 = llvm.sub %sum, %x : i32
           llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
        ),
      ).filter((line) => !/^(ld|ret)/.test(line));
    expect(from("%most")).toEqual(["mov.b32 %r1, 0;", "st.global.b32 [%rd1], %r1;"]);
    expect(from("%least").filter((line) => line.includes("bra"))).toHaveLength(2);
  });
  const words = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 2 ** 30, -(2 ** 30)));
  const predicate = fc.constantFrom("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge");
  const op = fc.constantFrom("add", "sub", "mul", "shl", "ashr", "lshr", "and", "or", "xor");
  test("no branch is decided that may go both ways", () => {
    const holds = (p: string, a: number, b: number): boolean => {
      const [x, y] = p[0] === "u" ? [a >>> 0, b >>> 0] : [a, b];
      const less = p.endsWith("lt") || p.endsWith("le");
      if (x === y) return p === "eq" || p === "sle" || p === "sge" || p === "ule" || p === "uge";
      return p === "ne" || (p !== "eq" && x < y === less);
    };
    const apply = (name: string, x: number, k: number): number => {
      const made: Readonly<Record<string, number>> = {
        add: (x + k) | 0,
        sub: (x - k) | 0,
        mul: Math.imul(x, k),
        shl: x << k,
        ashr: x >> k,
        lshr: (x >>> k) | 0,
        and: x & k,
        or: x | k,
        xor: x ^ k,
      };
      return made[name]!;
    };
    fc.assert(
      fc.property(predicate, words, op, words, predicate, words, (first, c, name, k, second, d) => {
        const by = /sh/.test(name) ? k & 31 : k;
        const lines = instructions(
          kernel(
            "%x: i32",
            `%c = llvm.mlir.constant(${c} : i32) : i32
             %k = llvm.mlir.constant(${by} : i32) : i32
             %d = llvm.mlir.constant(${d} : i32) : i32
             %p0 = llvm.icmp "${first}" %x, %c : i32
             ${stop("%p0", 0)}
             %y = llvm.${name} %x, %k : i32
             %p1 = llvm.icmp "${second}" %y, %d : i32
             ${stop("%p1", 1)}
             llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "end;", "" : () -> ()`,
          ),
        );
        const near = [c, d, k, 0, -(2 ** 31), 2 ** 31 - 1].flatMap((v) => [-2, -1, 0, 1, 2].map((by1) => (v + by1) | 0));
        const going = new Set(near.filter((x) => !holds(first, x, c)).map((x) => holds(second, apply(name, x, by), d)));
        if (going.has(true)) expect(lines).toContain("trap1;");
        if (going.has(false)) expect(lines).toContain("end;");
      }),
    );
  });
});
