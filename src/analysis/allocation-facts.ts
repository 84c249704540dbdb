import type { Operation } from "../ir/operation.js";
import type { ModuleAllocation, SharedBuffer } from "./allocation.js";
import { numberOps } from "./value-liveness.js";

/** A buffer in shared memory, and how long it is in use. Sizes are in bytes. */
export interface BufferFacts extends Pick<SharedBuffer, "kind" | "owner" | "size" | "alignment" | "offset"> {
  readonly func: Operation;
  /** The first and the last op, in post-order, during which it is in use. */
  readonly liveFrom: Operation;
  readonly liveTo: Operation;
}

/** Where a module's buffers lie and how long each is in use: function by function, by offset. */
export function bufferFacts(allocation: ModuleAllocation): BufferFacts[] {
  return allocation.functions.flatMap((func) => {
    const ops = [...numberOps(func).keys()];
    return [...allocation.of(func)!.buffers]
      .sort((a, b) => a.offset - b.offset)
      .map(({ kind, owner, size, alignment, offset, live }) => {
        const last = Math.min(live.end, ops.length) - 1;
        return { func, kind, owner, size, alignment, offset, liveFrom: ops[live.start]!, liveTo: ops[last]! };
      });
  });
}
