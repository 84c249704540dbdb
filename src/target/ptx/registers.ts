/**
 * Decides which values share a register: a phi and its inputs, and an operand that assembly reads and writes, wherever one is
 * dead when the other is defined. Every copy that is written here would have to be removed again by ptxas.
 *
 *     loop:  acc = phi(zero, sum)         mma {%r1}, {%r9}, {%r1}     acc, its sum and the value after the loop are %r1
 *
 * Source: llvm/lib/CodeGen/RegisterCoalescer.cpp; Budimlić et al., "Fast Copy Coalescing and Live-Range Identification".
 */
import { type Block, effectOf, type Graph, type Node } from "./graph.js";
import { type InstructionOrder, registerInputs } from "./instruction-order.js";
import { terminatorInputs } from "./schedule.js";

/** The node whose register a node has. */
export function shareRegisters(order: readonly Block[], code: InstructionOrder, results: Results): (node: Node) => Node {
  const wishes = pairsOf(order, code, results);
  const ranges = new LiveRanges(order, code, new Set(wishes.flat()));
  const classes = new Map<Node, SharedRegister>();
  const classOf = (node: Node): SharedRegister => {
    let own = classes.get(node);
    if (!own) classes.set(node, (own = ranges.alone(node)));
    return own;
  };
  for (const [a, b] of wishes) {
    const [x, y] = [classOf(a), classOf(b)];
    if (x === y) continue;
    const [large, small] = x.nodes.length >= y.nodes.length ? [x, y] : [y, x];
    if (ranges.interfere(large, small)) continue;
    for (const node of small.nodes) {
      large.nodes.push(node);
      classes.set(node, large);
    }
    ranges.addAll(large.made, small.made);
    ranges.addAll(large.present, small.present);
  }
  return (node) => classes.get(node)?.nodes[0] ?? node;
}

/**
 * Values that share a register, and by block those that are made there and those that are needed there, one after the other: as
 * they do not interfere, each has done its service when the next begins.
 */
interface SharedRegister {
  readonly nodes: Node[];
  readonly made: Map<Block, Node[]>;
  readonly present: Map<Block, Node[]>;
}
/** Before all that is made in a block. */
const LIVE_IN = -2;

/** Pairs of values that should share a register: copies and tied asm operands, then phis, innermost loops first. */
function pairsOf(order: readonly Block[], { instructions }: InstructionOrder, results: Results): readonly (readonly [Node, Node])[] {
  const pairs: (readonly [Node, Node])[] = [];
  for (const nodes of instructions.values())
    for (const node of nodes) {
      const info = effectOf(node);
      if (node.kind === "copy" && node.inputs[0]!.kind !== "const") pairs.push([node, node.inputs[0]!]);
      if (info?.kind !== "asm") continue;
      info.ties.forEach((result, i) => {
        const made = result === undefined ? undefined : results.get(node)?.get(result);
        const input = node.inputs[i]!;
        if (made && input.kind !== "const" && input.width === made.width) pairs.push([made, input]);
      });
    }
  const inward = [...order].sort((a, b) => b.loopDepth - a.loopDepth);
  for (const block of inward)
    for (const phi of block.phis) for (const input of phi.inputs) if (input.kind !== "const" && input !== phi) pairs.push([phi, input]);
  return pairs;
}

/** Results of effects, by their index. */
export type Results = ReadonlyMap<Node, ReadonlyMap<number, Node>>;
/** The results that are used, or that an input shares its register with. */
export function resultNodes(graph: Graph, instructions: InstructionOrder["instructions"]): Results {
  const found = new Map<Node, Map<number, Node>>();
  const note = (node: Node): void => {
    if (node.kind !== "result") return;
    const effect = node.inputs[0]!;
    const known = found.get(effect);
    if (known) known.set(node.data, node);
    else found.set(effect, new Map([[node.data, node]]));
  };
  for (const [block, nodes] of instructions) {
    for (const node of nodes) {
      registerInputs(node).forEach(note);
      const info = effectOf(node);
      if (info?.kind !== "asm") continue;
      for (const tied of info.ties) if (tied !== undefined) note(graph.result(node, tied, info.results[tied]!));
    }
    for (const phi of block.phis) phi.inputs.forEach(note);
    terminatorInputs(block.terminator).forEach(note);
  }
  return found;
}

/** Where values are made and needed last. Only those that are asked for are looked at. */
class LiveRanges {
  /** Twice the place of an instruction: what it makes comes one after. */
  readonly #made = new Map<Node, { readonly block: Block; readonly at: number }>();
  readonly #lastUse = new Map<Block, Map<Node, number>>();
  readonly #liveOut = new Map<Block, Set<Node>>();
  /** The blocks that each is made, used or handed on in. */
  readonly #present = new Map<Node, Set<Block>>();

