/** Cleans up a graph after it is built: removes unreachable blocks, phis with a single value, and unused loads. */
import { accessForms } from "./access-forms.js";
import { byteMoves } from "./byte-moves.js";
import { analyse, reversePostOrder } from "./cfg.js";
import { chooseInputs } from "./chosen-inputs.js";
import { type Block, isPure, type Node, successorsOf } from "./graph.js";
import { alignCounters, countAlong, mergeCounters } from "./induction.js";
import { sumBeforeLoops } from "./loop-addresses.js";
import { joinPointers } from "./loop-pointers.js";
import { pairHalves } from "./pair-halves.js";
import { remaindersOfQuotients } from "./quotients.js";
import { decide } from "./ranges.js";
import { earliestBlocks, terminatorInputs } from "./schedule.js";
import type { Simplifier } from "./simplify.js";
import { countUp } from "./strides.js";
import { warpNumbersOfDivisions } from "./warp-number.js";
import { copyAccumulators } from "./wgmma-fence.js";

/** `wordPairs`: the floats of 32 bits that ops compute by twos; undefined where no instruction does. */
export function cleanUp(s: Simplifier, entry: Block, wordPairs?: readonly (readonly [Node, Node])[]): void {
  const { graph } = s;
  prune(s, entry);
  replaceBranches(s, entry);
  const order = prune(s, entry);
  replaceAll(order, mergeCounters(s, order));
  replaceAll(order, joinPointers(s, order));
  replaceAll(order, alignCounters(s, order, earliestBlocks(order).keys()));
  replaceAll(order, countUp(s, [...earliestBlocks(order).keys()]));
  let live = removeDead(order);
  const chosen = chooseInputs(s, order, live);
  if (chosen.size > 0) {
    replaceAll(order, chosen);
    live = removeDead(order);
  }
  for (const width of wordPairs ? ([16, 32] as const) : ([16] as const)) {
    const paired = pairHalves(s, order, live, width, width === 32 ? wordPairs : []);
    if (paired.size === 0) continue;
    replaceAll(order, paired);
    live = removeDead(order);
  }
  const others = new Map([...accessForms(graph, order, live), ...remaindersOfQuotients(graph, live)]);
  if (others.size > 0) {
    replaceAll(order, others);
    live = removeDead(order);
  }
  replaceAll(order, byteMoves(graph, live));
  replaceAll(order, warpNumbersOfDivisions(graph, live));
  if (order.length > 1) {
    removeDead(order);
    analyse(entry);
    replaceAll(order, sumBeforeLoops(s, earliestBlocks(order)));
  }
  copyAccumulators(graph, order);
}

/** Branches that go one way become jumps, until there is none: without a loop, what it changed may be known. */
function replaceBranches(s: Simplifier, entry: Block): void {
  for (let isFirst = true, isAny = true; isAny; isFirst = false) {
    if (!isFirst) removeUnreached(entry);
    const reached = analyse(entry);
    if (reached.length === 1) return;
    const early = earliestBlocks(reached);
    const replaced = isFirst ? countAlong(s, early) : trivialPhis(reached);
    isAny = decide(s, reached, early, replaced);
    replaceAll(reached, replaced);
  }
}

/** Removes blocks that are not reached and phis with a single value; returns the blocks that are left. */
function prune(s: Simplifier, entry: Block): readonly Block[] {
  const order = removeUnreached(entry);
  for (let replaced = trivialPhis(order); replaced.size > 0; replaced = trivialPhis(order)) {
    analyse(entry);
    replaceAll(order, withUsers(s, earliestBlocks(order).keys(), replaced));
  }
  return order;
}
/** Also what is computed from the values that replace others: a phi that is a constant makes its users simpler. `nodes` has inputs before users. */
function withUsers(s: Simplifier, nodes: Iterable<Node>, replaced: Map<Node, Node>): Map<Node, Node> {
  for (const node of nodes) {
    if (replaced.has(node) || !isPure(node) || !node.inputs.some((input) => replaced.has(input))) continue;
    const inputs = node.inputs.map((input) => replaced.get(input) ?? input);
    const made = s.graph.inPlaceOf(node, () => s.again(node, inputs));
    if (made !== node) replaced.set(node, made);
  }
  return replaced;
}
function removeUnreached(entry: Block): readonly Block[] {
  const order = reversePostOrder(entry, successorsOf);
  const reached = new Set(order);
  for (const block of order) {
    const keep = block.predecessors.map((p) => reached.has(p) && successorsOf(p).includes(block));
    if (keep.includes(false)) {
      block.predecessors = block.predecessors.filter((_, i) => keep[i]);
      for (const phi of block.phis) phi.inputs = phi.inputs.filter((_, i) => keep[i]);
    }
  }
  return order;
}

/** Phis whose inputs are all one value, or the phi itself. */
function trivialPhis(order: readonly Block[]): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  const find = (node: Node): Node => {
    let at = node;
    for (let next = replaced.get(at); next; next = replaced.get(at)) at = next;
    return at;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of order)
      for (const phi of block.phis) {
        if (replaced.has(phi)) continue;
        let only: Node | undefined;
        let several = false;
        for (const input of phi.inputs) {
          const value = find(input);
          if (value === phi || value === only) continue;
          if (only) several = true;
          only = value;
        }
        if (several || !only) continue;
        replaced.set(phi, only);
        changed = true;
      }
  }
  for (const node of [...replaced.keys()]) replaced.set(node, find(node));
  return replaced;
}

function replaceAll(order: readonly Block[], replaced: ReadonlyMap<Node, Node>): void {
  if (replaced.size === 0) return;
  const of = (node: Node): Node => replaced.get(node) ?? node;
  const seen = new Set<Node>();
  const visit = (root: Node): void => {
    const stack = [root];
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      if (node.inputs.some((i) => replaced.has(i))) node.inputs = node.inputs.map(of);
      stack.push(...node.inputs);
    }
  };
  for (const block of order) {
    block.phis = block.phis.filter((phi) => !replaced.has(phi));
    for (const phi of block.phis) visit(phi);
    for (const effect of block.effects) visit(effect);
    const t = block.terminator;
    if (t.kind === "branch") block.terminator = { ...t, condition: of(t.condition) };
    if (t.kind === "return") block.terminator = { ...t, values: t.values.map(of) };
    for (const input of terminatorInputs(block.terminator)) visit(input);
  }
}

/** Only what effects, branches and returns need stays; a load that is not volatile is no effect that matters. */
function removeDead(order: readonly Block[]): ReadonlySet<Node> {
  const live = new Set<Node>();
  const work: Node[] = [];
  const mark = (node: Node): void => {
    if (live.has(node)) return;
    live.add(node);
    work.push(node);
  };
  const matters = (effect: Node<"effect">): boolean => {
    const { data } = effect;
    return !(data.kind === "load" && !data.volatile);
  };
  for (const block of order) {
    for (const effect of block.effects) if (matters(effect)) mark(effect);
    for (const input of terminatorInputs(block.terminator)) mark(input);
  }
  for (let node = work.pop(); node; node = work.pop()) for (const input of node.inputs) mark(input);
  for (const block of order) {
    block.phis = block.phis.filter((phi) => live.has(phi));
    block.effects = block.effects.filter((e) => live.has(e));
  }
  return live;
}
