/** Errors for code that neither kind of warp specialization, Hopper's or Blackwell's, supports. */
import type { Operation } from "../../ir/operation.js";
import { PassError } from "../../pass/pass-error.js";

export const CODE = "pass.warp-specialization";

/** Leaves the pass, with an error at the op: upstream ends the process at these places. */
export function refuse(op: Operation, message: string): never {
  throw new PassError(op, message, CODE);
}
