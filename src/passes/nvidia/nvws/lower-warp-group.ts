import { topologicalSort } from "../../../analysis/slices.js";
import { WarpGroupOp } from "../../../dialects/nvws/ops/warp-group.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { NUM_WARPS } from "../../../dialects/ttg/num-warps.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { WarpReturnOp, WarpSpecializeOp, WarpSpecializePartitionsOp, WarpYieldOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import { isPureOp } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { rowsInSharedMemory } from "../pipeline/shared-encoding.js";

export const lowerWarpGroup = definePass("nvws-lower-warp-group", {
  name: "NVWSLowerWarpGroup",
  summary: "Convert nvws.warp_group to ttg.warp_specialize.",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/LowerWarpGroup.cpp",
  run(root, { listener, report, fail }) {
    const numWarps = intOf(root.attr(NUM_WARPS));
    const lower = pattern("lower-warp-group", WarpGroupOp, (group, rw) => {
      const hasDefault = group.numWarps[0] === numWarps;
      if (!hasDefault && group.op.numResults > 0) return rw.noMatch("results need a first group with the default number of warps");
      lowerGroup(rw, group.op, group.numWarps, hasDefault);
      return true;
    });
    if (!applyPatternsGreedily(root, [lower], { listener }).converged) return fail();
    if (numWarps === undefined || numWarps % 4 === 0) return;
    // The verifier would blame the pass.
    const made: Operation[] = [];
    root.walkPostOrder((op) => void (WarpSpecializeOp.is(op) && made.push(op)));
    for (const op of made) report.error(op, "warp-specialized kernels requires num_warps to be a multiple of 4", "ttg.warp-specialize");
    if (made.length > 0) fail();
  },
});

function lowerGroup(rw: Rewriter, group: Operation, numWarps: readonly number[], hasDefault: boolean): void {
  const options = { loc: group.locRef };
  const partitions = hasDefault ? group.regions.slice(1) : group.regions;
  const partitionNumWarps = hasDefault ? numWarps.slice(1) : numWarps;
  rw.setAfter(group);
  const inputs = capture(rw, group, partitions);
  const types = group.resultTypes;
  const { op } = rw.create(WarpSpecializeOp, { explicitCaptures: inputs, partitionNumWarps }, { ...options, types });
  const block = op.regions[0]!.addBlock();
  const old = hasDefault ? group.regions[0]!.firstBlock! : undefined;
  const end = rw.setEnd(block).create(WarpYieldOp, { values: old ? old.lastOp!.operands : [] }, options);
  if (old) for (const each of old.opsWithoutTerminator()) each.moveBefore(end.op);
  const regions = partitions.map(() => new Region(rw.ctx, null, 0));
  const holder = rw.setStart(op.regions[1]!.addBlock()).create(WarpSpecializePartitionsOp, { partitionRegions: regions }, options).op;
  partitions.forEach((from, i) => {
    const into = holder.regions[i]!;
    const body = into.addBlock();
    const args = new Map(inputs.map((input) => [input, body.addArgument(input.type, valueLocation(input))]));
    const last = rw.setEnd(body).create(WarpReturnOp, {}, options);
    for (const each of from.firstBlock!.opsWithoutTerminator()) each.moveBefore(last.op);
    for (const [input, arg] of args) replaceUsesIn(into, input, arg);
  });
  rw.replace(group, op.results);
}

/** Captures the values that partitions use from outside: clones pure ops into each, passes other tensors through shared memory. */
function capture(rw: Rewriter, group: Operation, partitions: readonly Region[]): Value[] {
  // The driver hears of these ops in its next round only.
  const copies = partitions.map((region) => ({ region, rw: new Rewriter(rw.ctx).setStart(region.firstBlock!), mapping: new Mapping() }));
  const queue = [...new Set(partitions.flatMap(usedFromAbove))];
  const inputs: Value[] = [];
  const computed = new Set<Operation>();
  for (const value of queue) {
    const { definingOp, type } = value;
    if (definingOp && isPureOp(definingOp) && (definingOp.def.isConstantLike || RankedTensorType.is(type))) {
      // A value comes as often as it is needed: so does its argument.
      queue.push(...definingOp.operands);
      computed.add(definingOp);
    } else if (RankedTensorType.is(type)) {
      const { shape, elementType } = type.params;
      const types = [memDescType(shape, elementType, rowsInSharedMemory(type), SharedMemorySpace.get(rw.ctx, {}))];
      const src = rw.value(LocalAllocOp, { src: value }, { loc: group.locRef, types });
      for (const { region, rw: own, mapping } of copies) {
        const loaded = own.value(LocalLoadOp, { src }, { loc: valueLocation(value), types: [type] });
        replaceUsesIn(region, value, loaded);
        mapping.map(value, loaded);
      }
      inputs.push(src);
    } else inputs.push(value);
  }
  const sorted = topologicalSort([...computed]);
  for (const { region, rw: own, mapping } of copies)
    for (const op of sorted) replaceUsesIn(region, op.result(0), own.clone(op, mapping).result(0));
  return inputs;
}

/** The values of outside that a region uses, innermost ops first. */
function usedFromAbove(region: Region): Value[] {
  const used = new Set<Value>();
  for (const block of region.blocks())
    for (const op of block.ops())
      op.walkPostOrder((nested) => {
        for (const { value } of nested.operandUses) if (!value.parentBlock!.region!.isInside(region)) used.add(value);
      });
  return [...used];
}

function replaceUsesIn(region: Region, from: Value, to: Value): void {
  from.replaceUsesWhere(to, ({ owner }) => owner.region!.isInside(region));
}
