/**
 * The values that a loop's ops hand to each other, and the groups of ops that are to become partitions.
 * Source: PartitionScheduling.cpp, buildGraph, and PartitionSchedulingUtility.cpp of Triton 3.7 and 3.8.
 */

import { Exp2Op } from "../../../dialects/math/ops/float.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DescriptorReduceOp, DescriptorScatterOp, DescriptorStoreOp } from "../../../dialects/tt/ops/descriptor.js";
import { ElementwiseInlineAsmOp } from "../../../dialects/tt/ops/elementwise.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { BroadcastOp, ExpandDimsOp } from "../../../dialects/tt/ops/shape.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { type MemDesc, MemDescType } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { numElements, RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { mmaOf } from "../completion-barrier.js";
import { isTMALoad } from "../tma/tma-copies.js";

/** The kinds of work that decide which groups are merged. */
export type Work = "load" | "store" | "mma" | "tmem" | "sfu" | "view";

/** An op, a value that a loop carries, or a result of a branch. A view may have several nodes. */
export class FlowNode {
  readonly nodes: FlowNode[] = [];
  /** The nodes of a loop's induction variable and carried values, or of a branch's results. */
  readonly defines: FlowNode[] = [];
  readonly inputs: (Port | undefined)[];
  readonly outputs: Port[][];
  /** Which outputs are tiles of data, or depend on such. */
  readonly dataOutputs: boolean[];
  readonly groups = new Set<FlowGroup>();
  readonly cost: number;
  constructor(
    readonly parent: FlowNode | undefined,
    readonly op: Operation | undefined,
    readonly value: Value | undefined,
    numInputs: number,
    numOutputs: number,
  ) {
    this.cost = op ? costOf(op) : 0;
    this.inputs = Array.from({ length: numInputs }, () => undefined);
    this.outputs = Array.from({ length: numOutputs }, () => []);
    this.dataOutputs = Array.from({ length: numOutputs }, () => false);
  }
  add(of: Operation | Value, numInputs: number, numOutputs: number): FlowNode {
    const op = "regions" in of ? of : undefined;
    const node = new FlowNode(this, op, op ? undefined : (of as Value), numInputs, numOutputs);
    this.nodes.push(node);
    return node;
  }
  walk(visit: (node: FlowNode) => void): void {
    for (const node of this.nodes) {
      visit(node);
      node.walk(visit);
    }
  }
  get isData(): boolean {
    return this.dataOutputs.includes(true) || this.inputs.some((from) => from?.node.dataOutputs[from.index]);
  }
  get inEdges(): Edge[] {
    return this.inputs.flatMap((from, index) => (from ? [new Edge(from, { node: this, index })] : []));
  }
  get outEdges(): Edge[] {
    return this.outputs.flatMap((uses, index) => uses.map((to) => new Edge({ node: this, index }, to)));
  }
  /** The only group of a node that has one. */
  get group(): FlowGroup {
    const [group] = this.groups;
    return group!;
  }
  setGroup(group: FlowGroup): void {
    for (const old of this.groups) old.nodes.delete(this);
    this.groups.clear();
    this.addGroup(group);
  }
  addGroup(group: FlowGroup): void {
    this.groups.add(group);
    group.add(this);
  }
  addGroups(groups: Iterable<FlowGroup>): void {
    for (const group of [...groups]) this.addGroup(group);
  }
}

export interface Port {
  readonly node: FlowNode;
  readonly index: number;
}

export class Edge {
  constructor(
    readonly from: Port,
    readonly to: Port,
  ) {}
  get isData(): boolean {
    return this.from.node.dataOutputs[this.from.index]!;
  }
  /** Whether data goes from one group to another one; nodes of several groups do not count. */
  get crosses(): boolean {
    const [from, to] = [this.from.node, this.to.node];
    return this.isData && from.groups.size === 1 && to.groups.size === 1 && from.group !== to.group;
  }
  /** How many elements go over it. */
  get size(): number {
    const { op, value } = this.from.node;
    const type = op ? op.result(this.from.index).type : value!.type;
    if (RankedTensorType.is(type)) return numElements(type.params.shape);
    return MemDescType.is(type) ? numElements((type as MemDesc).params.shape) : 1;
  }
}
export function addEdge(from: Port, to: Port): void {
  from.node.outputs[from.index]!.push(to);
  to.node.inputs[to.index] = from;
}
export function removeEdge({ from, to }: Edge): void {
  const uses = from.node.outputs[from.index]!;
  uses.splice(
    uses.findIndex(({ node, index }) => node === to.node && index === to.index),
    1,
  );
  to.node.inputs[to.index] = undefined;
}

/** Nodes that belong to one partition. */
export class FlowGroup {
  /** The partition's number, at the end. */
  id: number | undefined;
  cost = 0;
  readonly nodes = new Set<FlowNode>();
  readonly work = new Set<Work>();
  /** `manual`: the user has named it. */
  constructor(readonly manual: boolean) {}
  add(node: FlowNode): void {
    const work = workOf(node);
    // A group is a view only as long as all of it is.
    const allViews = (this.nodes.size === 0 || this.work.has("view")) && work === "view";
    this.nodes.add(node);
    if (work) this.work.add(work);
    if (!allViews) this.work.delete("view");
    this.cost += node.cost;
  }
  /** Whether it does this kind of work and no other. */
  isOnly(work: Work): boolean {
    return !this.manual && this.work.size === 1 && this.work.has(work);
  }
  get isNone(): boolean {
    return !this.manual && this.work.size === 0;
  }
}

export class FlowGraph {
  readonly root: FlowNode;
  readonly groups = new Set<FlowGroup>();
  constructor(loop: Operation) {
    this.root = new FlowNode(undefined, loop, undefined, 0, 0);
    build(this.root, loop);
  }
  addGroup(manual = false): FlowGroup {
    const group = new FlowGroup(manual);
    this.groups.add(group);
    return group;
  }
  /** Moves the nodes of one group to the other one: to the user's own, else away from one without work of a kind. */
  merge(a: FlowGroup, b: FlowGroup): void {
    const [from, to] = a.manual || b.isNone ? [b, a] : [a, b];
    for (const node of [...from.nodes]) node.setGroup(to);
    this.groups.delete(from);
  }
}

export const isView = (op: Operation): boolean =>
  BroadcastOp.is(op) || ExpandDimsOp.is(op) || ConvertLayoutOp.is(op) || op.def.traits.has(MemDescViewTrait);

/** The kind of work that a node is. */
export function workOf({ op }: FlowNode): Work | undefined {
  if (!op) return undefined;
  if (op.hasAttr("store")) return "store";
  if (isTMALoad(op)) return "load";
  if (DescriptorStoreOp.is(op) || DescriptorReduceOp.is(op) || DescriptorScatterOp.is(op)) return "store";
  if (op.def.interface(MMAv5OpInterface) || op.hasAttr("mma")) return "mma";
  if (TMEMLoadOp.is(op) || TMEMStoreOp.is(op)) return "tmem";
  if (Exp2Op.is(op)) return "sfu";
  return isView(op) ? "view" : undefined;
}

/** About how many cycles an op takes, where that matters. */
function costOf(op: Operation): number {
  if (op.def.interface(MMAv5OpInterface)) {
    const { a, b } = mmaOf(op);
    const [aShape, bShape] = [a, b].map(({ type }) => (type as MemDesc).params.shape);
    // Upstream takes the rows of B for its columns.
    return Math.trunc((aShape![0]! * bShape![0]! * aShape![1]!) / 8192);
  }
  return Exp2Op.is(op) || ElementwiseInlineAsmOp.is(op) ? elementsOf(op) : 0;
}
export const elementsOf = (op: Operation): number =>
  op.resultTypes.reduce((sum, type) => sum + (RankedTensorType.is(type) ? numElements(type.params.shape) : 0), 0);

function build(root: FlowNode, loop: Operation): void {
  const nodes = new Map<Operation, FlowNode>();
  /** Where an op's operands go. */
  const operands = new Map<Operation, readonly (Port | undefined)[]>();
  const values: { readonly port: Port; readonly value: Value }[] = [];
  const define = (node: FlowNode, index: number, value: Value): void => void values.push({ port: { node, index }, value });
  const inside = (node: FlowNode, op: Operation): void => {
    for (const region of op.regions) for (const block of region.blocks()) for (const inner of block.ops()) visit(node, inner);
  };
  const visit = (parent: FlowNode, op: Operation): void => {
    if (YieldOp.is(op)) return yields(op);
    const ports = (node: FlowNode, count: number): Port[] => Array.from({ length: count }, (_, index) => ({ node, index }));
    if (ForOp.is(op)) {
      const node = parent.add(op, 3, 0);
      nodes.set(op, node);
      const [induction, ...carried] = op.regions[0]!.firstBlock!.args;
      const ofInduction = node.add(induction!, 0, 1);
      node.defines.push(ofInduction);
      define(ofInduction, 0, induction!);
      carried.forEach((value, i) => {
        const each = node.add(value, 2, 1);
        node.defines.push(each);
        define(each, 0, value);
        define(each, 0, op.result(i));
      });
      operands.set(op, [...ports(node, 3), ...node.defines.slice(1).map((each) => ({ node: each, index: 0 }))]);
      return inside(node, op);
    }
    if (IfOp.is(op)) {
      const node = parent.add(op, 1, 0);
      nodes.set(op, node);
      operands.set(op, ports(node, 1));
      for (const result of op.results) {
        const each = node.add(result, 2, 1);
        node.defines.push(each);
        define(each, 0, result);
      }
      return inside(node, op);
    }
    const isReduce = ReduceOp.is(op);
    // Upstream knows reductions of one tensor.
    const node = parent.add(op, isReduce ? 1 : op.numOperands, isReduce ? 1 : op.numResults);
    nodes.set(op, node);
    operands.set(op, ports(node, node.inputs.length));
    op.results.slice(0, node.outputs.length).forEach((result, i) => void define(node, i, result));
    if (isReduce) inside(node, op);
  };
  const yields = (op: Operation): void => {
    const around = op.parentOp!;
    const { defines } = nodes.get(around)!;
    const inElse = IfOp.is(around) && op.region !== around.regions[0];
    operands.set(
      op,
      op.operands.map(
        (_, i): Port => (ForOp.is(around) ? { node: defines[i + 1]!, index: 1 } : { node: defines[i]!, index: inElse ? 1 : 0 }),
      ),
    );
  };
  visit(root, loop);
  for (const { port, value } of values)
    for (const { owner, index } of value.uses()) {
      const to = operands.get(owner)?.[index];
      if (to) addEdge(port, to);
    }
}
