/** Registers of one width made of those of others. */
import { type Node, operationOf, valueOf, type Width } from "./graph.js";
import { disjoint, isNonNegative, maskOf, maximumOf } from "./known-bits.js";
import type { Simplifier } from "./simplify.js";

export function zext(s: Simplifier, a: Node, width: Width): Node {
  if (a.width === width) return a;
  const value = valueOf(a);
  if (value !== undefined) return s.constant(width, BigInt.asUintN(a.width, value));
  if (a.width === 1) return s.select(a, s.constant(width, 1), s.constant(width, 0));
  if (a.kind === "zext") return zext(s, a.inputs[0]!, width);
  if (a.kind === "high" && a.inputs[0]!.width === width) return s.shr(a.inputs[0]!, s.constant(width, a.width));
  if (a.kind === "trunc" && a.inputs[0]!.width === width) return s.and(a.inputs[0]!, s.constant(width, maskOf(a.width)));
  if (a.kind === "trunc" && a.inputs[0]!.width < width)
    return zext(s, s.and(a.inputs[0]!, s.constant(a.inputs[0]!.width, maskOf(a.width))), width);
  const [base, offset] = s.splitOffset(a);
  // The sum of a value and a constant that do not share bits does not overflow.
  if (offset > 0n && a.kind === "or") return s.or(zext(s, base, width), s.constant(width, BigInt.asUintN(a.width, offset)));
  if (offset > 0n && maximumOf(base) + offset <= maskOf(a.width)) return s.add(zext(s, base, width), s.constant(width, offset));
  return s.graph.pure("zext", width, [a]);
}
export function sext(s: Simplifier, a: Node, width: Width): Node {
  if (a.width === width) return a;
  const value = valueOf(a);
  if (value !== undefined) return s.constant(width, value);
  if (a.width === 1) return s.select(a, s.constant(width, -1), s.constant(width, 0));
  if (isNonNegative(a)) return zext(s, a, width);
  if (a.kind === "sext") return sext(s, a.inputs[0]!, width);
  if (a.kind === "high" && a.inputs[0]!.width === width) return s.sar(a.inputs[0]!, s.constant(width, a.width));
  if (a.kind === "or" && valueOf(a.inputs[1]) !== undefined && valueOf(a.inputs[1])! >= 0n && disjoint(a.inputs[0]!, a.inputs[1]!))
    return s.or(sext(s, a.inputs[0]!, width), s.constant(width, valueOf(a.inputs[1])!));
  return s.graph.pure("sext", width, [a]);
}
export function trunc(s: Simplifier, a: Node, width: Width): Node {
  if (a.width === width) return a;
  const value = valueOf(a);
  if (value !== undefined) return s.constant(width, value);
  if (width === 1) return s.icmp("ne", s.and(a, s.constant(a.width, 1)), s.constant(a.width, 0));
  if (a.kind === "zext" || a.kind === "sext") {
    const inner = a.inputs[0]!;
    if (inner.width === width) return inner;
    if (inner.width > width) return trunc(s, inner, width);
    return a.kind === "zext" ? zext(s, inner, width) : sext(s, inner, width);
  }
  if (a.kind === "trunc") return trunc(s, a.inputs[0]!, width);
  if (a.kind === "pack" && width === a.inputs[0]!.width) return a.inputs[0]!;
  if (a.kind === "shr" && valueOf(a.inputs[1]) === BigInt(width) && a.width === 2 * width) return high(s, a.inputs[0]!);
  if (a.kind === "select") {
    const [, x, y] = a.inputs;
    if (valueOf(x) !== undefined && valueOf(y) !== undefined) return s.select(a.inputs[0]!, trunc(s, x!, width), trunc(s, y!, width));
  }
  if (a.kind === "and" || a.kind === "or" || a.kind === "xor") {
    const asked = s.demanded(a, maskOf(width), 4);
    if (asked !== a) return trunc(s, asked, width);
  }
  return s.graph.pure("trunc", width, [a]);
}
/** Two halves as one register, the lower one first. */
export function pack(s: Simplifier, low: Node, high: Node): Node {
  const width: Width = low.width === 16 ? 32 : 64;
  const [x, y] = [valueOf(low), valueOf(high)];
  if (x !== undefined && y !== undefined) return s.constant(width, BigInt.asUintN(low.width, x) | (y << BigInt(low.width)));
  if (low.kind === "trunc" && high.kind === "high" && low.inputs[0] === high.inputs[0] && high.inputs[0]!.width === width)
    return high.inputs[0]!;
  const both = /^cvt\.(rn|rz)\.(f16|bf16)\.f32$/.exec(operationOf(low));
  if (both && s.hasPackedConversion && operationOf(high) === operationOf(low))
    return s.graph.inPlaceOf(low.place > high.place ? low : high, () =>
      s.graph.ptx(`cvt.${both[1]}.${both[2]}x2.f32`, 32, [high.inputs[0]!, low.inputs[0]!]),
    );
  return s.graph.pure("pack", width, [low, high]);
}
/** The upper half of a register. */
export function high(s: Simplifier, a: Node): Node {
  if (a.kind === "pack") return a.inputs[1]!;
  const half: Width = a.width === 64 ? 32 : 16;
  const value = valueOf(a);
  if (value !== undefined) return s.constant(half, value >> BigInt(half));
  if (a.kind === "zext" && a.inputs[0]!.width === half) return s.constant(half, 0);
  if (a.kind === "shl" && valueOf(a.inputs[1]) === BigInt(half)) return trunc(s, a.inputs[0]!, half);
  return s.graph.pure("high", half, [a]);
}

