/**
 * Words whose bytes are bytes of others, moved, repeated as signs or zero: one `prmt` for two words, three for four, in place of shifts and masks.
 * Source: llvm/lib/CodeGen/SelectionDAG/DAGCombiner.cpp, calculateByteProvider; NVPTXISelLowering.cpp, LowerBUILD_VECTOR, LowerEXTRACT_VECTOR_ELT.
 *
 *     or(and(%a, 0xff), and(shl(%b, 8), 0xff00)), of which 16 bits matter      prmt %a, %b, 0x3340
 *     sar(shl(%a, 16), 24)                                                     prmt %a, 0, 0x9991
 */
import type { Graph, Node } from "./graph.js";
import { valueOf } from "./graph.js";

/** One byte of a word: that of a node, or its sign eight times. */
interface Byte {
  readonly of: Node;
  readonly index: number;
  readonly isSign: boolean;
}
/** `undefined` is a byte of zeros. */
type Bytes = readonly (Byte | undefined)[];

/** How deep words are looked into: four bytes are put together by three operations. */
const MOST_DEPTH = 6;

/** Which words are now permutations. */
export function byteMoves(graph: Graph, live: ReadonlySet<Node>): Map<Node, Node> {
  const uses = new Map<Node, number>();
  for (const node of live) for (const input of node.inputs) uses.set(input, (uses.get(input) ?? 0) + 1);
  const replaced = new Map<Node, Node>();
  for (const node of live) {
    const isHalf = node.kind === "trunc" && node.width === 16 && node.inputs[0]!.width === 32;
    const word = isHalf ? node.inputs[0]! : node;
    if (word.width !== 32 || !(word.kind in MOVES)) continue;
    const bytes = bytesOf(word, 0).slice(0, isHalf ? 2 : 4);
    if (bytes.some((byte) => byte?.of === word)) continue;
    // Operations that nobody else needs go.
    const gone = isHalf && (uses.get(word) ?? 0) > 1 ? 0 : cost(word, new Set(bytes.map((byte) => byte?.of)), uses);
    if (gone <= permutationsFor(bytes)) continue;
    graph.loc = node.loc;
    const made = permuted(graph, bytes);
    replaced.set(node, isHalf ? graph.pure("trunc", 16, [made]) : made);
  }
  return replaced;
}

/** The bytes of a word, by the operation that makes it. */
const MOVES: Readonly<Record<string, (node: Node, depth: number) => Bytes>> = {
  and: (node, depth) => {
    const mask = valueOf(node.inputs[1]);
    const bytes = bytesOf(node.inputs[0]!, depth);
    return bytes.map((byte, i) => {
      const kept = mask === undefined ? -1n : (mask >> BigInt(8 * i)) & 0xffn;
      return kept === 0n ? undefined : kept === 0xffn ? byte : own(node, i);
    });
  },
  or: (node, depth) => {
    const [x, y] = node.inputs.map((input) => bytesOf(input, depth)) as [Bytes, Bytes];
    return x.map((byte, i) => (byte && y[i] ? own(node, i) : (byte ?? y[i])));
  },
  shl: (node, depth) => shifted(node, depth, (bytes, by) => bytes.map((_, i) => (i < by ? undefined : bytes[i - by]))),
  shr: (node, depth) => shifted(node, depth, (bytes, by) => bytes.map((_, i) => bytes[i + by])),
  sar: (node, depth) =>
    shifted(node, depth, (bytes, by) => bytes.map((_, i) => (i + by < 4 ? bytes[i + by] : bytes[3] && { ...bytes[3], isSign: true }))),
};
const own = (node: Node, index: number): Byte => ({ of: node, index, isSign: false });
function bytesOf(node: Node, depth: number): Bytes {
  if (valueOf(node) === 0n) return [undefined, undefined, undefined, undefined];
  const move = depth < MOST_DEPTH && node.width === 32 ? MOVES[node.kind] : undefined;
  return move ? move(node, depth + 1) : [0, 1, 2, 3].map((i) => own(node, i));
}
function shifted(node: Node, depth: number, move: (bytes: Bytes, by: number) => Bytes): Bytes {
  const count = valueOf(node.inputs[1]);
  if (count === undefined || count % 8n !== 0n || count < 0n || count >= 32n) return [0, 1, 2, 3].map((i) => own(node, i));
  return move(bytesOf(node.inputs[0]!, depth), Number(count) / 8);
}

/** How many operations go when a word is made another way. */
function cost(word: Node, kept: ReadonlySet<Node | undefined>, uses: ReadonlyMap<Node, number>): number {
  let count = 1;
  for (const input of word.inputs)
    if (!kept.has(input) && input.kind in MOVES && input.width === 32 && uses.get(input) === 1) count += cost(input, kept, uses);
  return count;
}

const sourcesOf = (bytes: Bytes): readonly (Node | undefined)[] => [...new Set(bytes.map((byte) => byte?.of))];
function permutationsFor(bytes: Bytes): number {
  return sourcesOf(bytes).length <= 2 ? 1 : 3;
}
function permuted(graph: Graph, bytes: Bytes): Node {
  const [a, b, ...others] = sourcesOf(bytes);
  if (others.length > 0) {
    const halves = [bytes.slice(0, 2), bytes.slice(2)].map((half) => permuted(graph, half));
    return graph.ptx("prmt.b32", 32, [...halves, graph.constant(32, 0x5410)]);
  }
  const [first, second] = a ? [a, b] : [b, undefined];
  if (!first) return graph.constant(32, 0);
  const selector = bytes.reduce((all, byte, i) => {
    const from = byte ? (byte.of === first ? byte.index : 4 + byte.index) + (byte.isSign ? 8 : 0) : 4;
    return all | (from << (4 * i));
  }, 0);
  return graph.ptx("prmt.b32", 32, [first, second ?? graph.constant(32, 0), graph.constant(32, selector)]);
}
