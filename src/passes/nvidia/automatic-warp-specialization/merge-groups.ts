/**
 * Groups of data ops become few: each rule merges two groups between which data goes, or two groups of a kind.
 * Source: PartitionScheduling.cpp of Triton 3.7 and 3.8, mergePartitions.
 */

import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { AsyncTokenType, type MemDesc } from "../../../dialects/ttg/types.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { Operation } from "../../../ir/operation.js";
import { areLayoutsEquivalent } from "../../../layout/encoding-queries.js";
import { getSharedEncoding } from "../pipeline/shared-encoding.js";
import { isTMALoad } from "../tma/tma-copies.js";
import type { Edge, FlowGraph, FlowGroup, FlowNode, Work } from "./flow-graph.js";
import { workOf } from "./flow-graph.js";

/** The cost from which on exponentials are worth a group of their own. */
const COSTLY = 256;
/** The elements that are too many to go from one group to another. */
const MANY_ELEMENTS = 16384;

const does = (node: FlowNode, work: Work): boolean => node.group.work.has(work);
/** Whether a node's group does nothing that counts, though the user may have named it. */
const isPlain = ({ group }: FlowNode): boolean => group.work.size === 0;
const isCostlySfu = (node: FlowNode): boolean => does(node, "sfu") && node.group.cost > COSTLY;
const loadsOrMultiplies = (node: FlowNode): boolean => does(node, "load") || does(node, "mma");
const isCarried = ({ value }: FlowNode): boolean => ForOp.is(value?.argOwner?.parentOp ?? undefined);
const isToken = ({ value }: FlowNode): boolean => value !== undefined && AsyncTokenType.is(value.type);
/** Whether nothing else leaves the one node or enters the other. */
const isStraight = ({ from, to }: Edge): boolean =>
  from.node.outEdges.filter(({ isData }) => isData).length <= 1 && to.node.inEdges.filter(({ isData }) => isData).length <= 1;

function fillsBuffer({ from, to }: Edge): boolean {
  const [load, alloc] = [from.node.op, to.node.op];
  if (!load || !alloc || !LocalAllocOp.is(alloc)) return false;
  if (!isTMALoad(load)) return LoadOp.is(load);
  const { shape, encoding } = (alloc.result(0).type as MemDesc).params;
  const loaded = getSharedEncoding(load);
  if (loaded === encoding || !load.ctx.triton.groupsEquivalentLayouts) return loaded === encoding;
  return areLayoutsEquivalent(shape, encodingParams(loaded)!, encodingParams(encoding)!);
}

function viewMakesLess(edge: Edge): boolean {
  const { node } = edge.to;
  if (!does(node, "view") || workOf(node) !== "view") return false;
  const [out] = [...node.group.nodes].flatMap((each) => each.outEdges).filter(({ crosses }) => crosses);
  return out !== undefined && edge.size > out.size;
}

/** Whether what is loaded comes to no dot. */
function feedsNoDot({ from }: Edge): boolean {
  if (!does(from.node, "load")) return false;
  const seen = new Set([from.node]);
  for (const node of seen) {
    if (node.groups.size > 0 && does(node, "mma")) return false;
    if (DotOp.is(node.op)) return false;
    for (const edge of node.outEdges) seen.add(edge.to.node);
  }
  return true;
}

