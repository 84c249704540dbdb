/**
 * The forms of loads and stores, by what is done with the values, as in llc: a word of which only halves are used is
 * loaded as halves, and what is sign-extended anyway is extended by the load.
 * Source: llvm/lib/Target/NVPTX/NVPTXISelLowering.cpp, combineUnpackingMovIntoLoad; NVPTXISelDAGToDAG.cpp.
 */

import { type Block, type Effect, type Graph, type Node, valueOf } from "./graph.js";
import { addressParts } from "./instruction-order.js";
import { terminatorInputs } from "./schedule.js";

/** An effect that is a load. */
type Load = Node<"effect"> & { data: Extract<Effect, { readonly kind: "load" }> };
const isLoad = (node: Node | undefined): node is Load => node?.kind === "effect" && node.data.kind === "load";

/** Changes accesses in place; returns which nodes are now others. */
export function accessForms(graph: Graph, order: readonly Block[], live: ReadonlySet<Node>): Map<Node, Node> {
  const split = new Set([...live].filter((node) => node.kind === "high").map((node) => node.inputs[0]!));
  for (const block of order) {
    for (const effect of block.effects) storeHalves(effect, split);
    joinStackStores(block);
    joinConstantBytes(graph, block);
  }
  const users = usersOfLoads(order, live);
  const replaced = new Map<Node, Node>();
  for (const [load, uses] of users.byLoad) {
    if (users.escaping.has(load)) continue;
    const info = load.data;
    if (info.bits === 32 && info.count <= 2 && uses.every((use) => use.width === 16 && (use.kind === "trunc" || use.kind === "high"))) {
      load.data = { ...info, bits: 16, count: 2 * info.count };
      for (const half of uses)
        replaced.set(half, graph.result(load, 2 * (half.inputs[0] as Node<"result">).data + (half.kind === "high" ? 1 : 0), 16));
      continue;
    }
    if (info.count > 1) continue;
    const extended = info.bits === 8 ? signExtendedBytes(uses, users.all) : uses.every((use) => use.kind === "sext") ? uses : undefined;
    const width = extended?.[0]?.width;
    if (!extended || width === undefined || extended.some((use) => use.width !== width)) continue;
    load.data = { ...info, signedTo: width };
    for (const use of extended) replaced.set(use, graph.result(load, 0, width));
  }
  return replaced;
}

/** (x << 24) >> 24 of a byte, where nothing else is done with it. */
function signExtendedBytes(uses: readonly Node[], users: ReadonlyMap<Node, readonly Node[]>): readonly Node[] | undefined {
  const found: Node[] = [];
  for (const use of uses) {
    if (use.kind !== "shl" || valueOf(use.inputs[1]) !== 24n) return undefined;
    for (const outer of users.get(use) ?? []) {
      if (outer.kind !== "sar" || valueOf(outer.inputs[1]) !== 24n) return undefined;
      found.push(outer);
    }
  }
  return found;
}

interface Users {
  /** The users of each load's results. */
  readonly byLoad: ReadonlyMap<Load, readonly Node[]>;
  /** The users of each left shift, which may be half of a byte's sign extension. */
  readonly all: ReadonlyMap<Node, readonly Node[]>;
  /** Loads with results that a branch or a return takes. */
  readonly escaping: ReadonlySet<Node>;
}
function usersOfLoads(order: readonly Block[], live: ReadonlySet<Node>): Users {
  const byLoad = new Map<Load, Node[]>();
  const all = new Map<Node, Node[]>();
  const escaping = new Set<Node>();
  const loadOf = (node: Node): Load | undefined => {
    const [effect] = node.kind === "result" ? node.inputs : [];
    return isLoad(effect) ? effect : undefined;
  };
  const add = (to: Map<Node, Node[]>, key: Node, user: Node): void => {
    const known = to.get(key);
    if (known) known.push(user);
    else to.set(key, [user]);
  };
  for (const node of live)
    for (const input of node.inputs) {
      const load = loadOf(input);
      if (load) add(byLoad, load, node);
      else if (input.kind === "shl") add(all, input, node);
    }
  for (const block of order)
    for (const input of terminatorInputs(block.terminator)) {
      const load = loadOf(input);
      if (load) escaping.add(load);
      // A shift that is returned is not only extended.
      if (input.kind === "shl") add(all, input, input);
    }
  return { byLoad, all, escaping };
}

