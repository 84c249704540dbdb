/** Moves ops out of loops. Source: mlir/lib/Transforms/Utils/LoopInvariantCodeMotionUtils.cpp. */
import { isMemoryEffectFree, isSpeculatable, LoopLike } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import type { Rewriter } from "./rewriter.js";

/** Which ops leave a region, and where they go. */
export interface HoistingRules {
  readonly isDefinedOutside: (value: Value, region: Region) => boolean;
  readonly shouldMove: (op: Operation, region: Region) => boolean;
  readonly move: (op: Operation, region: Region) => void;
}

/** Moves what may leave the regions and depends on nothing inside, users after what they use. Returns how many moved. */
export function moveLoopInvariantCode(regions: readonly Region[], rules: HoistingRules): number {
  let moved = 0;
  for (const region of regions) {
    const worklist: Operation[] = [];
    for (const block of region.blocks()) for (const op of block.ops()) worklist.push(op);
    const outside = (value: Value) => rules.isDefinedOutside(value, region);
    for (let next = 0; next < worklist.length; next++) {
      const op = worklist[next]!;
      if (op.region !== region || !rules.shouldMove(op, region) || !canBeHoisted(op, outside)) continue;
      rules.move(op, region);
      moved++;
      // Users directly in the loop may be free to go now.
      for (const result of op.results) for (const user of result.users()) if (user.region === region) worklist.push(user);
    }
  }
  return moved;
}

/** Moves ops without effects, which may as well run when the loop does not, before the loop. `moved` hears of each. */
export function moveLoopInvariantCodeOf(loop: Operation, rw: Rewriter, moved?: (op: Operation) => void): number {
  return moveLoopInvariantCode(loop.def.interface(LoopLike)!.loopRegions(loop), {
    isDefinedOutside: (value, region) => !value.parentBlock!.region!.isInside(region),
    shouldMove: (op) => isMemoryEffectFree(op) && isSpeculatable(op),
    move(op) {
      moved?.(op);
      rw.moveBefore(op, loop);
    },
  });
}

/** Whether everything the op and its nested ops use is defined outside, or inside the op itself. */
function canBeHoisted(op: Operation, outside: (value: Value) => boolean): boolean {
  if (op.def.isTerminator) return false;
  return !op.walk((inner) => {
    for (const { value } of inner.operandUses) {
      const home = value.parentBlock!.parentOp;
      if (home && op.isAncestorOf(home)) continue;
      if (!outside(value)) return "interrupt";
    }
    return undefined;
  });
}
