/** Errors for code that neither kind of warp specialization, Hopper's or Blackwell's, supports. */
import type { Operation } from "../../ir/operation.js";
import { option } from "../../pass/options.js";
import { PassError } from "../../pass/pass-error.js";

/** The option of passes that divide loops: whether it is known how the version of Triton does so. */
export const KNOWN = option.bool({ default: true, ours: true, summary: "divide loops; else refuse those that are marked" });
export const UNKNOWN =
  "how this version of Triton divides loops among warp groups is not known here: compile with --triton 3.6, or without warp_specialize";

export const CODE = "pass.warp-specialization";

/** Leaves the pass, with an error at the op: upstream ends the process at these places. */
export function refuse(op: Operation, message: string): never {
  throw new PassError(op, message, CODE);
}