  constructor(order: readonly Block[], { instructions, halves }: InstructionOrder, wanted: ReadonlySet<Node>) {
    const effects = new Map<Node, { readonly block: Block; readonly at: number }>();
    for (const block of order) {
      const uses = new Map<Node, number>();
      const use = (node: Node, at: number): void => {
        if (wanted.has(node)) uses.set(node, at);
      };
      const make = (node: Node, at: number): void => {
        if (wanted.has(node)) this.#made.set(node, { block, at });
      };
      for (const phi of block.phis) make(phi, -1);
      const nodes = instructions.get(block)!;
      nodes.forEach((node, i) => {
        // Assembly of several instructions may write before it has read everything.
        const info = effectOf(node);
        const late = info?.kind === "asm" ? info : undefined;
        registerInputs(node).forEach((input, k) => {
          use(input, late && late.ties[k] === undefined ? 2 * i + 2 : 2 * i);
        });
        if (info) effects.set(node, { block, at: 2 * i + 1 });
        make(node, 2 * i + 1);
        const other = halves.get(node);
        if (other) make(other, 2 * i + 1);
      });
      for (const input of terminatorInputs(block.terminator)) use(input, 2 * nodes.length);
      this.#lastUse.set(block, uses);
      this.#liveOut.set(block, new Set());
    }
    for (const node of wanted) if (node.kind === "result") this.#made.set(node, effects.get(node.inputs[0]!)!);
    this.#flow(order, wanted);
    for (const node of wanted) this.#present.set(node, new Set([this.#made.get(node)!.block]));
    for (const block of order) {
      for (const node of this.#lastUse.get(block)!.keys()) this.#present.get(node)!.add(block);
      for (const node of this.#liveOut.get(block)!) this.#present.get(node)!.add(block);
    }
  }
  /** Computes the values that are live after each block. */
  #flow(order: readonly Block[], wanted: ReadonlySet<Node>): void {
    const work: (readonly [Node, Block])[] = [];
    const needIn = (node: Node, block: Block): void => {
      if (this.#made.get(node)?.block !== block) for (const pred of block.predecessors) work.push([node, pred]);
    };
    for (const block of order) {
      for (const node of this.#lastUse.get(block)!.keys()) needIn(node, block);
      for (const phi of block.phis)
        phi.inputs.forEach((input, i) => {
          if (wanted.has(input)) work.push([input, block.predecessors[i]!]);
        });
    }
    for (let top = work.pop(); top; top = work.pop()) {
      const [node, block] = top;
      const out = this.#liveOut.get(block);
      if (!out || out.has(node)) continue;
      out.add(node);
      needIn(node, block);
    }
  }

  /** A value that shares its register with none yet. */
  alone(node: Node): SharedRegister {
    const { block } = this.#made.get(node)!;
    return {
      nodes: [node],
      made: new Map([[block, [node]]]),
      present: new Map(Array.from(this.#present.get(node)!, (where) => [where, [node]])),
    };
  }
  addAll(to: Map<Block, Node[]>, from: ReadonlyMap<Block, readonly Node[]>): void {
    for (const [block, nodes] of from) {
      const known = to.get(block);
      if (!known) to.set(block, [...nodes]);
      else for (const node of nodes) known.splice(this.#firstFrom(known, block, this.#startIn(block, node)), 0, node);
    }
  }
  /** Whether a value of one is still needed when one of the other is made: which can only be in a block that has both. */
  interfere(large: SharedRegister, small: SharedRegister): boolean {
    for (const [block, made] of small.made) {
      const present = large.present.get(block);
      // Only the last that begins no later can be needed still.
      if (
        present &&
        made.some((node) => this.#isNeededAt(present[this.#firstFrom(present, block, this.#startIn(block, node) + 1) - 1], node))
      )
        return true;
    }
    for (const [block, present] of small.present) {
      const made = large.made.get(block);
      if (made && present.some((node) => this.#isNeededAt(node, made[this.#firstFrom(made, block, this.#startIn(block, node))])))
        return true;
    }
    return false;
  }
  #startIn(block: Block, node: Node): number {
    const made = this.#made.get(node)!;
    return made.block === block ? made.at : LIVE_IN;
  }
  /** The index of the first of `nodes` that begins at `start` in `block` or later. */
  #firstFrom(nodes: readonly Node[], block: Block, start: number): number {
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#startIn(block, nodes[middle]!) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  #isNeededAt(node: Node | undefined, made: Node | undefined): boolean {
    if (!node || !made) return false;
    const { block, at } = this.#made.get(made)!;
    const own = this.#made.get(node)!;
    if (own.block === block ? own.at > at : !this.#isLiveIn(node, block)) return false;
    // Two values made at the same time, by one instruction or by phis, need two registers.
    if (own.block === block && own.at === at) return true;
    return this.#liveOut.get(block)!.has(node) || (this.#lastUse.get(block)!.get(node) ?? -2) > at;
  }
  #isLiveIn(node: Node, block: Block): boolean {
    return block.predecessors.some((pred) => this.#liveOut.get(pred)!.has(node));
  }
}
