/** Code that groups of warps run at the same time. Source: TritonGPUOps.td; Ops.cpp, WarpSpecializeOp. */

import { Block } from "../../../ir/block.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import {
  AnyType,
  DenseI32ArrayAttr,
  MinSizedRegion1,
  optionalAttr,
  type RegionSpec,
  SizedRegion1,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { implement, RegionBranch, RegionBranchTerminator } from "../../../ir/interfaces.js";
import { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import { typeText } from "../../../ir/text-hook.js";
import {
  HasParent,
  IsolatedFromAbove,
  Pure,
  RecursivelySpeculatable,
  RecursiveMemoryEffects,
  ReturnLike,
  Terminator,
} from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { isPowerOf2 } from "../../../layout/encodings/matrix-order.js";
import { AsyncRegions } from "../../tt/traits.js";
import { maybeLookupNumWarps } from "../num-warps.js";
import { ttgTraits } from "../ttg-op.js";

const CODE = "ttg.warp-specialize";
const partitionRegions = { variadic: true, minBlocks: 1 } as const satisfies RegionSpec;

/** Holds the partitions of its parent, which unlike the default region are isolated from above. */
export const WarpSpecializePartitionsOp = defineOp("ttg.warp_specialize.partitions", () => ({
  summary: "container op for `ttg.warp_specialize`",
  regions: { partitionRegions },
  traits: ttgTraits(IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, Terminator, HasParent("ttg.warp_specialize")),
  // Since 3.7 the captures are its own.
  verify({ op }, report) {
    if (op.ctx.triton.controlReachesWarpGroups) verifyCaptures(op.regions, op.parentOp!.operands, report);
  },
}));

/** Whether each partition has an argument for each capture. */
function verifyCaptures(regions: readonly Region[], captures: readonly Value[], report: OpReport): boolean {
  for (const [i, region] of regions.entries()) {
    const args = region.firstBlock?.args ?? [];
    if (args.length !== captures.length) {
      report.error(`partition region #${i} has ${args.length} arguments but expected ${captures.length}`, CODE);
      return false;
    }
    const wrong = args.findIndex((arg, k) => arg.type !== captures[k]!.type);
    if (wrong < 0) continue;
    const [got, wanted] = [args[wrong]!.type, captures[wrong]!.type];
    report.error(
      `partition region #${i} argument #${wrong} has type '${typeText(got)}' but corresponding capture has type '${typeText(wanted)}'`,
      CODE,
    );
    return false;
  }
  return true;
}

export const WarpSpecializeOp = defineOp("ttg.warp_specialize", () => ({
  summary: "asynchronously execute code on multiple warpgroups",
  operands: { explicitCaptures: variadic(AnyType) },
  attrs: {
    partitionNumWarps: DenseI32ArrayAttr,
    warpGroupStartIds: optionalAttr(DenseI32ArrayAttr),
    requestedRegisters: optionalAttr(DenseI32ArrayAttr),
    actualRegisters: optionalAttr(DenseI32ArrayAttr),
  },
  results: { defaultPassthrough: variadic(AnyType) },
  regions: { defaultRegion: MinSizedRegion1, partitionOpHolder: SizedRegion1 },
  traits: ttgTraits(RecursiveMemoryEffects, RecursivelySpeculatable, AsyncRegions),
  interfaces: [
    // Control goes through the default region; since 3.7 it reaches partitions too.
    implement(RegionBranch, {
      successors(op, from) {
        if (from === "parent") return op.ctx.triton.controlReachesWarpGroups ? op.regions : [op.regions[0]!];
        return from === op.regions[0] ? ["parent"] : [];
      },
      entryOperands: () => [],
    }),
  ],
  parse(p) {
    const operandsAt = p.pos;
    const operands = p.list("(", ")", () => p.operand());
    p.optAttrDictWithKeyword();
    // Upstream drops what is no array of i32.
    const starts = p.state.attrs.findIndex(([name, value]) => name === "warpGroupStartIds" && !DenseI32ArrayAttr.test(value));
    if (starts >= 0) p.state.attrs.splice(starts, 1);
    p.keyword("default");
    p.region();
    const partitionsLoc = p.locAt(p.pos);
    const regions: Region[] = [];
    const numWarps: number[] = [];
    while (p.optKeyword(`partition${numWarps.length}`)) {
      const args = p.list("(", ")", () => p.argument({ type: true }));
      p.keyword("num_warps");
      p.punct("(");
      numWarps.push(p.int());
      p.punct(")");
      regions.push(p.region(args, { add: false }));
    }
    p.punct(":");
    const { inputs, results } = p.functionType();
    p.state.operands.push(...p.resolveAll(operands, inputs, operandsAt));
    p.state.types.push(...results);
    p.setAttr("partitionNumWarps", i32ArrayAttr(p.ctx, numWarps));
    const holder = new Region(p.ctx, null, 1);
    const block = new Block(p.ctx);
    holder.insertBlock(block);
    block.append(new Operation(p.ctx, WarpSpecializePartitionsOp, { loc: partitionsLoc, regions }));
    p.state.regions.push(holder);
  },
  print({ op, explicitCaptures, partitionNumWarps, defaultRegion, defaultPassthrough }, p) {
    p.write(`(${p.values(explicitCaptures)})`);
    p.optAttrDictWithKeyword(op, ["partitionNumWarps"]);
    p.newline();
    p.write("default ");
    p.region(defaultRegion, { entryArgs: false });
    partitionRegionsOf(op).forEach((region, i) => {
      p.newline();
      const args = (region.firstBlock?.args ?? []).map((arg) => p.regionArgument(arg));
      p.write(`partition${i}(${args.join(", ")}) num_warps(${partitionNumWarps[i]}) `);
      p.region(region, { entryArgs: false });
    });
    p.write(
      ` : ${p.functionType(
        explicitCaptures.map((v) => v.type),
        defaultPassthrough.map((v) => v.type),
      )}`,
    );
  },
  verify({ op, explicitCaptures, partitionNumWarps, warpGroupStartIds, partitionOpHolder }, report) {
    if (!WarpSpecializePartitionsOp.is(partitionOpHolder.firstBlock?.firstOp)) {
      report.error("expected to find only a `ttg.warp_specialize.partitions` op inside its second region", CODE);
      return;
    }
    const regions = partitionRegionsOf(op);
    if (regions.length !== partitionNumWarps.length) {
      report.error(`has ${regions.length} partitions but \`partitionNumWarps\` has ${partitionNumWarps.length} elements`, CODE);
      return;
    }
    const odd = partitionNumWarps.findIndex((n) => !isPowerOf2(n));
    if (odd >= 0) {
      report.error(`partition #${odd} number of warps (${partitionNumWarps[odd]}) must be a power of 2`, CODE);
      return;
    }
    if (warpGroupStartIds && warpGroupStartIds.length !== partitionNumWarps.length) {
      report.error(`has ${warpGroupStartIds.length} warp group start IDs but expected ${partitionNumWarps.length}`, CODE);
      return;
    }
    if (!op.ctx.triton.controlReachesWarpGroups && !verifyCaptures(regions, explicitCaptures, report)) return;
    for (let at = op.parentOp; at; at = at.parentOp)
      if (WarpSpecializeOp.is(at)) return void report.error("cannot be nested inside another `ttg.warp_specialize` op", CODE);
    const numWarps = maybeLookupNumWarps(op);
    if (numWarps !== undefined && numWarps % 4 !== 0)
      report.plain("warp-specialized kernels requires num_warps to be a multiple of 4", CODE);
  },
}));

/** The warps of all partitions. */
export function totalPartitionWarps({ partitionNumWarps }: { readonly partitionNumWarps: readonly number[] }): number {
  return partitionNumWarps.reduce((total, count) => total + count, 0);
}

/** The partitions of a `ttg.warp_specialize`. */
export function partitionRegionsOf(op: Operation): readonly Region[] {
  return op.regions[1]?.firstBlock?.firstOp?.regions ?? [];
}

export const WarpYieldOp = defineOp("ttg.warp_yield", () => ({
  summary: "yield from the default region of `ttg.warp_specialize`",
  operands: { values: variadic(AnyType) },
  traits: ttgTraits(Pure, Terminator, ReturnLike, HasParent("ttg.warp_specialize")),
  interfaces: [implement(RegionBranchTerminator, { successorOperands: (op) => op.operandUses })],
  format: "($values^)? attr-dict (`:` type($values)^)?",
  verify({ op, values }, report) {
    const results = op.parentOp!.results;
    if (values.length !== results.length)
      return void report.error(`has ${values.length} operands but parent op expected ${results.length}`, CODE);
    const wrong = values.findIndex((value, i) => value.type !== results[i]!.type);
    if (wrong < 0) return;
    const [got, wanted] = [values[wrong]!.type, results[wrong]!.type];
    report.error(`operand #${wrong} has type '${typeText(got)}' but parent op expected '${typeText(wanted)}'`, CODE);
  },
}));

export const WarpReturnOp = defineOp("ttg.warp_return", () => ({
  summary: "implicit terminator from partition regions",
  traits: ttgTraits(Pure, Terminator, ReturnLike, HasParent("ttg.warp_specialize.partitions")),
  format: "attr-dict",
}));
