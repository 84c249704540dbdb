import type { Region } from "./region.js";
import type { Value } from "./value.js";

/** The values defined outside of a region that ops in it use, in order of their first use. */
export function valuesFromAbove(region: Region): ReadonlySet<Value> {
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
