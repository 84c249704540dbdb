/**
 * The order of a block's instructions where many values would be needed at once: next comes what makes the
 * fewest new values and ends the most, and of those loads the one that most can go on with. Where that is no better, each result is
 * computed on its own. The assembler keeps chains in the order in which it finds them, and stores in memory what does not fit.
 *
 *     load all of a, load all of b, all products      for each k: load a[k], load b[k], the products of both
 *
 * Source: Goodman, Hsu, "Code Scheduling and Register Allocation in Large Basic Blocks".
 */
import { Heap } from "../../support/heap.js";
import { makeDescriptorsNear } from "./descriptors.js";
import { type Block, type Graph, isPure, type Node } from "./graph.js";
import { type InstructionOrder, orderInstructions, registerInputs } from "./instruction-order.js";
import { fuseAcrossLoops } from "./loop-factors.js";
import { terminatorInputs } from "./schedule.js";

/** The number of 32-bit registers that a thread has. */
const REGISTERS = 255;
/** Fewer words are held in any order: the assembler orders instructions too. */
const FEW = 64;
/** The program's order stays where another one fits but needs hardly less, or neither fits nor needs a quarter less. */
const FEWER = 0.95;
const WORTH = 0.75;

/** The instructions, and the most words that are needed at once. */
export interface Relieved extends InstructionOrder {
  readonly words: number;
}
/** The order of each block, with other ones of the instructions between two effects where these need too many registers. */
export function relievePressure(graph: Graph, order: readonly Block[]): Relieved {
  const { most, ...code } = relieved(graph, order);
  return { ...code, words: largest(most.values()) };
}
function relieved(graph: Graph, order: readonly Block[]) {
  const again = () => relievedOrder(order, orderInstructions(order));
  const tooMany = (most: ReadonlyMap<Block, number>): number =>
    largest(order.map((block) => (block.loopDepth > 0 ? (most.get(block) ?? 0) : 0))) - REGISTERS;
  let code = again();
  if (tooMany(code.most) > 0 && makeDescriptorsNear(graph, order)) code = again();
  const left = tooMany(code.most);
  return left > 0 && fuseAcrossLoops([...code.instructions.values()].flat(), left) ? again() : code;
}
/** There may be more blocks than a call can have arguments. */
function largest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}
/** `most`: how many words each block needs at once. */
function relievedOrder(order: readonly Block[], { instructions, halves }: InstructionOrder) {
  const values = new Values(order, instructions, halves);
  const most = new Map<Block, number>();
  return { instructions: new Map(order.map((block) => [block, values.relieved(block, instructions.get(block)!, most)])), halves, most };
}

const isFma = (node: Node): boolean => node.kind === "ptx" && node.data.startsWith("fma.");
/** Predicates have registers of their own. */
const wordsOf = ({ width }: Node): number => (width === 1 ? 0 : width / 32);
const isMovable = (node: Node): boolean => isPure(node) || (node.kind === "effect" && node.data.kind === "load" && !node.data.volatile);

/** Which values instructions make and need. */
class Values {
  readonly #neededBehind: ReadonlyMap<Block, ReadonlySet<Node>>;
  readonly #madeBy = new Map<Node, Node[]>();
  readonly #needs = new Map<Node, readonly Node[]>();

