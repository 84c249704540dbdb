/** What both kinds of warp specialization, Hopper's and Blackwell's, cannot go on with. */
import type { Operation } from "../../ir/operation.js";
import { PassError } from "../../pass/pass-error.js";

export const CODE = "pass.warp-specialization";

/** Leaves the pass, with an error at the op: upstream ends the process at these places. */
export function refuse(op: Operation, message: string): never {
  throw new PassError(op, message, CODE);
}
