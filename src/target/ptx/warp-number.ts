/**
 * The number of a thread's warp as bits of the thread's number, where a division depends on it. The assembler takes `%tid.x >> 5` for the same
 * in all threads of a warp, and computes what depends on that alone in registers that a warp shares. A division has no instructions there, so
 * that it moves values to and fro: three instructions more for each. Source: LLVM keeps the mask of the thread's number, which has this effect.
 */
import { type Graph, isPure, type Node, valueOf } from "./graph.js";
import { bitLength, maximumOf } from "./known-bits.js";

/** Threads whose numbers differ in lower bits only are of one warp. */
const LANE_BITS = 5n;
const isThreadNumber = (node: Node): boolean => node.kind === "special" && node.data.register === "%tid.x";
const isWarpNumber = (node: Node): boolean =>
  node.kind === "shr" && isThreadNumber(node.inputs[0]!) && (valueOf(node.inputs[1]) ?? 0n) >= LANE_BITS;
const isDivision = ({ kind, inputs }: Node): boolean =>
  (kind === "sdiv" || kind === "srem" || kind === "udiv" || kind === "urem") && inputs[1]!.kind !== "const";

/** The warp numbers that divisions depend on, where all else that they depend on is the same for a warp too: now bits of the thread's number. */
export function warpNumbersOfDivisions(graph: Graph, live: ReadonlySet<Node>): Map<Node, Node> {
  const known = new Map<Node, boolean>();
  const inside = new Set([...live].filter((node) => isDivision(node) && isSameForWarp(node, known)));
  const replaced = new Map<Node, Node>();
  for (const node of inside) {
    if (!isWarpNumber(node)) {
      for (const input of node.inputs) inside.add(input);
      continue;
    }
    const [thread, start] = node.inputs as [Node, Node];
    const count = bitLength(maximumOf(node));
    graph.loc = node.loc;
    replaced.set(node, graph.ptx("bfe.u32", 32, [thread, start, graph.constant(32, count)]));
  }
  return replaced;
}
/** Whether a value is computed from warp numbers and what is not of a thread; `known` holds the results so far. */
function isSameForWarp(root: Node, known: Map<Node, boolean>): boolean {
  const open = [root];
  for (let node = open.at(-1); node; node = open.at(-1)) {
    const unknown = known.has(node) || isWarpNumber(node) ? [] : node.inputs.filter((input) => !known.has(input));
    if (unknown.length > 0 && isShared(node)) {
      open.push(...unknown);
      continue;
    }
    open.pop();
    if (!known.has(node)) known.set(node, isWarpNumber(node) || (isShared(node) && node.inputs.every((input) => known.get(input))));
  }
  return known.get(root)!;
}
/** Whether a value is the same for a warp where its inputs are. */
const isShared = (node: Node): boolean => !isThreadNumber(node) && isPure(node) && node.kind !== "result";