/** How deep bits of several numbers put together are looked into. */
const MOST_COMBINED = 6;
/** The width of the number whose extension a node is; undefined if it is none. */
export function unextendedWidth(node: Node, by: "sext" | "zext", steps = MOST_COMBINED): Width | undefined {
  const [a, b] = node.inputs;
  if (node.kind === by || (node.kind === "zext" && isNonNegative(a!))) return a!.width;
  if (steps === 0 || (node.kind !== "and" && node.kind !== "or" && node.kind !== "xor")) return undefined;
  const width = unextendedWidth(a!, by, steps - 1);
  return width !== undefined && isUnextended(b!, by, width, steps - 1) ? width : undefined;
}
const isUnextended = (node: Node, by: "sext" | "zext", width: Width, steps: number): boolean => {
  const value = valueOf(node);
  return value === undefined
    ? unextendedWidth(node, by, steps) === width
    : BigInt.asIntN(node.width, value) === (by === "sext" ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value));
};
/** The number of a width whose extension a node is: bits that extensions are put together of are put together before them. */
export function unextended(s: Simplifier, node: Node, by: "sext" | "zext", width: Width): Node | undefined {
  if (!isUnextended(node, by, width, MOST_COMBINED)) return undefined;
  const value = valueOf(node);
  if (value !== undefined) return s.constant(width, value);
  const [a, b] = node.inputs as [Node, Node];
  if (node.kind === "and" || node.kind === "or" || node.kind === "xor")
    return s.bitwise(node.kind, unextended(s, a, by, width)!, unextended(s, b, by, width)!);
  return a;
}
/** Bits of two extensions put together before the extension: sext x | sext y is sext (x | y). */
export function bitwiseBefore(s: Simplifier, kind: "and" | "or" | "xor", a: Node, b: Node): Node | undefined {
  if (valueOf(b) !== undefined) return undefined;
  for (const by of ["zext", "sext"] as const) {
    const width = unextendedWidth(a, by, 0);
    if (width !== undefined && unextendedWidth(b, by, 0) === width) return s[by](s.bitwise(kind, a.inputs[0]!, b.inputs[0]!), a.width);
  }
  return undefined;
}
