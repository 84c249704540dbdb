import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Graph, type Node, operationOf, valueOf } from "./graph.js";
import { Simplifier } from "./simplify.js";

test("a division of 64 bits is one of 32 where its numbers are words, and their quotient", () => {
  const s = new Simplifier(new Graph(), true);
  const word = s.graph.pure("special", 32, [], { register: "%clock", most: undefined });
  const count = s.graph.pure("special", 32, [], { register: "%ctaid.x", most: 2 ** 31 - 2 });
  const [signed, unsigned, small] = [s.sext(word, 64), s.zext(word, 64), s.zext(count, 64)];
  expect(s.sdiv(small, signed)).toBe(s.sext(s.sdiv(count, word), 64));
  expect(s.srem(signed, small)).toBe(s.sext(s.srem(word, count), 64));
  expect(s.sdiv(signed, s.constant(64, 7))).toBe(s.sext(s.sdiv(word, s.constant(32, 7)), 64));
  expect(s.urem(unsigned, small)).toBe(s.zext(s.urem(word, count), 64));
  // -2^31 / -1 is 2^31.
  for (const [a, b] of [
    [signed, signed],
    [signed, s.constant(64, -1)],
    [signed, unsigned],
    [signed, s.constant(64, 2n ** 31n + 1n)],
  ] as const)
    expect(s.sdiv(a, b).kind).toBe("sdiv");
});

describe("division by constants", () => {
  /** The value of an integer node, given the value of its only unknown. */
  function evaluate(node: Node, x: bigint): bigint {
    const [a, b] = node.inputs.map((i) => evaluate(i, x)) as [bigint, bigint];
    const u = (v: bigint) => BigInt.asUintN(32, v);
    const results: Readonly<Record<string, () => bigint>> = {
      const: () => valueOf(node)!,
      special: () => x,
      add: () => a + b,
      sub: () => a - b,
      mul: () => a * b,
      and: () => a & b,
      shl: () => a << u(b),
      shr: () => u(a) >> u(b),
      sar: () => a >> u(b),
      "mul.hi.u32": () => (u(a) * u(b)) >> 32n,
      "mul.hi.s32": () => (a * b) >> 32n,
    };
    return BigInt.asIntN(32, results[operationOf(node)]!());
  }
  const s = new Simplifier(new Graph(), true);
  const unknown = s.graph.pure("special", 32, [], { register: "%clock", most: undefined });
  const words = fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n });
  test("quotients and remainders are those of the instructions", () => {
    fc.assert(
      fc.property(words, words, (x, d) => {
        fc.pre(d !== 0n);
        const divisor = s.constant(32, d);
        const unsigned = [BigInt.asUintN(32, x), BigInt.asUintN(32, d)] as const;
        expect(evaluate(s.udiv(unknown, divisor), x)).toBe(BigInt.asIntN(32, unsigned[0] / unsigned[1]));
        expect(evaluate(s.urem(unknown, divisor), x)).toBe(BigInt.asIntN(32, unsigned[0] % unsigned[1]));
        fc.pre(d > 0n);
        expect(evaluate(s.sdiv(unknown, divisor), x)).toBe(x / d);
        expect(evaluate(s.srem(unknown, divisor), x)).toBe(x % d);
      }),
    );
  });
});

/** A kernel that calls a function of libdevice. */
