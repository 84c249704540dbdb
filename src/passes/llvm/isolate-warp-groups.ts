import { partitionRegionsOf, WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { valuesFromAbove } from "../../ir/values-from-above.js";

/**
 * Lowering may leave partitions of `ttg.warp_specialize` with values from outside: hands each in as a capture, in the order
 * in which they are met. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, makeAllWarpGroupsIsolatedFromAbove.
 */
export function isolateWarpGroups(root: Operation): void {
  root.walkPostOrder((op) => {
    if (!WarpSpecializeOp.is(op)) return;
    const holder = op.regions[1]!;
    const partitions = partitionRegionsOf(op);
    for (const value of valuesFromAbove(holder)) {
      op.setOperands([...op.operands, value]);
      for (const region of partitions) {
        const arg = region.firstBlock!.addArgument(value.type, value.loc);
        value.replaceUsesWhere(arg, (use) => isIn(region, use.owner));
      }
    }
  });
}

function isIn(region: Region, op: Operation): boolean {
  const home = op.region;
  return home !== null && (home === region || home.isInside(region));
}