/** Pairs that would be put together for the store alone are stored as halves; of two words the lower halves are as soon one word. */
function storeHalves(effect: Node<"effect">, split: ReadonlySet<Node>): void {
  const info = effect.data;
  if (info.kind !== "store" || info.bits !== 32 || info.count > 2) return;
  const [address, ...words] = effect.inputs as [Node, ...Node[]];
  const isCut = (half: Node): boolean => half.kind === "trunc" && half.inputs[0]!.width === 32 && !split.has(half.inputs[0]!);
  if (words.some((word) => word.kind !== "pack") || words.every((word) => word.inputs.every(isCut))) return;
  effect.data = { ...info, bits: 16, count: 2 * info.count };
  effect.inputs = [address, ...words.flatMap((word) => word.inputs)];
}
/** Consecutive stores to adjacent places on the stack become one store of up to 8 bytes, the alignment of the stack. */
function joinStackStores(block: Block): void {
  const kept: Node<"effect">[] = [];
  for (const effect of block.effects) if (!(kept.length > 0 && joinStores(kept.at(-1)!, effect))) kept.push(effect);
  block.effects = kept;
}
/** Whether the first store now does what the second did as well. */
function joinStores(first: Node<"effect">, second: Node<"effect">): boolean {
  const [a, b] = [first.data, second.data];
  if (a.kind !== "store" || a.space !== "local" || b.kind !== "store") return false;
  const bytes = (a.bits * a.count) / 8;
  const [base, start] = addressParts(first.inputs[0]!);
  const [other, next] = addressParts(second.inputs[0]!);
  const isBehind = b.space === "local" && base === other && next === start + BigInt(bytes);
  if (!isBehind || a.bits !== b.bits || a.count !== b.count || bytes > 4 || a.count > 2 || start % BigInt(2 * bytes) !== 0n) return false;
  first.data = { ...a, count: 2 * a.count };
  first.inputs = [...first.inputs, ...second.inputs.slice(1)];
  return true;
}

/**
 * Constant bytes stored side by side in shared memory, one store after the other, are stored at once, up to 8: so warps are given
 * what to run. (Shared memory as a whole is aligned to 16.) Source: llvm/lib/CodeGen/SelectionDAG/DAGCombiner.cpp, mergeConsecutiveStores.
 */
function joinConstantBytes(graph: Graph, block: Block): void {
  const { effects } = block;
  const made: Node<"effect">[] = [];
  for (let i = 0; i < effects.length; ) {
    const first = effects[i]!;
    const place = constantByte(first);
    let count = 1;
    if (place) {
      while (count < 8 && isBehind(place, count, effects[i + count])) count++;
      while (count > 1 && ((count & (count - 1)) !== 0 || place.offset % BigInt(count) !== 0n)) count--;
    }
    if (place && count > 1) joinBytes(graph, first, effects.slice(i, i + count));
    made.push(first);
    i += count;
  }
  block.effects = made;
}
interface ConstantByte {
  readonly base: Node;
  readonly offset: bigint;
  readonly value: bigint;
}
function constantByte(effect: Node<"effect"> | undefined): ConstantByte | undefined {
  if (effect?.data.kind !== "store" || effect.data.volatile) return undefined;
  const info = effect.data;
  if (info.space !== "shared" || info.bits !== 8 || info.count !== 1) return undefined;
  const [base, offset] = addressParts(effect.inputs[0]!);
  const value = valueOf(effect.inputs[1]);
  return base.kind === "address" && base.data.symbol === "global_smem" && value !== undefined ? { base, offset, value } : undefined;
}
function isBehind({ base, offset }: ConstantByte, by: number, effect: Node<"effect"> | undefined): boolean {
  const next = constantByte(effect);
  return next?.base === base && next.offset === offset + BigInt(by);
}
/** `first` now stores what all of them did. */
function joinBytes(graph: Graph, first: Node<"effect">, stores: readonly Node[]): void {
  const bytes = stores.map((store) => valueOf(store.inputs[1])! & 0xffn);
  const bits = Math.min(32, 8 * bytes.length);
  const words: Node[] = [];
  for (let i = 0; i < bytes.length; i += bits / 8) {
    const word = bytes.slice(i, i + bits / 8).reduceRight((all, byte) => (all << 8n) | byte, 0n);
    words.push(graph.constant(bits === 16 ? 16 : 32, word));
  }
  first.data = { ...(first.data as Extract<Effect, { readonly kind: "store" }>), bits, count: words.length };
  first.inputs = [first.inputs[0]!, ...words];
}
