/** The position of an op, for messages. */
import { positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";

/** `tt.store at kernel.py:12:5`, or the op's name and its number in the function where it has no position. */
export function printableLocation(op: Operation): string {
  const position = positionOfLocation(op.ctx, op.locRef);
  return position ? `${op.name} at ${position.file}:${position.line}:${position.column}` : op.name;
}
