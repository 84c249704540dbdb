/** Integers of other widths than registers have, and registers taken apart and put together. */

import { type Node, valueOf, type Width } from "./graph.js";
import type { Leaf } from "./leaves.js";
import type { Simplifier } from "./simplify.js";

/** A register whose upper bits are zeros (8-bit values have any there). */
export function zeroExtended(s: Simplifier, node: Node, bits: number): Node {
  return bits === 8 ? s.and(node, s.constant(node.width, 0xff)) : node;
}
/** A register whose upper bits repeat the sign. */
export function signExtended(s: Simplifier, node: Node, bits: number): Node {
  if (bits !== 8) return node;
  const value = valueOf(node);
  if (value !== undefined) return s.constant(node.width, BigInt.asIntN(8, value));
  const count = s.constant(node.width, node.width - 8);
  return s.sar(s.shl(node, count), count);
}
/** An integer of `bits` as a register of `width`; the bits above do not matter. */
export function anyExtended(s: Simplifier, node: Node, width: Width): Node {
  return node.width < width ? s.zext(node, width) : s.trunc(node, width);
}

/** The same bits as registers of other sizes, lowest first. */
export function regroup(s: Simplifier, nodes: readonly Node[], from: readonly Leaf[], to: readonly Leaf[]): readonly Node[] | undefined {
  const [source, target] = [from[0], to[0]];
  if (!source || !target) return from.length === to.length ? [] : undefined;
  if (from.length === to.length && from.every((leaf, i) => leaf.bits === to[i]!.bits)) return nodes;
  if (from.length * source.bits !== to.length * target.bits || source.bits === 1 || target.bits === 1) return undefined;
  const halves = split(s, nodes, source.bits, Math.min(source.bits, target.bits));
  return join(s, halves, Math.min(source.bits, target.bits), target.bits);
}
function split(s: Simplifier, nodes: readonly Node[], bits: number, to: number): readonly Node[] {
  if (bits === to) return nodes;
  const half = bits / 2;
  const parts = nodes.flatMap((node) => {
    if (half === 8) return [s.zext(node, 32), s.shr(s.zext(node, 32), s.constant(32, 8))];
    // Bytes of a word need no halves of it.
    if (half === 16 && to === 8) return [0, 8, 16, 24].map((at) => s.shr(node, s.constant(32, at)));
    return [s.trunc(node, half as Width), s.high(node)];
  });
  return half === 16 && to === 8 ? parts : split(s, parts, half, to);
}
function join(s: Simplifier, nodes: readonly Node[], bits: number, to: number): readonly Node[] {
  if (bits === to) return nodes;
  const made: Node[] = [];
  if (bits === 8 && to >= 32) {
    for (let i = 0; i < nodes.length; i += 4) made.push(word(s, nodes.slice(i, i + 4)));
    return join(s, made, 32, to);
  }
  for (let i = 0; i < nodes.length; i += 2) {
    const [low, high] = [nodes[i]!, nodes[i + 1]!];
    made.push(bits === 8 ? s.trunc(s.or(zeroExtended(s, low, 8), s.shl(high, s.constant(32, 8))), 16) : s.pack(low, high));
  }
  return join(s, made, bits * 2, to);
}
/** Four bytes as a word. */
function word(s: Simplifier, bytes: readonly Node[]): Node {
  const placed = bytes.map((b, i) =>
    i === 3 ? s.shl(b, s.constant(32, 24)) : s.shl(s.and(b, s.constant(32, 0xff)), s.constant(32, 8 * i)),
  );
  return placed.reduce((a, b) => s.or(a, b));
}
