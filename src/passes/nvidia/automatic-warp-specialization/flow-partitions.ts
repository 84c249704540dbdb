/**
 * Partitions by what ops hand to each other: each data op begins as a group, groups are merged, and all other ops join the groups that
 * need them. Source: PartitionScheduling.cpp of Triton 3.7 and 3.8.
 */

import type { ForView } from "../../../dialects/scf/ops/for.js";
import { ReduceOp, ReduceReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { PARTITION } from "../../../dialects/ttg/verify-attr.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { arrayAttr, i32Attr, intsOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { addEdge, type Edge, FlowGraph, type FlowGroup, type FlowNode, isView, type Port, removeEdge, workOf } from "./flow-graph.js";
import { mergeGroups } from "./merge-groups.js";
import {
  getPartitionIds,
  hasPartition,
  insertAll,
  PARTITION_STAGES,
  setPartition,
  setPartitionOutputs,
  setWarpSpecializeTag,
} from "./partition.js";

/** Whether there was something to divide: a loop without loads and stores through descriptors stays whole. */
export function partitionByFlow(rw: Rewriter, loop: ForView, tag: number): boolean {
  const graph = new FlowGraph(loop.op);
  markData(graph);
  duplicateViews(graph);
  readManualGroups(graph);
  graph.root.walk((node) => {
    if (node.isData && node.groups.size === 0) node.setGroup(graph.addGroup());
  });
  mergeGroups(graph);
  spread(graph);
  numberGroups(graph);
  placeOthers(graph);
  spread(graph);
  duplicateCheapOps(graph);
  let accesses = false;
  graph.root.walk((node) => {
    const work = workOf(node);
    accesses ||= work === "load" || work === "store";
  });
  if (!accesses) return false;
  write(graph, loop.op, tag);
  cloneSharedOps(rw, loop.op);
  return true;
}

/** Marks what is loaded and multiplied, and all that depends on it. */
function markData(graph: FlowGraph): void {
  const work: Port[] = [];
  const mark = (node: FlowNode, index: number): void => {
    if (node.dataOutputs[index]) return;
    node.dataOutputs[index] = true;
    work.push({ node, index });
  };
  graph.root.walk((node) => {
    const { op } = node;
    if (!op) return;
    if (isTMALoad(op) || TMEMLoadOp.is(op) || TCGen5MMAOp.is(op) || op.hasAttr("data")) node.outputs.forEach((_, i) => void mark(node, i));
    else if (TCGen5MMAScaledOp.is(op) && op.ctx.triton.dividesScaledDots) mark(node, 0);
  });
  for (let port = work.pop(); port; port = work.pop())
    for (const { node } of port.node.outputs[port.index]!) node.outputs.forEach((_, i) => void mark(node, i));
}

/** Gives each user of a view a node of the view of its own. */
function duplicateViews(graph: FlowGraph): void {
  const views: FlowNode[] = [];
  graph.root.walk((node) => void (node.op && isView(node.op) && node.isData && views.push(node)));
  for (const node of views.reverse())
    for (const edge of node.outEdges.slice(1)) {
      const copy = node.parent!.add(node.op!, node.inputs.length, node.outputs.length);
      removeEdge(edge);
      addEdge({ node: copy, index: 0 }, edge.to);
      for (const { from, to } of node.inEdges) addEdge(from, { node: copy, index: to.index });
      node.dataOutputs.forEach((isData, i) => void (copy.dataOutputs[i] = isData));
    }
}

function readManualGroups(graph: FlowGraph): void {
  const groups = new Map<number, FlowGroup>();
  graph.root.walk((node) => {
    for (const id of intsOf(node.op?.attr(PARTITION)) ?? []) {
      if (!groups.has(id)) groups.set(id, graph.addGroup(true));
      node.addGroup(groups.get(id)!);
    }
  });
}

/** Ops that are no data join the groups that need them, and loops and branches those of the ops in them. */
function spread(graph: FlowGraph): void {
  const { root } = graph;
  const leaves: FlowNode[] = [];
  const regions: FlowNode[] = [];
  root.walk((node) => {
    if (node.nodes.length === 0) return;
    regions.push(node);
    if (node.nodes.every((child) => child.nodes.length === 0)) leaves.push(node);
  });
  for (let changed = true; changed; ) {
    changed = false;
    for (const leaf of leaves) {
      const groups = new Set<FlowGroup>();
      for (let node: FlowNode | undefined = leaf; node; node = node.parent) {
        for (const child of node.nodes) for (const group of child.groups) groups.add(group);
        node.addGroups(groups);
      }
    }
    const data = [...graph.groups].flatMap((group) => [...group.nodes].filter((node) => node.isData));
    for (const start of [...regions, ...data]) {
      const groups = [...start.groups];
      backward(start, ({ from: { node } }) => {
        if (node.isData) return undefined;
        const before = node.groups.size;
        node.addGroups(groups);
        changed ||= node.groups.size !== before;
        return node;
      });
    }
  }
  let without: FlowNode[] = [];
  root.walk((node) => void (node.groups.size === 0 && without.push(node)));
  for (let before = -1; before !== without.length && without.length > 0; ) {
    before = without.length;
    for (const node of without) for (const { from } of node.inEdges) for (const group of [...from.node.groups]) node.setGroup(group);
    without = without.filter(({ groups }) => groups.size === 0);
  }
  root.walk((node) => {
    if (ReduceOp.is(node.op)) node.walk((inner) => inner.addGroups(node.groups));
  });
  spreadFirstStores(root);
}

/** Visits what leads to a node; `visit` returns the node from which to go on. */
function backward(start: FlowNode, visit: (edge: Edge) => FlowNode | undefined): void {
  const work = [start];
  const seen = new Set(work);
  for (let node = work.pop(); node; node = work.pop())
    for (const edge of node.inEdges) {
      const next = visit(edge);
      if (!next || seen.has(next)) continue;
      seen.add(next);
      work.push(next);
    }
}

/** The first store to an allocation in the loop goes with the allocation: the group of the dots has too few warps for it. */
function spreadFirstStores(root: FlowNode): void {
  const moved: FlowNode[] = [];
  root.walk((node) => {
    if (node.isData || !TMEMStoreOp.is(node.op)) return;
    const alloc = node.inputs[1]?.node;
    const group = TMEMAllocOp.is(alloc?.op) && [...alloc!.groups].find(({ work }) => !work.has("mma"));
    if (!group) return;
    node.setGroup(group);
    moved.push(node);
  });
  for (const node of moved) {
    const groups = [...node.groups];
    backward(node, (edge) => {
      if (edge.isData) return undefined;
      edge.from.node.addGroups(groups);
      return edge.from.node;
    });
  }
}

/** The groups that compute come first, then stores; dots and loads are never partition 0. */
function numberGroups({ groups }: FlowGraph): void {
  const rank = ({ work }: FlowGroup): number => (work.has("store") ? 1 : work.has("mma") ? 2 : work.has("load") ? 3 : 0);
  let next = 0;
  for (const each of [0, 1, 2, 3]) {
    if (each === 2) next = Math.max(next, 1);
    for (const group of groups) if (rank(group) === each) group.id = next++;
  }
}

/** Ops that nobody needs, as assumptions, go with the ops around them, else into partition 0. */
function placeOthers(graph: FlowGraph): void {
  graph.root.walk((node) => {
    if (node.groups.size > 0) return;
    for (const other of node.parent!.nodes) if (other !== node && other.op) node.addGroups(other.groups);
    if (node.groups.size > 0) return;
    let main = [...graph.groups].find(({ id }) => id === 0);
    if (!main) (main = graph.addGroup()).id = 0;
    node.setGroup(main);
  });
}

/** Work that one group does for another one, to get the result back, is done by the other one too, where it is cheap. */
function duplicateCheapOps(graph: FlowGraph): void {
  const isCheap = (node: FlowNode): boolean => [undefined, "sfu"].includes(workOf(node));
  for (const group of graph.groups)
    for (const edge of [...group.nodes].flatMap((node) => node.outEdges).filter(({ crosses }) => crosses)) {
      const [from, start] = [edge.from.node, edge.to.node];
      if (from.groups.size === 1 && start.groups.size === 1 && isCheap(start)) duplicatePath(start, from.group, isCheap);
    }
}
/** Adds the nodes of a path within the start's group, that leads back to `home`, to that group. */
function duplicatePath(start: FlowNode, home: FlowGroup, isCheap: (node: FlowNode) => boolean): void {
  const { group } = start;
  const parents = new Map<FlowNode, FlowNode>();
  const work = [start];
  const seen = new Set<FlowNode>();
  for (let node = work.pop(); node; node = work.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const { to } of node.outEdges) {
      const child = to.node;
      if (seen.has(child) || child.groups.size !== 1 || !isCheap(child)) continue;
      if (child.group === group) {
        if (!parents.has(child)) parents.set(child, node);
        work.push(child);
      } else if (child.group === home) {
        for (let on: FlowNode | undefined = node; on; on = parents.get(on)) on.addGroup(home);
        return;
      }
    }
  }
}

