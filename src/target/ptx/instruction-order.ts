/** The instructions of a scheduled graph in order: effects as they are, pure nodes where the program has them, each after its inputs. */
import { type Block, type Effect, isPure, type Node } from "./graph.js";
import { terminatorInputs } from "./schedule.js";
import { instructionFor } from "./select.js";
import { productsAfter } from "./wgmma-fence.js";

export interface InstructionOrder {
  /** Effects, pure nodes, and constants that need a register: these in every block anew. */
  readonly instructions: ReadonlyMap<Block, readonly Node[]>;
  /** The upper or lower half of a register that comes by the same instruction as a node, the other half. */
  readonly halves: ReadonlyMap<Node, Node>;
}

export function orderInstructions(order: readonly Block[]): InstructionOrder {
  const { nodes, halves } = usedNodes(order);
  const placed = new Set<Node>();
  const pairs = new Map<Node, Node>();
  const instructions = new Map<Block, readonly Node[]>();
  for (const block of order) {
    const made: Node[] = [];
    const constants = new Set<Node>();
    const isDone = (node: Node): boolean =>
      node.kind === "const" ? constants.has(node) : !isPure(node) || placed.has(node.kind === "result" ? node.inputs[0]! : node);
    const put = (node: Node): void => {
      if (node.kind === "result") return;
      made.push(node);
      if (node.kind === "const") constants.add(node);
      placed.add(node);
      const other = isHalf(node) ? halves.get(node.inputs[0]!)?.find((h) => h.kind !== node.kind && h.block === node.block) : undefined;
      if (!other) return;
      pairs.set(node, other);
      placed.add(other);
    };
    const need = (root: Node): void => {
      if (isDone(root)) return;
      const stack = [{ node: root, inputs: registerInputs(root), next: 0 }];
      for (let top = stack.at(-1); top; top = stack.at(-1)) {
        const input = top.inputs[top.next++];
        if (!input) {
          stack.pop();
          if (!isDone(top.node)) put(top.node);
        } else if (!isDone(input)) stack.push({ node: input, inputs: registerInputs(input), next: 0 });
      }
    };
    /** Whether all effects that a node needs are done. */
    const isReady = (root: Node): boolean => {
      const seen = new Set([root]);
      for (const node of seen) {
        if (node.kind === "effect" && !placed.has(node)) return false;
        if (isPure(node) && !placed.has(node)) for (const input of node.inputs) seen.add(input);
      }
      return true;
    };
    const own = (nodes.get(block) ?? []).sort((a, b) => a.place - b.place || a.id - b.id);
    let next = 0;
    // Parameters and addresses come where they are needed first; in loops, offsets too.
    const hasPlace = (node: Node): boolean => node.kind !== "param" && node.kind !== "address" && !(block.loopDepth > 0 && isOffset(node));
    for (const [i, effect] of block.effects.entries()) {
      for (; next < own.length && own[next]!.place < effect.place; next++) if (hasPlace(own[next]!)) need(own[next]!);
      for (const input of registerInputs(effect)) need(input);
      const early = productsAfter(block.effects, i).flatMap(registerInputs);
      for (const input of early) if (isReady(input)) need(input);
      put(effect);
    }
    for (; next < own.length; next++) if (hasPlace(own[next]!)) need(own[next]!);
    own.forEach(need);
    for (const input of terminatorInputs(block.terminator)) need(input);
    instructions.set(block, made);
  }
  return { instructions, halves: pairs };
}

/** The nodes that have an instruction of their own, by block, and the halves that are needed of each register. */
function usedNodes(order: readonly Block[]): { readonly nodes: Map<Block, Node[]>; readonly halves: ReadonlyMap<Node, readonly Node[]> } {
  const nodes = new Map<Block, Node[]>();
  const halves = new Map<Node, Node[]>();
  const seen = new Set<Node>();
  const add = <K>(to: Map<K, Node[]>, key: K, node: Node): void => {
    const known = to.get(key);
    if (known) known.push(node);
    else to.set(key, [node]);
  };
  const visit = (root: Node): void => {
    const work = [root];
    for (let node = work.pop(); node; node = work.pop()) {
      if (seen.has(node) || !isPure(node) || node.kind === "const") continue;
      seen.add(node);
      if (node.kind !== "result") add(nodes, node.block!, node);
      if (isHalf(node)) add(halves, node.inputs[0]!, node);
      work.push(...registerInputs(node));
    }
  };
  for (const block of order) {
    for (const phi of block.phis) phi.inputs.forEach(visit);
    for (const effect of block.effects) registerInputs(effect).forEach(visit);
    terminatorInputs(block.terminator).forEach(visit);
  }
  return { nodes, halves };
}

/**
 * A value and a number. Its input is often needed later anyway, by other offsets: made where it is needed first, it takes a register for a shorter
 * time. A count that a loop goes on with keeps its place.
 */
const isOffset = ({ kind, inputs: [value, by] }: Node): boolean => kind === "add" && by!.kind === "const" && value!.kind !== "phi";

const isHalf = (node: Node): boolean =>
  (node.kind === "trunc" || node.kind === "high") && node.width > 1 && node.inputs[0]!.width === 2 * node.width;

/** The inputs that a node's instruction reads from registers: addresses without offsets, constants only where no immediate is allowed. */
export function registerInputs(node: Node): readonly Node[] {
  if (node.kind === "const") return [];
  if (node.kind === "result") return node.inputs;
  if (node.kind !== "effect" && node.kind !== "asm") {
    const { inputs, constants } = instructionFor(node);
    return constants === "register" ? inputs : inputs.filter((i) => i.kind !== "const");
  }
  const effect = node.data;
  const address = addressInput(effect);
  const inputs = node.inputs.map((input, i) => (i === address ? addressParts(input)[0] : input));
  const asTheyAre = effect.kind === "instruction" && !effect.form.includes("{");
  return inputs.filter((input, i) => !(i === address && isSymbol(input)) && !(asTheyAre && input.kind === "const"));
}
/** Which input is an address, to which an offset may be added. */
export function addressInput(effect: Effect): number | undefined {
  if (effect.kind === "load" || effect.kind === "store") return 0;
  const place = effect.kind === "instruction" ? /\[\$(\d+)\]/.exec(effect.form) : null;
  return place ? Number(place[1]) - effect.results.length : undefined;
}
export const isSymbol = (node: Node): node is Node<"address"> => node.kind === "address" && !node.data.isGeneric;

/** The node and the offset that an access's address is made of. */
export function addressParts(node: Node): readonly [Node, bigint] {
  const [base, by] = node.inputs;
  if (node.kind !== "add" || by?.kind !== "const") return [node, 0n];
  const offset = by.data;
  return offset >= -0x80000000n && offset <= 0x7fffffffn ? [base!, offset] : [node, 0n];
}
