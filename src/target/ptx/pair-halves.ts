/**
 * Two operations on the halves of registers become one on both halves: `add.f16x2` for two `add.f16`, `add.f32x2` for two `add.f32`.
 * It starts at registers that are put together from halves, at operations on the two halves of one, and at neighbours that a loop carries,
 * and grows towards their operands, through loops too, where that saves instructions. Source: llvm/lib/Transforms/Vectorize/SLPVectorizer.cpp, which does this for Triton.
 */

import { type Block, isConst, type Node, operationOf, successorsOf, type Width } from "./graph.js";
import { terminatorInputs } from "./schedule.js";
import type { Simplifier } from "./simplify.js";
import { pack } from "./widths.js";

/** The low and the high half of a register. */
interface Pair {
  readonly low: Node;
  readonly high: Node;
  readonly operands: readonly (readonly [Node, Node])[];
}

/** Operations that PTX has for both halves at once too. */
const PAIRED = /^((add|sub|mul|fma)(\.rn)?|(min|max)(\.NaN)?|neg|abs|(ex2|tanh)\.approx)\.(f16|bf16)$/;
const isBitwise = (node: Node): node is Node<"and" | "or" | "xor" | "not"> =>
  node.kind === "and" || node.kind === "or" || node.kind === "xor" || node.kind === "not";
/** Two words are a register without a move, so only what computes counts. */
const PAIRED_WORDS = /^(add|sub|mul|fma)(\.rn)?(\.ftz)?\.f32$/;
const isPaired = (node: Node): boolean =>
  node.width === 16
    ? PAIRED.test(operationOf(node)) || isBitwise(node) || node.kind === "select"
    : node.width === 32 && PAIRED_WORDS.test(operationOf(node));
const COMMUTATIVE = /^((add|mul|fma|min|max)\.|and$|or$|xor$)/;

/**
 * Returns which nodes are now others: registers put together from halves, and the halves, where they are used by themselves. `asked` are
 * pairs of the program's own.
 */
export function pairHalves(
  s: Simplifier,
  order: readonly Block[],
  live: ReadonlySet<Node>,
  width: 16 | 32,
  asked: readonly (readonly [Node, Node])[] = [],
): Map<Node, Node> {
  const halves = [...live].filter((node) => node.width === width || node.kind === "pack").sort((a, b) => a.id - b.id);
  const mayPair = (node: Node): boolean => node.width === width && (isPaired(node) || (width === 16 && node.kind === "phi"));
  if (!halves.some(mayPair)) return new Map();
  const pairing = new Pairing(s, usesOfHalves(order, live, width), timesOf(order), width);
  const packs = halves.filter((node) => node.kind === "pack" && node.width === 2 * width);
  for (const [low, high] of asked) if (live.has(low) && live.has(high)) pairing.from(low, high, true);
  for (const { inputs } of packs) pairing.from(inputs[0]!, inputs[1]!);
  for (const [low, high] of onHalvesOfOne(halves, width)) pairing.from(low, high);
  if (width === 32) for (const [low, high] of carried(order)) pairing.from(low, high);
  return pairing.replaced(packs);
}

/** Neighbours among the words that a loop carries and computes alike. */
function carried(order: readonly Block[]): (readonly [Node, Node])[] {
  const alike = (a: Node, b: Node): boolean =>
    a.inputs.some((input, i) => isPaired(input) && operationOf(input) === operationOf(b.inputs[i]!));
  const found: (readonly [Node, Node])[] = [];
  for (const { phis } of order)
    for (let i = 0; i + 1 < phis.length; i++) {
      const [a, b] = [phis[i]!, phis[i + 1]!];
      if (a.width === 32 && b.width === 32 && alike(a, b)) {
        found.push([a, b]);
        i++;
      }
    }
  return found;
}

/** Operations alike, one on the low and one on the high half of a register. */
function onHalvesOfOne(halves: readonly Node[], width: 16 | 32): (readonly [Node, Node])[] {
  const found: (readonly [Node, Node])[] = [];
  const onHigh = new Map<string, Node>();
  const key = (node: Node, i: number): string => `${operationOf(node)} ${i} ${node.inputs[i]!.inputs[0]!.id}`;
  const alike = halves.filter((node) => node.width === width && isPaired(node));
  for (const node of alike) node.inputs.forEach((input, i) => input.kind === "high" && onHigh.set(key(node, i), node));
  for (const node of alike)
    node.inputs.forEach((input, i) => {
      const high = input.kind === "trunc" ? onHigh.get(key(node, i)) : undefined;
      if (high) found.push([node, high]);
    });
  return found;
}