  constructor(order: readonly Block[], instructions: InstructionOrder["instructions"], halves: InstructionOrder["halves"]) {
    const firsts = new Map([...halves].map(([first, other]) => [other, first]));
    const makerOf = (value: Node): Node => (value.kind === "result" ? value.inputs[0]! : (firsts.get(value) ?? value));
    const behind = new Map(order.map((block) => [block, new Set<Node>()]));
    const seen = new Set<Node>();
    const note = (value: Node): void => {
      if (seen.has(value)) return;
      seen.add(value);
      const maker = makerOf(value);
      const known = this.#madeBy.get(maker);
      if (known) known.push(value);
      else this.#madeBy.set(maker, [value]);
    };
    const work: (readonly [Node, Block])[] = [];
    // Constants are made in every block anew.
    const needIn = (value: Node, block: Block): void => {
      note(value);
      if (value.kind !== "const" && makerOf(value).block !== block) for (const pred of block.predecessors) work.push([value, pred]);
    };
    for (const block of order) {
      for (const node of instructions.get(block)!) for (const input of registerInputs(node)) needIn(input, block);
      for (const input of terminatorInputs(block.terminator)) {
        needIn(input, block);
        behind.get(block)!.add(input);
      }
      for (const phi of block.phis)
        phi.inputs.forEach((input, i) => {
          note(input);
          if (input.kind !== "const") work.push([input, block.predecessors[i]!]);
        });
    }
    for (let top = work.pop(); top; top = work.pop()) {
      const [value, block] = top;
      const needed = behind.get(block);
      if (!needed || needed.has(value)) continue;
      needed.add(value);
      needIn(value, block);
    }
    this.#neededBehind = behind;
  }
  private made(node: Node): readonly Node[] {
    return this.#madeBy.get(node) ?? [];
  }
  /** The values that an instruction reads. */
  private needs(node: Node): readonly Node[] {
    let known = this.#needs.get(node);
    if (!known) this.#needs.set(node, (known = [...new Set(registerInputs(node))]));
    return known;
  }
  /** How often each value is used in a block. */
  private usesIn(nodes: readonly Node[]): Map<Node, number> {
    const uses = new Map<Node, number>();
    for (const node of nodes) for (const value of this.needs(node)) uses.set(value, (uses.get(value) ?? 0) + 1);
    return uses;
  }
  /** How many words are made less those not needed any more, when an instruction comes now. */
  private growth(node: Node, behind: ReadonlySet<Node>, left: ReadonlyMap<Node, number>): number {
    let words = 0;
    for (const value of this.made(node)) words += wordsOf(value);
    for (const value of this.needs(node)) if (left.get(value) === 1 && !behind.has(value)) words -= wordsOf(value);
    return words;
  }
  /** The block with each run of instructions between two effects in the better order; loads are no effect that others wait for. */
  relieved(block: Block, nodes: readonly Node[], mostOf: Map<Block, number>): readonly Node[] {
    const behind = this.#neededBehind.get(block)!;
    const left = this.usesIn(nodes);
    const made = new Set(nodes.flatMap((node) => this.made(node)));
    let now = 0;
    for (const value of left.keys()) if (!made.has(value)) now += wordsOf(value);
    /** Words that the block only keeps. */
    let kept = 0;
    for (const value of behind) if (!made.has(value) && !left.has(value)) kept += wordsOf(value);
    const put = (node: Node, uses: Map<Node, number>, words: number): number => {
      const after = words + this.growth(node, behind, uses);
      for (const value of this.needs(node)) uses.set(value, uses.get(value)! - 1);
      return after;
    };
    /** How often the values that a run needs are still used. */
    const leftOf = (run: readonly Node[]): Map<Node, number> =>
      new Map(run.flatMap((node) => this.needs(node).map((value) => [value, left.get(value)!])));
    /** The most words that are needed at once. */
    const peak = (run: readonly Node[]): number => {
      const uses = leftOf(run);
      let [words, most] = [now, now];
      for (const node of run) most = Math.max(most, (words = put(node, uses, words)));
      return most;
    };
    const chosen: Node[] = [];
    for (let start = 0; start < nodes.length; ) {
      let end = start;
      while (end < nodes.length && isMovable(nodes[end]!)) end++;
      let run = nodes.slice(start, end);
      const before = peak(run);
      const ifBetter = (other: Node[]): Node[] | undefined => {
        const after = peak(other);
        return after <= before * (after <= REGISTERS ? FEWER : WORTH) ? other : undefined;
      };
      // It is for values that do not fit, which are stored in any case, so it may need hardly more.
      const ifHardlyMore = (other: Node[] | undefined): Node[] | undefined => (other && peak(other) * FEWER <= before ? other : undefined);
      if (before > FEW)
        run =
          ifHardlyMore(this.#backAndForth(run)) ?? ifBetter(this.#greedy(run, behind, leftOf(run))) ?? ifBetter(this.#oneByOne(run)) ?? run;
      for (const node of [...run, ...nodes.slice(end, end + 1)]) {
        now = put(node, left, now);
        mostOf.set(block, Math.max(mostOf.get(block) ?? 0, now + kept));
        chosen.push(node);
      }
      start = end + 1;
    }
    return chosen;
  }
  /** The instruction that makes each value. */
  #makersOf(run: readonly Node[]): ReadonlyMap<Node, Node> {
    return new Map(run.flatMap((node) => this.made(node).map((value) => [value, node] as const)));
  }
  /** The last instructions one after the other, each after all that it needs: where lanes are computed side by side, one lane at a time. */
  #oneByOne(run: readonly Node[]): Node[] {
    const maker = this.#makersOf(run);
    const waiting = new Map(run.map((node) => [node, this.needs(node).flatMap((value) => maker.get(value) ?? [])]));
    const used = new Set([...waiting.values()].flat());
    const made = new Set<Node>();
    for (const last of run.filter((node) => !used.has(node))) {
      const stack = [{ node: last, next: 0 }];
      for (let top = stack.at(-1); top; top = stack.at(-1)) {
        const input = waiting.get(top.node)![top.next++];
        if (!input) {
          stack.pop();
          made.add(top.node);
        } else if (!made.has(input)) stack.push({ node: input, next: 0 });
      }
    }
    return [...made];
  }
  /**
   * Sums of products whose factors do not fit before any is added: each by one product in turn, every other round backwards, so that
   * those that come last in a round are still in registers when the next one begins.
   */
  #backAndForth(run: readonly Node[]): Node[] | undefined {
    const maker = this.#makersOf(run);
    const rounds = new Map<Node, number>();
    const byRound: { readonly sums: Node[]; readonly others: Node[] }[] = [];
    const factors = new Set<Node>();
    for (const node of run) {
      const before = Math.max(0, ...this.needs(node).map((value) => rounds.get(maker.get(value)!) ?? 0));
      const round = isFma(node) ? before + 1 : before;
      rounds.set(node, round);
      (byRound[round] ??= { sums: [], others: [] })[isFma(node) ? "sums" : "others"].push(node);
      if (isFma(node)) for (const factor of node.inputs.slice(0, 2)) if (factor.kind !== "const" && !maker.has(factor)) factors.add(factor);
    }
    if ([...factors].reduce((words, factor) => words + wordsOf(factor), 0) <= REGISTERS) return undefined;
    return byRound.flatMap(({ sums, others }, round) => [...(round % 2 === 0 ? sums.reverse() : sums), ...others]);
  }
  #greedy(run: readonly Node[], behind: ReadonlySet<Node>, left: Map<Node, number>): Node[] {
    const maker = this.#makersOf(run);
    const users = new Map<Node, Node[]>();
    /** The number of values from this run that each instruction still waits for. */
    const missing = new Map<Node, number>();
    for (const node of run) {
      let count = 0;
      for (const value of this.needs(node)) {
        const known = users.get(value);
        if (known) known.push(node);
        else users.set(value, [node]);
        if (maker.has(value)) count++;
      }
      missing.set(node, count);
    }
    const isMade = new Set<Node>();
    /** The first instruction that another one waits for. */
    const awaited = (node: Node): Node | undefined => {
      for (const value of this.needs(node)) {
        const first = maker.get(value);
        if (first && !isMade.has(first)) return first;
      }
      return undefined;
    };
    /** How many instructions wait for each alone. */
    const released = new Map<Node, number>();
    const release = (node: Node | undefined): void => {
      if (node) released.set(node, (released.get(node) ?? 0) + 1);
    };
    for (const node of run) if (missing.get(node) === 1) release(awaited(node));
    /** The last that became ready is used first, and else the program's order is kept. An item whose instruction has a newer one is out of date. */
    const ready = new Heap<Candidate>(isBetter);
    const newest = new Map<Node, Candidate>();
    const rate = (node: Node, turn: number): void => {
      const candidate = { node, turn, growth: Math.max(0, this.growth(node, behind, left)), released: released.get(node) ?? 0 };
      newest.set(node, candidate);
      ready.push(candidate);
    };
    let turn = 0;
    for (const node of run.filter((node) => missing.get(node) === 0).reverse()) rate(node, turn++);
    for (let best = ready.pop(); best; best = ready.pop()) {
      const { node } = best;
      if (newest.get(node) !== best) continue;
      newest.delete(node);
      isMade.add(node);
      const changed = new Set<Node>();
      for (const value of this.needs(node)) {
        const uses = left.get(value)! - 1;
        left.set(value, uses);
        const last = uses === 1 ? users.get(value)!.find((user) => !isMade.has(user)) : undefined;
        if (last) changed.add(last);
      }
      for (const user of this.made(node)
        .flatMap((value) => users.get(value) ?? [])
        .toReversed()) {
        const count = missing.get(user)! - 1;
        missing.set(user, count);
        if (count === 0) rate(user, turn++);
        const other = count === 1 ? awaited(user) : undefined;
        release(other);
        if (other) changed.add(other);
      }
      for (const other of changed) {
        const known = newest.get(other);
        if (known) rate(other, known.turn);
      }
    }
    return [...isMade];
  }
}

/** An instruction that waits for nothing. */
interface Candidate {
  readonly node: Node;
  /** Its place among those that became ready. */
  readonly turn: number;
  /** The words that it adds, 0 where it ends as many. */
  readonly growth: number;
  /** The number of instructions that wait for it alone. */
  readonly released: number;
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.growth !== b.growth) return a.growth < b.growth;
  if (a.growth > 0 && a.released !== b.released) return a.released > b.released;
  return a.turn > b.turn;
}
