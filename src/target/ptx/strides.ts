/**
 * Values that differ by a multiple of one number are counted up, each from the one before, not multiplied anew.
 *
 *     base + row * n;  base + (row | 8) * n          a = base + row * n;  a + (n << 3)
 *
 * Source: llvm/lib/Transforms/Scalar/StraightLineStrengthReduce.cpp.
 */
import { type Node, valueOf } from "./graph.js";
import type { Simplifier } from "./simplify.js";

/** The values of a family are equal but for `count` times the stride. */
interface Member {
  readonly family: string;
  readonly stride: Node;
  /** The stride is shifted to the left. */
  readonly shift: bigint;
  readonly count: bigint;
}

/** Up to so many products of words, or by constants, cost no more than sums, and hold fewer registers. */
const FEW = 8;

/** Returns which nodes are sums now; `nodes` are the live ones, inputs before users. */
export function countUp(s: Simplifier, nodes: readonly Node[]): Map<Node, Node> {
  const sizes = new Map<string, number>();
  const products = new Set<string>();
  for (const node of nodes)
    for (const [x, by, count] of factorsOf(s, node)) {
      if (count === 0n) continue;
      const family = familyOf(node, x, by);
      const size = (sizes.get(family) ?? 0) + 1;
      sizes.set(family, size);
      if (size > FEW || (node.width === 64 && x.kind !== "const")) products.add(family);
    }
  const replaced = new Map<Node, Node>();
  if (products.size === 0) return replaced;
  const numbers = new Map<string, number>();
  const members = new Map<Node, Member>();
  const lasts = new Map<string, readonly [node: Node, count: bigint]>();
  for (const node of nodes) {
    const member = memberOf(s, node, members, products);
    if (!member) continue;
    const number = numbers.get(member.family) ?? numbers.size;
    numbers.set(member.family, number);
    members.set(node, { ...member, family: `${number}` });
    // Blocks have values of their own, so that none is needed where it is not computed otherwise.
    const place = `${number} ${node.home}`;
    const last = lasts.get(place);
    const count = last && s.constant(node.width, member.count - last[1]);
    const value = last
      ? s.graph.inPlaceOf(node, () => s.add(last[0], s.mul(s.shl(member.stride, s.constant(node.width, member.shift)), count!)))
      : node;
    if (value !== node) replaced.set(node, value);
    lasts.set(place, [value, member.count]);
  }
  return replaced;
}
/** A product as factors of which the first has a number added to it: (x + count) * by, where x is 0 for constants. */
function factorsOf(s: Simplifier, node: Node): readonly (readonly [x: Node, by: Node, count: bigint])[] {
  const [a, b] = node.inputs as [Node, Node];
  if (node.kind !== "mul" || node.width < 32) return [];
  const times = valueOf(b);
  if (times !== undefined) return [[s.constant(node.width, 0), a, times]];
  const [[x, ofX], [y, ofY]] = [s.splitOffset(a), s.splitOffset(b)];
  return [
    [x, b, ofX],
    [y, a, ofY],
  ];
}
const familyOf = (node: Node, x: Node, by: Node): string => `${x.id}*${by.id} ${node.width}`;

function memberOf(s: Simplifier, node: Node, members: ReadonlyMap<Node, Member>, products: ReadonlySet<string>): Member | undefined {
  for (const [x, by, count] of factorsOf(s, node)) {
    const family = familyOf(node, x, by);
    if (products.has(family)) return { family, stride: by, shift: 0n, count };
  }
  const [a, b] = node.inputs as [Node, Node];
  const by = valueOf(b);
  if (node.kind === "shl" && by !== undefined) {
    const member = members.get(a);
    const family = familyOf(node, s.constant(node.width, 0), a);
    if (products.has(family)) return { family, stride: a, shift: 0n, count: 1n << by };
    return member && { ...member, family: `${member.family}<<${by}`, shift: member.shift + by };
  }
  if (node.kind !== "add" || by !== undefined) return undefined;
  const [member, other] = members.has(a) ? [members.get(a)!, b] : [members.get(b), a];
  return member && { ...member, family: `${member.family}+${other.id}` };
}
