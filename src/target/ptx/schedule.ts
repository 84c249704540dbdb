/**
 * Gives every pure node a block: the latest one that dominates its uses, moved up out of loops as far as its inputs allow, and
 * towards the program's own block as long as it runs as often there. Dead nodes get none.
 * Source: Click, "Global Code Motion, Global Value Numbering"; llvm/lib/CodeGen/MachineSink.cpp, isProfitableToSinkTo.
 */
import { dominates, meet, runAsDominator } from "./cfg.js";
import { type Block, isPure, type Kind, type Node, type Terminator } from "./graph.js";

export function schedule(order: readonly Block[]): void {
  const early = earliestBlocks(order);
  const nodes = [...early.keys()];
  const latest = new Map<Node, Block>();
  const homes = new Map(order.map((block) => [block.id, block]));
  const asOften = runAsDominator(order);
  const use = (node: Node, at: Block): void => {
    node.uses++;
    const known = latest.get(node);
    latest.set(node, known ? meet(known, at) : at);
  };
  for (const block of order) {
    for (const phi of block.phis) phi.inputs.forEach((input, i) => use(input, block.predecessors[i]!));
    for (const effect of block.effects) for (const input of effect.inputs) use(input, block);
    for (const input of terminatorInputs(block.terminator)) use(input, block);
  }
  // Users come after their inputs in `nodes`, so that backwards every node's uses are known.
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (!isPure(node)) continue;
    node.block = best(latest.get(node)!, early.get(node)!, homes.get(node.home), asOften, node);
    for (const input of node.inputs) use(input, node.block);
  }
  const hoisted = nodes.filter((node) => isComparison(node) && node.block!.loopDepth < latest.get(node)!.loopDepth);
  if (hoisted.length > PREDICATES) for (const node of hoisted) node.block = latest.get(node)!;
}

/** How many predicates a thread has. A loop would move more of them to other registers and back, so it computes them. */
const PREDICATES = 7;
const isComparison = (node: Node): boolean => node.kind === "icmp" || (node.kind === "ptx" && node.data.startsWith("setp."));

/** The first block that each needed node may be in, inputs before users. */
export function earliestBlocks(order: readonly Block[]): ReadonlyMap<Node, Block> {
  const early = new Map<Node, Block>();
  for (const node of reachable(order)) early.set(node, isPure(node) ? earliest(node, early, order[0]!) : node.block!);
  return early;
}

export function terminatorInputs(t: Terminator): readonly Node[] {
  return t.kind === "branch" ? [t.condition] : t.kind === "return" ? t.values : [];
}

/** All nodes that effects, phis and terminators need, inputs before users (phis and effects stand for themselves). */
function reachable(order: readonly Block[]): Node[] {
  const seen = new Set<Node>();
  const found: Node[] = [];
  const visit = (root: Node): void => {
    if (seen.has(root)) return;
    seen.add(root);
    const stack: { readonly node: Node; next: number }[] = [{ node: root, next: isPure(root) ? 0 : root.inputs.length }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const input: Node | undefined = top.node.inputs[top.next++];
      if (!input) {
        found.push(top.node);
        stack.pop();
      } else if (!seen.has(input)) {
        seen.add(input);
        stack.push({ node: input, next: isPure(input) ? 0 : input.inputs.length });
      }
    }
  };
  for (const block of order) {
    for (const phi of block.phis) {
      visit(phi);
      for (const input of phi.inputs) visit(input);
    }
    for (const effect of block.effects) {
      for (const input of effect.inputs) visit(input);
      visit(effect);
    }
    for (const input of terminatorInputs(block.terminator)) visit(input);
  }
  return found;
}

function earliest(node: Node, early: ReadonlyMap<Node, Block>, entry: Block): Block {
  let block = entry;
  for (const input of node.inputs) {
    const at = early.get(input)!;
    if (at.depth > block.depth) block = at;
  }
  return block;
}

/** Operations that cost nothing where they are used, and a register where they are not. */
const STAYS: ReadonlySet<Kind> = new Set(["const", "result", "address"]);

function best(late: Block, early: Block, home: Block | undefined, asOften: ReadonlySet<Block>, node: Node): Block {
  if (node.kind === "result") return early;
  if (STAYS.has(node.kind)) return late;
  let found = late;
  // Parameters come where they are needed first.
  let isLate = node.kind !== "param" && home !== undefined && dominates(home, late);
  for (let at = late; at !== early; ) {
    isLate &&= at === found && at !== home && asOften.has(at);
    at = at.dominator!;
    if (at.loopDepth < found.loopDepth || (isLate && at.loopDepth === found.loopDepth)) found = at;
  }
  return dominates(early, found) ? found : early;
}
