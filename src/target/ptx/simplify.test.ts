import { describe, expect, test } from "vitest";
import { Graph, type Node, valueOf } from "./graph.js";
import { Simplifier } from "./simplify.js";
import { instructions, kernel } from "./translate.fixture.js";

test("what is chosen of a value and one that may be anything is the value", () => {
  const chosen = (then: string, other: string): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i1",
        `%any = llvm.mlir.poison : i32
         %zero = llvm.mlir.constant(0 : i32) : i32
         %0 = llvm.select %arg2, ${then}, ${other} : i1, i32
         llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
      ),
    ).filter((line) => /^(selp|st)/.test(line));
  expect(chosen("%arg1", "%any")).toEqual(["st.global.b32 [%rd1], %r1;"]);
  expect(chosen("%any", "%arg1")).toEqual(["st.global.b32 [%rd1], %r1;"]);
  expect(chosen("%arg1", "%zero")[0]).toMatch(/^selp/);
});

describe("values that occur in one another", () => {
  const s = new Simplifier(new Graph(), true);
  const [x, y, z] = ["%clock", "%clock_hi", "%ntid.x"].map((register) =>
    s.graph.pure("special", 32, [], { register, most: undefined }),
  ) as [Node, Node, Node];
  test("leave of two operations on bits one, or none", () => {
    expect(s.xor(x, s.xor(y, x))).toBe(y);
    expect(s.and(s.or(x, y), x)).toBe(x);
    expect(s.or(y, s.and(x, y))).toBe(y);
    expect(s.and(x, s.and(x, y))).toBe(s.and(x, y));
    expect(s.or(s.or(x, y), y)).toBe(s.or(x, y));
  });
  test("leave comparisons of sums in which no bit carries; known bits decide the order of what remains", () => {
    const block = s.shl(z, s.constant(32, 6));
    const [row, col] = [s.and(x, s.constant(32, 15)), s.and(y, s.constant(32, 15))];
    const at = (term: Node, offset: number): Node => s.add(s.add(block, term), s.constant(32, offset));
    for (const p of ["slt", "ugt", "eq"] as const) expect(s.icmp(p, at(row, 0), at(col, 0))).toBe(s.icmp(p, row, col));
    expect(s.icmp("sgt", at(row, 16), at(col, 32))).toBe(s.constant(1, 0));
    expect(s.icmp("ule", at(row, 0), at(col, 16))).toBe(s.constant(1, 1));
    expect(s.icmp("sge", at(row, 16), at(col, 0))).toBe(s.constant(1, 1));
    // Sums that may overflow are compared themselves, and numbers that may be negative have no order by their bits.
    expect(s.icmp("slt", s.add(x, z), s.add(y, z)).inputs).toEqual([s.add(x, z), s.add(y, z)]);
    expect(s.icmp("slt", s.or(x, s.constant(32, 1)), s.constant(32, 0)).kind).toBe("icmp");
    expect(s.icmp("slt", s.or(x, s.constant(32, -16)), row).kind).toBe("icmp");
  });
  test("decide comparisons with minima and maxima, and those of one another", () => {
    const [most, least] = [s.binary("smax", z, s.binary("smax", x, y)), s.binary("smin", y, z)];
    for (const [predicate, a, b, holds] of [
      ["slt", most, x, 0n],
      ["sge", most, y, 1n],
      ["sgt", x, most, 0n],
      ["sle", least, y, 1n],
      ["sle", least, most, 1n],
    ] as const)
      expect(valueOf(s.icmp(predicate, a, b))).toBe(BigInt.asIntN(1, holds));
    for (const predicate of ["sle", "eq", "ult", "ugt"] as const) expect(s.icmp(predicate, most, x).kind).toBe("icmp");
    expect(s.binary("smin", most, x)).toBe(x);
    expect(s.binary("smax", x, most)).toBe(most);
    expect(s.binary("umin", most, x).kind).toBe("umin");
  });
  test("have signs and bits that are known, and so their quotients and remainders are bits", () => {
    const c = (n: number) => s.constant(32, n);
    const most = s.binary("smax", x, c(0));
    expect(s.binary("srem", most, c(4))).toBe(s.and(most, c(3)));
    expect(s.binary("sdiv", most, c(128))).toBe(s.shr(most, c(7)));
    const whole = s.sub(most, s.and(most, c(3)));
    expect(whole).toBe(s.and(most, c(~3)));
    expect(s.binary("srem", whole, c(128))).toBe(s.and(most, c(124)));
    const narrow = s.binary("smin", s.and(x, c(1023)), c(100));
    expect(s.and(narrow, c(127))).toBe(narrow);
    expect(s.binary("smin", s.or(x, c(-128)), y)).toBe(s.or(s.binary("smin", s.or(x, c(-128)), y), c(-(2 ** 31))));
    // The smaller of two may be negative, where one is not.
    expect(s.binary("srem", s.binary("smin", most, y), c(4))).not.toBe(s.and(s.binary("smin", most, y), c(3)));
  });
  test("a condition as a number is compared with a bit as a condition", () => {
    const condition = s.icmp("slt", x, y);
    const number = s.select(condition, s.constant(32, 1), s.constant(32, 0));
    const bit = s.and(z, s.constant(32, 1));
    const differ = s.xor(condition, s.icmp("ne", bit, s.constant(32, 0)));
    expect(s.icmp("ne", bit, number)).toBe(differ);
    expect(s.icmp("eq", number, bit)).toBe(s.not(differ));
    expect(s.icmp("eq", number, z).kind).toBe("icmp");
  });
});

describe("comparisons with zero", () => {
  const s = new Simplifier(new Graph(), true);
  const [x, y] = ["%clock", "%clock_hi"].map((register) => s.graph.pure("special", 32, [], { register, most: undefined })) as [Node, Node];
  const zero = s.constant(32, 0);
  test("of a difference compare its operands where it cannot overflow", () => {
    const [a, b] = [s.shr(x, s.constant(32, 1)), s.shr(y, s.constant(32, 1))];
    for (const p of ["sge", "slt", "eq", "ne"] as const) expect(s.icmp(p, s.sub(a, b), zero)).toBe(s.icmp(p, a, b));
    expect(s.icmp("eq", s.sub(x, y), zero)).toBe(s.icmp("eq", x, y));
    expect(s.icmp("sge", s.sub(x, y), zero).inputs[0]!.kind).toBe("sub");
    expect(s.icmp("ult", s.sub(a, b), s.constant(32, 4)).inputs[0]!.kind).toBe("sub");
  });
  test("of bits of one number ask for all of them at once", () => {
    const bits = (mask: number, p: "eq" | "ne", of = x): Node => s.icmp(p, s.and(of, s.constant(32, mask)), zero);
    const upper = (p: "eq" | "ne"): Node => s.icmp(p, s.shr(x, s.constant(32, 5)), zero);
    expect(s.and(bits(28, "eq"), upper("eq"))).toBe(bits(-4, "eq"));
    expect(s.or(bits(3, "ne"), bits(12, "ne"))).toBe(bits(15, "ne"));
    expect(s.and(s.and(s.icmp("slt", x, y), bits(3, "eq")), bits(12, "eq"))).toBe(s.and(s.icmp("slt", x, y), bits(15, "eq")));
    for (const both of [s.or(bits(3, "eq"), bits(12, "eq")), s.and(bits(3, "ne"), bits(12, "ne")), s.and(bits(3, "eq"), bits(12, "eq", y))])
      expect(both.inputs.every((input) => input.kind === "icmp")).toBe(true);
  });
});

describe("signs and multiples", () => {
  const s = new Simplifier(new Graph(), true);
  const [x, y] = ["%clock", "%clock_hi"].map((register) => s.graph.pure("special", 32, [], { register, most: undefined })) as [Node, Node];
  const c = (value: number | bigint): Node => s.constant(32, value);
  test("a sign bit that is moved down is a comparison with zero", () => {
    expect(s.icmp("ne", s.shr(x, c(31)), c(0))).toBe(s.icmp("slt", x, c(0)));
    expect(s.icmp("eq", s.shr(x, c(31)), c(0))).toBe(s.icmp("sge", x, c(0)));
    expect(s.icmp("ne", s.shr(x, c(30)), c(0)).data).toBe("ne");
  });
  test("bits that are the sign already are not made signs again", () => {
    const nibble = s.sar(s.shl(x, c(28)), c(28));
    expect(s.sar(s.shl(nibble, c(24)), c(24))).toBe(nibble);
    const both = s.xor(nibble, s.sar(y, c(25)));
    expect(s.sar(s.shl(both, c(24)), c(24))).toBe(both);
    // Eight bits are left of nine.
    const byte = s.sar(s.shl(x, c(23)), c(23));
    expect(s.sar(s.shl(byte, c(24)), c(24))).not.toBe(byte);
  });
  test("a multiple of the power of two that a sum is rounded down to is added later", () => {
    const rounded = s.and(x, c(-64));
    expect(s.and(s.add(x, c(128)), c(-64))).toBe(s.add(rounded, c(128)));
    expect(s.and(s.add(x, c(32)), c(-64)).kind).toBe("and");
    // The remainder of a number and of the number after it by a multiple are the same.
    const row = s.and(x, c(-256));
    const rem = (of: Node): Node => s.srem(of, c(64));
    expect(rem(s.or(row, c(128)))).toBe(rem(row));
  });
});
