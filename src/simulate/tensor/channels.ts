/** nvws: references and tokens with which producers and consumers take turns. */
import { intsOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Barrier, MemDescValue } from "./shared-memory.js";

/** `nvws.aref`: as many stages as its buffers have; each is empty or full. */
export interface Aref {
  readonly form: "aref";
  readonly buffers: readonly MemDescValue[];
  /** For each stage how many consumers have yet to read it; 0 when it is empty. */
  readonly unread: number[];
  /** How many times each stage was filled. */
  readonly filled: number[];
  readonly consumers: number;
  /** The next stage and the stages held, of the producers and of each group of consumers, by its partition. */
  readonly next: Map<string, number>;
  readonly taken: Map<string, number>;
}
/** `tensor<n x !nvws.token>`: for each buffer a barrier that says full, and one that says empty. */
export interface ChannelToken {
  readonly form: "channel-token";
  readonly full: readonly Barrier[];
  readonly empty: readonly Barrier[];
}

/** Which group of warps an op belongs to, as far as the IR says. */
export function partitionOf(op: Operation): string {
  for (let at: Operation | null = op; at; at = at.parentOp) {
    const { parentOp } = at;
    if (parentOp?.name === "nvws.warp_group" || parentOp?.name === "ttg.warp_specialize.partitions") return `region ${at.region!.index}`;
    if (parentOp?.name === "ttg.warp_specialize") return "default";
  }
  const tag = intsOf(op.attr("ttg.partition"));
  return tag ? `partition ${tag.join()}` : "default";
}
