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

/** Which warp numbers are now bits of the thread's number. */
export function warpNumbersOfDivisions(graph: Graph, live: ReadonlySet<Node>): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  const seen = new Set<Node>();
  const numbers = new Set<Node>();
  for (const division of live) {
    if (!isDivision(division)) continue;
    const found = warpNumbersIn(division);
    for (const number of found) numbers.add(number);
  }
  for (const number of numbers) {
    if (seen.has(number)) continue;
    seen.add(number);
    const [thread, start] = number.inputs as [Node, Node];
    const count = bitLength(maximumOf(number));
    graph.loc = number.loc;
    replaced.set(number, graph.ptx("bfe.u32", 32, [thread, start, graph.constant(32, count)]));
  }
  return replaced;
}
/** The warp numbers that a value is computed from, where all else is the same for a warp too. */
function warpNumbersIn(root: Node): readonly Node[] {
  const found: Node[] = [];
  const seen = new Set([root]);
  for (const node of seen) {
    if (isWarpNumber(node)) found.push(node);
    else if (isThreadNumber(node) || !isPure(node) || node.kind === "result") return [];
    else for (const input of node.inputs) seen.add(input);
  }
  return found;
}