/** By rank: whenever two groups were merged, the first rule is tried again. */
const RULES: readonly ((edge: Edge) => boolean)[] = [
  fillsBuffer,
  // Views in a row; each has one user.
  ({ from, to }) => workOf(from.node) === "view" && workOf(to.node) === "view",
  // Views that hand on less than they get go with the producer, others with the user.
  viewMakesLess,
  ({ from }) => does(from.node, "view") && workOf(from.node) === "view",
  // A carried value goes with the op that computes it, a carried token with those that use it.
  ({ from, to }) => from.node.parent === to.node.parent && isCarried(to.node) && !isToken(to.node),
  ({ from }) => isCarried(from.node) && isToken(from.node),
  ({ to }) => IfOp.is(to.node.value?.definingOp) && isToken(to.node),
  // Costly exponentials take in what they are computed from.
  ({ from, to }) => isCostlySfu(to.node) && !loadsOrMultiplies(from.node) && !does(from.node, "sfu"),
  (edge) => isStraight(edge) && isPlain(edge.from.node) && isPlain(edge.to.node),
  (edge) => isStraight(edge) && isPlain(edge.from.node) && does(edge.to.node, "sfu"),
  // Loads of tensor memory go with their users.
  ({ from }) => TMEMLoadOp.is(from.node.op),
  ({ from, to }) => does(from.node, "tmem") && does(to.node, "store"),
  // Plain work goes with its users, else with what it uses: costly groups first.
  ({ from, to }) =>
    (isPlain(from.node) || (does(from.node, "sfu") && !isCostlySfu(from.node))) &&
    !isPlain(to.node) &&
    !loadsOrMultiplies(to.node) &&
    !isCostlySfu(to.node),
  ({ from, to }) => isPlain(to.node) && !isPlain(from.node) && !loadsOrMultiplies(from.node) && from.node.group.cost > COSTLY,
  ({ from, to }) => isPlain(to.node) && !isPlain(from.node) && !loadsOrMultiplies(from.node),
  ({ from, to }) => does(from.node, "store") && does(to.node, "store"),
  ({ from, to }) => from.node.group.isNone && to.node.group.isNone,
  ({ from: { node: from }, to: { node: to } }) => (from.group.isNone && to.group.manual) || (to.group.isNone && from.group.manual),
  (edge) => !loadsOrMultiplies(edge.from.node) && !loadsOrMultiplies(edge.to.node) && edge.size > MANY_ELEMENTS,
  feedsNoDot,
];

/** Groups that the user has named stay apart, and groups that access tensor memory from the one of the dots. */
function mayMerge({ from: { node: from }, to: { node: to } }: Edge): boolean {
  if (from.group.manual && to.group.manual) return false;
  if ((does(from, "mma") && does(to, "tmem")) || (does(to, "mma") && does(from, "tmem"))) return false;
  return !(TMEMAllocOp.is(from.op) && does(to, "mma"));
}

/** The buffers in tensor memory that a group loads or stores. */
function tensorMemoryOf({ nodes }: FlowGroup): Set<Operation | undefined> {
  const accesses = [...nodes].flatMap(({ op }) => (op && (TMEMLoadOp.is(op) || TMEMStoreOp.is(op)) ? [op.operand(0).definingOp] : []));
  return new Set(accesses);
}

const PAIR_RULES: readonly ((a: FlowGroup, b: FlowGroup) => boolean)[] = [
  (a, b) => a.isOnly("mma") && b.isOnly("mma"),
  (a, b) => a.isOnly("load") && b.isOnly("load"),
  (a, b) => (a.isNone && b.work.has("store")) || (a.work.has("store") && b.isNone),
  // Tensor memory is handed over between two groups: the dots and one more.
  (a, b) => {
    if (!a.work.has("tmem") || !b.work.has("tmem")) return false;
    const buffers = tensorMemoryOf(b);
    return [...tensorMemoryOf(a)].some((buffer) => buffers.has(buffer));
  },
];

export function mergeGroups(graph: FlowGraph): void {
  let edges = [...graph.groups].flatMap((group) => [...group.nodes].flatMap((node) => node.outEdges));
  const step = (): boolean => {
    for (const rule of RULES) {
      edges = edges.filter(({ crosses }) => crosses);
      const edge = edges.find((each) => rule(each) && mayMerge(each));
      if (!edge) continue;
      graph.merge(edge.from.node.group, edge.to.node.group);
      return true;
    }
    return false;
  };
  while (step());
  const pair = (): readonly [FlowGroup, FlowGroup] | undefined => {
    for (const rule of PAIR_RULES) for (const a of graph.groups) for (const b of graph.groups) if (a !== b && rule(a, b)) return [a, b];
    return undefined;
  };
  for (let found = pair(); found; found = pair()) graph.merge(...found);
}
