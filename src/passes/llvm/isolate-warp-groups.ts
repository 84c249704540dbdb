import { partitionRegionsOf, WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";

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

/** The values defined outside of a region that ops in it use, in order of their first use. */
function valuesFromAbove(region: Region): ReadonlySet<Value> {
  const found = new Set<Value>();
  for (const block of region.blocks())
    for (const op of block.ops())
      op.walkPostOrder((nested) => {
        for (const { value } of nested.operandUses) {
          const home = value.parentBlock?.region;
          if (home && home !== region && region.isInside(home)) found.add(value);
        }
      });
  return found;
}
function isIn(region: Region, op: Operation): boolean {
  const home = op.region;
  return home !== null && (home === region || home.isInside(region));
}
