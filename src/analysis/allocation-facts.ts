import type { Operation } from "../ir/operation.js";
import { symbolName } from "../ir/symbol-table.js";
import { allocateSharedMemory, type SharedBuffer } from "./allocation.js";
import { defaultScratchSize, type ScratchSize } from "./scratch-size.js";
import { numberOps } from "./value-liveness.js";

/** One buffer in shared memory as plain data. Ops are told by their ids, sizes are in bytes. */
export interface BufferFacts {
  readonly function: string;
  /** The op that allocates it, needs it while it runs, or calls a function that needs it. */
  readonly op: number;
  readonly kind: SharedBuffer["kind"];
  readonly bytes: number;
  readonly alignment: number;
  readonly offset: number;
  /** The first and the last op, in post-order, during which it is in use. */
  readonly liveFrom: number;
  readonly liveTo: number;
}

/**
 * Where a module's buffers lie in shared memory and how long each is in use, function by function, by offset. `scratchSize` is the target's
 * (`nvidiaScratchSize(80)`). Empty where functions call each other in a circle.
 */
export function allocationFacts(module: Operation, scratchSize: ScratchSize = defaultScratchSize): BufferFacts[] {
  const allocation = allocateSharedMemory(module, scratchSize);
  return allocation.functions.flatMap((func) => {
    const ops = [...numberOps(func).keys()];
    const facts = allocation.of(func)!.buffers.map(({ owner, kind, size, alignment, offset, live }): BufferFacts => {
      const last = Math.min(live.end, ops.length) - 1;
      const range = { liveFrom: ops[live.start]!.id, liveTo: ops[last]!.id };
      return { function: symbolName(func) ?? "", op: owner.id, kind, bytes: size, alignment, offset, ...range };
    });
    return facts.sort((a, b) => a.offset - b.offset);
  });
}
