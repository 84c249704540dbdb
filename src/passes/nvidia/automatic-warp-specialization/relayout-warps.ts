/** New layouts for a partition whose warps have changed. Source: OptimizePartitionWarps.cpp, relayoutWarps. */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { setArgumentAttr } from "../../../dialects/builtin/function-op.js";
import { ModuleOp } from "../../../dialects/builtin/ops/module.js";
import { UnrealizedConversionCastOp } from "../../../dialects/builtin/ops/unrealized-conversion-cast.js";
import { FuncOp, ReturnOp } from "../../../dialects/tt/ops/function.js";
import { PointerType } from "../../../dialects/tt/types.js";
import { getNumCTAs, getThreadsPerWarp, NUM_WARPS, TARGET } from "../../../dialects/ttg/num-warps.js";
import { WarpReturnOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import type { Type } from "../../../ir/attribute.js";
import { i32Attr, i64Attr, stringOf } from "../../../ir/builtin-attrs.js";
import { functionType, RankedTensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { PassStep } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { convertTritonToTritonGpu, relayoutTritonGpu } from "../../convert/index.js";
import { coalesce } from "../../ttg/coalesce/coalesce.js";
import { optimizeThreadLocality } from "../../ttg/optimize-thread-locality/optimize-thread-locality.js";
import { removeLayoutConversions } from "../../ttg/remove-layout-conversions/remove-layout-conversions.js";
import { accelerateMatmul } from "../accelerate-matmul/accelerate-matmul.js";

/**
 * The partition becomes a function of a module of its own, without layouts, which goes through the passes that choose them. Returns
 * whether all went well.
 */
export function relayoutWarps(
  root: Operation,
  partition: Region,
  specialize: Operation,
  axes: ModuleAxisInfo,
  numWarps: { readonly before: number; readonly after: number },
  runNested: (steps: readonly PassStep[], op: Operation) => boolean,
): boolean {
  const rw = new Rewriter(root.ctx, {}, root.locRef);
  const container = rw.create(ModuleOp, { bodyRegion: new Region(root.ctx, null, 0) }).op;
  container.setAttrs(root.attrs);
  container.setAttr(NUM_WARPS, i32Attr(root.ctx, numWarps.before));
  const types = partition.firstBlock!.args.map(({ type }) => type);
  const args = { sym_name: "container", function_type: functionType(root.ctx, types, []) };
  const func = rw.setEnd(container.regions[0]!.addBlock()).create(FuncOp, args).op;
  func.regions[0]!.takeBlocksOf(partition);
  replaceReturns(rw, func, WarpReturnOp, ReturnOp);
  specialize.operands.forEach((capture, i) => {
    const { contiguity, divisibility, constancy } = axes.getOrWorst(capture);
    const note = (name: string, value: number | undefined): void => setArgumentAttr(func, i, name, i64Attr(root.ctx, BigInt(value ?? 1)));
    note("tt.contiguity", contiguity[0]);
    note("tt.divisibility", divisibility[0]);
    note("tt.constancy", constancy[0]);
  });
  removeLayouts(container);
  const target = stringOf(root.attr(TARGET)) ?? "";
  const shape = { numWarps: numWarps.after, threadsPerWarp: getThreadsPerWarp(root), numCTAs: getNumCTAs(root) };
  if (!runNested([convertTritonToTritonGpu({ target, ...shape, enableSourceRemat: true }), relayoutTritonGpu()], container)) return false;
  // Casts back to tensors without a layout: their users take what has one.
  container.walkPostOrder((op) => {
    if (!UnrealizedConversionCastOp.is(op)) return;
    rw.replaceAllUses(op.result(0), op.operand(0));
    rw.erase(op);
  });
  const again = [coalesce(), removeLayoutConversions(), optimizeThreadLocality(), accelerateMatmul(), removeLayoutConversions()];
  if (!runNested(again, container)) return false;
  // A conversion makes functions anew.
  const converted = container.regions[0]!.firstBlock!.firstOp!;
  replaceReturns(rw, converted, ReturnOp, WarpReturnOp);
  partition.takeBlocksOf(converted.regions[0]!);
  return true;
}

function replaceReturns(rw: Rewriter, func: Operation, from: OpDef, to: OpDef): void {
  for (const block of func.regions[0]!.blocks()) {
    const { lastOp } = block;
    if (lastOp?.def !== from) continue;
    rw.setBefore(lastOp).insert(new Operation(rw.ctx, to, { loc: lastOp.locRef }));
    rw.erase(lastOp);
  }
}

/** Takes the layouts from all tensors but those of descriptors. */
function removeLayouts(container: Operation): void {
  container.walk((op) => {
    op.results.forEach(({ type }, i) => op.setResultType(i, withoutLayout(type)));
    for (const region of op.regions)
      for (const block of region.blocks()) for (const arg of block.args) arg.setType(withoutLayout(arg.type));
  });
}
function withoutLayout(type: Type): Type {
  if (RankedTensorType.is(type)) return type.params.encoding ? withEncoding(type, undefined) : type;
  if (!PointerType.is(type)) return type;
  return PointerType.get(type.ctx, { ...type.params, pointeeType: withoutLayout(type.params.pointeeType) });
}