/** Who uses each value of a width; `undefined` is a terminator. */
function usesOfHalves(order: readonly Block[], live: ReadonlySet<Node>, width: 16 | 32): Map<Node, (Node | undefined)[]> {
  const uses = new Map<Node, (Node | undefined)[]>();
  const add = (half: Node, user: Node | undefined): void => {
    const known = uses.get(half);
    if (known) known.push(user);
    else uses.set(half, [user]);
  };
  for (const node of live) for (const input of node.inputs) if (input.width === width) add(input, node);
  for (const block of order) for (const value of terminatorInputs(block.terminator)) if (value.width === width) add(value, undefined);
  return uses;
}

/** When a value can be computed: in which block, and at which step, later than those of its inputs and not earlier than what was done before. */
interface Time {
  /** Place in the order of blocks. */
  readonly block: number;
  readonly step: number;
}

/**
 * When each value is there. Values of the same time do not need one another, neither directly nor through other pairs or effects, and
 * wherever one is used the other can be there.
 */
function timesOf(order: readonly Block[]): Map<Node, Time> {
  const times = new Map<Node, Time>();
  const later = (node: Node): Time => {
    let [block, step] = [0, 0];
    for (const input of node.inputs) {
      const time = times.get(input)!;
      block = Math.max(block, time.block);
      step = Math.max(step, time.step + 1);
    }
    return { block, step };
  };
  // Without recursion: sums may be thousands of operations deep.
  const stepOf = (node: Node): number => {
    const work = [node];
    for (let at = work.at(-1); at; at = work.at(-1)) {
      const missing = times.has(at) ? [] : at.inputs.filter((input) => !times.has(input));
      if (missing.length > 0) {
        work.push(...missing);
        continue;
      }
      if (!times.has(at)) times.set(at, later(at));
      work.pop();
    }
    return times.get(node)!.step;
  };
  let now = 0;
  const use = (node: Node): void => void (now = Math.max(now, stepOf(node) + 1));
  for (const [i, block] of order.entries()) {
    for (const phi of block.phis) times.set(phi, { block: i, step: now });
    for (const effect of block.effects) {
      effect.inputs.forEach(use);
      times.set(effect, { block: i, step: now });
    }
    terminatorInputs(block.terminator).forEach(use);
    for (const next of successorsOf(block))
      for (const phi of next.phis) phi.inputs.forEach((input, k) => next.predecessors[k] === block && use(input));
  }
  return times;
}

class Pairing {
  /** Pairs by each of their halves. */
  readonly #pairs = new Map<Node, Pair>();
  /** Halves that were tried together, in vain. */
  readonly #refused = new Map<Node, Node>();
  readonly #registers = new Map<string, Node>();
  /** Phis of both halves whose inputs are still to come. */
  readonly #phis: (readonly [Node, Pair])[] = [];

  constructor(
    readonly s: Simplifier,
    readonly uses: ReadonlyMap<Node, readonly (Node | undefined)[]>,
    readonly times: ReadonlyMap<Node, Time>,
    readonly width: 16 | 32,
  ) {}