/** Writes the partitions to the attributes of ops. */
function write(graph: FlowGraph, loop: Operation, tag: number): void {
  const { ctx } = loop;
  const idsOf = ({ groups }: FlowNode): Set<number> => new Set([...groups].map(({ id }) => id!));
  const ids = new Map<Operation, Set<number>>();
  const outputs = new Map<Operation, Set<number>[]>();
  const setOutput = (op: Operation, index: number, node: FlowNode): void => {
    if (!outputs.has(op))
      outputs.set(
        op,
        op.results.map(() => new Set()),
      );
    outputs.get(op)![index] = idsOf(node);
  };
  graph.root.walk((node) => {
    const { op, value } = node;
    if (op) {
      // A view may have several nodes.
      ids.set(op, insertAll(ids.get(op) ?? new Set(), idsOf(node)));
      if (ReduceReturnOp.is(op)) setOutput(node.parent!.op!, 0, node);
    } else if (value!.definingOp) setOutput(value!.definingOp, value!.index, node);
    else if (value!.index > 0) setOutput(value!.argOwner!.parentOp!, value!.index - 1, node);
  });
  for (const [op, own] of ids) if (!ReduceReturnOp.is(op)) setPartition(op, own);
  for (const [op, each] of outputs) setPartitionOutputs(op, each);
  setWarpSpecializeTag(loop, tag);
  const stages: number[] = [];
  for (const { id, work } of graph.groups) stages[id!] = work.has("mma") ? 1 : 0;
  loop.setAttr(
    PARTITION_STAGES,
    arrayAttr(
      ctx,
      [...stages].map((stage = 0) => i32Attr(ctx, stage)),
    ),
  );
}

