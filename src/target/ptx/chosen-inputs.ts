/**
 * A choice between two results of one operation, which have no other use, is the operation on a choice of its inputs.
 *
 *     c ? int(a) : int(b)          int(c ? a : b)
 *     c ? x + 0.5 : x - 0.5        x + (c ? 0.5 : -0.5)
 *
 * Source: llvm/lib/Transforms/InstCombine/InstCombineSelect.cpp, foldSelectOpOp.
 */
import { type Block, type Node, operationOf, valueOf } from "./graph.js";
import { terminatorInputs } from "./schedule.js";
import type { Simplifier } from "./simplify.js";

/** Returns which choices are operations now; `live` has the nodes that are needed. */
export function chooseInputs(s: Simplifier, order: readonly Block[], live: ReadonlySet<Node>): Map<Node, Node> {
  const uses = new Map<Node, number>();
  const use = (node: Node): unknown => uses.set(node, (uses.get(node) ?? 0) + 1);
  for (const node of live) node.inputs.forEach(use);
  for (const block of order) terminatorInputs(block.terminator).forEach(use);
  const choose = (condition: Node, a: Node, b: Node, depth = 0): Node | undefined => {
    if (uses.get(a) !== 1 || uses.get(b) !== 1 || depth === DEEPEST) return undefined;
    const [p, q] = [operation(s, a), operation(s, b)];
    if (p.name !== q.name || p.inputs.some((input, i) => input.width !== q.inputs[i]?.width)) return undefined;
    const either = (x: Node, y: Node): Node => choose(condition, x, y, depth + 1) ?? s.select(condition, x, y);
    if (UNARY.test(p.name)) return p.of([either(p.inputs[0]!, q.inputs[0]!)]);
    const shared = COMMUTATIVE.test(p.name) ? p.inputs.find((input) => q.inputs.includes(input)) : undefined;
    if (!shared) return undefined;
    const other = ([x, y]: readonly Node[]): Node => (x === shared ? y! : x!);
    return p.of([shared, either(other(p.inputs), other(q.inputs))]);
  };
  const replaced = new Map<Node, Node>();
  for (const node of live) {
    if (node.kind !== "select") continue;
    const [condition, a, b] = node.inputs as [Node, Node, Node];
    const made = s.graph.inPlaceOf(node, () => choose(condition, a, b));
    if (made) replaced.set(node, made);
  }
  return replaced;
}

/** How many operations of a chain are looked at. */
const DEEPEST = 8;
const UNARY = /^(?:cvt\.|[sz]ext$|trunc$)/;
const COMMUTATIVE = /^(?:add|mul)\.(?:f16|bf16|f32|f64)$|^(?:add|mul|and|or|xor)$/;

interface Operation {
  readonly name: string;
  readonly inputs: readonly Node[];
  /** The same operation of other inputs. */
  readonly of: (inputs: readonly Node[]) => Node;
}
/** The operation of a node; a constant that is taken away is one that is added. */
function operation(s: Simplifier, node: Node): Operation {
  const [a, b] = node.inputs;
  const [, kind] = /^sub\.(f16|bf16|f32|f64)$/.exec(operationOf(node)) ?? [];
  const taken = kind === undefined ? undefined : valueOf(b);
  if (taken === undefined) return { name: operationOf(node), inputs: node.inputs, of: (inputs) => s.again(node, inputs) };
  const added = s.constant(node.width, taken ^ (1n << BigInt(node.width - 1)));
  return { name: `add.${kind}`, inputs: [a!, added], of: (inputs) => s.graph.ptx(`add.${kind}`, node.width, inputs) };
}
