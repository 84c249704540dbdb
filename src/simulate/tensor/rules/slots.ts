/** Operands by name: which of them an op has varies. */

import type { Value } from "../../../ir/value.js";
import type { Instruction } from "../instructions.js";
import type { MemDescValue } from "../shared-memory.js";
import { isTrue, type Tensor, type Val } from "../value.js";

/** The slot of an operand that may be absent. */
export type Slot = number | undefined;
/** The slot of an operand by its value. */
export function slotFinder({ op, ins }: Instruction): (value: Value | undefined) => Slot {
  return (value) => (value ? ins[op.operands.indexOf(value)] : undefined);
}
/** An absent predicate is true. */
export const on = (env: readonly Val[], slot: Slot): boolean => slot === undefined || isTrue(env[slot] as Tensor);
/** The buffer in a slot. */
export const descAt = (env: readonly Val[], slot: Slot): MemDescValue => env[slot!] as MemDescValue;