/** Data ops of several partitions become one op for each of them. */
function cloneSharedOps(rw: Rewriter, loop: Operation): void {
  if (!hasPartition(loop)) return;
  const data = new Set<Operation>();
  const graph = new FlowGraph(loop);
  markData(graph);
  graph.root.walk((node) => void (node.op && node.isData && data.add(node.op)));
  for (const id of getPartitionIds(loop)) {
    const shared: Operation[] = [];
    loop.walkPostOrder((op) => {
      const ids = data.has(op) ? getPartitionIds(op) : undefined;
      if (ids?.has(id) && ids.size > 1) shared.push(op);
    });
    const copies = new Map<Operation, Operation>();
    for (const op of shared) {
      const copy = rw.setBefore(op).clone(op);
      setPartition(copy, [id]);
      copies.set(op, copy);
    }
    for (const copy of copies.values())
      for (const use of copy.operandUses) {
        const producer = use.value.definingOp && copies.get(use.value.definingOp);
        if (producer) use.set(producer.result(use.value.index));
      }
    for (const [op, copy] of copies)
      for (const result of op.results) {
        const isOwn = ({ owner }: { owner: Operation }): boolean => {
          const ids = getPartitionIds(owner);
          return ids.size === 1 && ids.has(id);
        };
        // Upstream loses its way in the list of uses once it has replaced one.
        const [use] = [...result.uses()].filter(isOwn);
        use?.set(copy.result(result.index));
      }
    let stale = shared;
    for (let unused = stale.find((op) => !op.isUsed()); unused; unused = stale.find((op) => !op.isUsed())) {
      rw.erase(unused);
      stale = stale.filter((op) => op !== unused);
    }
  }
}
