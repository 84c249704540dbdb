import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Graph, type Node, valueOf } from "./graph.js";
import { Simplifier } from "./simplify.js";

describe("bits and comparisons of extended numbers", () => {
  const s = new Simplifier(new Graph(), true);
  const words = [0, 1].map((i) => s.graph.pure("special", 32, [], { register: `%clock${i}`, most: undefined }));
  const small = s.graph.pure("special", 32, [], { register: "%tid.x", most: 1023 });
  test("are those of the numbers", () => {
    const [a, b] = words as [Node, Node];
    expect(s.or(s.sext(a, 64), s.zext(small, 64))).toBe(s.sext(s.or(a, small), 64));
    expect(s.icmp("slt", s.or(s.or(s.sext(a, 64), s.zext(small, 64)), s.constant(64, 32)), s.sext(b, 64))).toBe(
      s.icmp("slt", s.or(s.or(a, small), s.constant(32, 32)), b),
    );
    // One is extended by its sign, the other is not.
    expect(s.xor(s.sext(a, 64), s.zext(b, 64)).kind).toBe("xor");
    expect(s.icmp("slt", s.sext(a, 64), s.zext(b, 64)).inputs[0]!.width).toBe(64);
    expect(s.icmp("slt", s.sext(a, 64), s.constant(64, 2n ** 31n)).inputs[0]!.width).toBe(64);
  });
  const number = fc.tuple(fc.constantFrom("sext", "zext"), fc.constantFrom(0, 1, 2)).map(([by, i]) => ({ by, i }) as const);
  const side = fc.record({ first: number, op: fc.constantFrom("and", "or", "xor"), second: number });
  const value = fc.oneof(fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n }), fc.constantFrom(0n, -1n, 1n, 32n, -(2n ** 31n)));
  const predicates = fc.constantFrom("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge");
  test("have the same value as after the extension", () => {
    fc.assert(
      fc.property(side, side, predicates, value, value, fc.bigInt({ min: 0n, max: 1023n }), (left, right, predicate, x, y, z) => {
        const given = new Map<Node, bigint>([...words, small].map((node, i) => [node, [x, y, z][i]!] as const));
        const bits = (op: string, p: bigint, q: bigint): bigint => (op === "and" ? p & q : op === "or" ? p | q : p ^ q);
        const compared = (p: string, l: bigint, r: bigint): bigint => {
          const [u, v] = p[0] === "u" ? [BigInt.asUintN(64, l), BigInt.asUintN(64, r)] : [l, r];
          const results = { eq: u === v, ne: u !== v, lt: u < v, le: u <= v, gt: u > v, ge: u >= v };
          return results[(p.length === 2 ? p : p.slice(1)) as keyof typeof results] ? 1n : 0n;
        };
        const evaluate = (node: Node): bigint => {
          const known = given.get(node) ?? valueOf(node);
          if (known !== undefined) return known;
          const [p, q] = node.inputs.map(evaluate) as [bigint, bigint];
          if (node.kind === "sext") return BigInt.asIntN(node.inputs[0]!.width, p);
          if (node.kind === "zext") return BigInt.asUintN(node.inputs[0]!.width, p);
          if (node.kind === "not") return p ^ 1n;
          if (node.kind !== "icmp") return bits(node.kind, p, q);
          const { width } = node.inputs[0]!;
          return compared(node.data as string, ...([p, q].map((v) => BigInt.asIntN(width, v)) as [bigint, bigint]));
        };
        const expected = ({ first, op, second }: typeof left): bigint => {
          const extended = [first, second].map(({ by, i }) => (by === "sext" ? [x, y, z][i]! : BigInt.asUintN(32, [x, y, z][i]!)));
          return bits(op, extended[0]!, extended[1]!);
        };
        const made = ({ first, op, second }: typeof left): Node => {
          const extended = [first, second].map(({ by, i }) => s[by]([...words, small][i]!, 64));
          return s.bitwise(op as "and", extended[0]!, extended[1]!);
        };
        expect(BigInt.asIntN(64, evaluate(made(left)))).toBe(BigInt.asIntN(64, expected(left)));
        const comparison = evaluate(s.icmp(predicate as "eq", made(left), made(right)));
        expect(comparison & 1n).toBe(compared(predicate, BigInt.asIntN(64, expected(left)), BigInt.asIntN(64, expected(right))));
      }),
    );
  });
});