  /** Pairs these halves and what they are computed from, if that saves instructions or is asked for. */
  from(low: Node, high: Node, isAsked = false): void {
    const grown = new Map<Node, Pair>();
    const leaves = new Map<string, readonly [Node, Node]>();
    const work: (readonly [Node, Node])[] = [[low, high]];
    for (let at = work.pop(); at; at = work.pop()) {
      const [a, b] = at;
      if (this.#together(a, b) || (grown.get(a)?.low === a && grown.get(a)?.high === b)) continue;
      const operands = grown.has(a) || grown.has(b) ? undefined : this.#operands(a, b);
      if (operands) {
        const pair = { low: a, high: b, operands };
        grown.set(a, pair);
        grown.set(b, pair);
        work.push(...operands);
      } else leaves.set(`${a.id} ${b.id}`, at);
    }
    const worth = isAsked || this.#saved(grown, [...leaves.values()]) > 0;
    for (const [half, pair] of grown) {
      if (worth) this.#pairs.set(half, pair);
      else if (half === pair.low) this.#refused.set(half, pair.high);
    }
  }
  /** How many instructions there are less: operations, and moves that take registers apart or put them together. */
  #saved(grown: ReadonlyMap<Node, Pair>, leaves: Pair["operands"]): number {
    let saved = 0;
    const isWhole = (user: Node, low: Node, high: Node) => user.kind === "pack" && user.inputs[0] === low && user.inputs[1] === high;
    for (const pair of new Set(grown.values())) {
      const users = [...(this.uses.get(pair.low) ?? []), ...(this.uses.get(pair.high) ?? [])];
      const isOutside = (user: Node | undefined) => !user || !(grown.has(user) || isWhole(user, pair.low, pair.high));
      if (this.width === 16 || pair.low.kind !== "phi") saved++;
      if (users.some((user) => user && isWhole(user, pair.low, pair.high))) saved++;
      if (users.some(isOutside)) saved--;
    }
    for (const [low, high] of leaves) {
      if (!this.#isFree(low, high)) saved--;
      else if (
        this.width === 16 &&
        !isConst(low) &&
        [low, high].every((half) => this.uses.get(half)?.every((user) => user && grown.has(user)))
      )
        saved++;
    }
    return saved;
  }
  #together(low: Node, high: Node): boolean {
    const pair = this.#pairs.get(low);
    return pair?.low === low && pair.high === high;
  }
  /** The operands of one operation that would do what both do. */
  #operands(a: Node, b: Node): Pair["operands"] | undefined {
    if (a === b || operationOf(a) !== operationOf(b) || this.#pairs.has(a) || this.#pairs.has(b) || this.#refused.get(a) === b)
      return undefined;
    const [timeOfA, timeOfB] = [this.times.get(a)!, this.times.get(b)!];
    if (timeOfA.block !== timeOfB.block || timeOfA.step !== timeOfB.step) return undefined;
    if (a.kind === "phi" ? a.block !== b.block : !isPaired(a)) return undefined;
    const zip = (others: readonly Node[]) => a.inputs.map((input, i) => [input, others[i]!] as const);
    if (a.kind === "select") return a.inputs[0] === b.inputs[0] ? zip(b.inputs).slice(1) : undefined;
    const straight = zip(b.inputs);
    if (!COMMUTATIVE.test(operationOf(a))) return straight;
    const crossed = zip([b.inputs[1]!, b.inputs[0]!, ...b.inputs.slice(2)]);
    return this.#match(crossed) > this.#match(straight) ? crossed : straight;
  }
  /** How well operands go together. */
  #match(pairs: Pair["operands"]): number {
    return pairs.reduce((sum, [low, high]) => sum + (this.#isFree(low, high) ? 3 : operationOf(low) === operationOf(high) ? 1 : 0), 0);
  }
  /** Whether they are the halves of a register that there is, a constant, or converted together. */
  #isFree(low: Node, high: Node): boolean {
    if (isConst(low) && isConst(high)) return true;
    if (low.kind === "trunc" && high.kind === "high") return low.inputs[0] === high.inputs[0] && low.inputs[0]!.width === 2 * this.width;
    if (this.width === 32) return low === high || [low, high].every((half) => this.uses.get(half)?.length === 1);
    return this.s.hasPackedConversion && operationOf(low) === operationOf(high) && /^cvt\.r[nz]\.b?f16\.f32$/.test(operationOf(low));
  }

  replaced(seeds: readonly Node[]): Map<Node, Node> {
    const replaced = new Map<Node, Node>();
    for (const pair of new Set(this.#pairs.values())) {
      const both = this.#register(pair.low, pair.high);
      replaced.set(pair.low, this.s.graph.pure("trunc", this.width, [both]));
      replaced.set(pair.high, this.s.graph.pure("high", this.width, [both]));
    }
    for (const [phi, { operands }] of this.#phis) phi.inputs = operands.map(([low, high]) => this.#register(low, high));
    for (const seed of seeds) {
      const [low, high] = seed.inputs as [Node, Node];
      if (this.#together(low, high)) replaced.set(seed, this.#register(low, high));
    }
    return replaced;
  }
  /** The register whose halves these are. Without recursion: sums may be thousands of operations deep. */
  #register(low: Node, high: Node): Node {
    const key = (a: Node, b: Node): string => `${a.id} ${b.id}`;
    const work: (readonly [Node, Node])[] = [[low, high]];
    for (let at = work.at(-1); at; at = work.at(-1)) {
      const [a, b] = at;
      if (this.#registers.has(key(a, b))) {
        work.pop();
        continue;
      }
      const pair = this.#together(a, b) ? this.#pairs.get(a)! : undefined;
      const missing = pair && a.kind !== "phi" ? pair.operands.filter(([x, y]) => !this.#registers.has(key(x, y))) : [];
      if (missing.length > 0) {
        work.push(...missing);
        continue;
      }
      this.s.graph.loc = a.loc;
      this.#registers.set(key(a, b), pair ? this.#operation(pair, (x, y) => this.#registers.get(key(x, y))!) : pack(this.s, a, b));
    }
    return this.#registers.get(key(low, high))!;
  }
  #operation(pair: Pair, registerOf: (low: Node, high: Node) => Node): Node {
    const { graph } = this.s;
    const width: Width = this.width === 16 ? 32 : 64;
    const { low } = pair;
    if (low.kind !== "phi") {
      const inputs = pair.operands.map(([low, high]) => registerOf(low, high));
      if (low.kind === "select") return graph.pure("select", width, [low.inputs[0]!, ...inputs]);
      return isBitwise(low) ? graph.pure(low.kind, width, inputs) : graph.ptx(`${operationOf(low)}x2`, width, inputs);
    }
    const phi = graph.phi(low.block!, width);
    this.#phis.push([phi, pair]);
    return phi;
  }
}
