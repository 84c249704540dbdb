import type { Operation } from "../../../ir/operation.js";
import type { PassContext } from "../../../pass/define-pass.js";

export const CODE = "pass.warp-specialization";

/** What a step cannot go on with. It leaves the pass, which reports it (see `reporting`); Triton itself crashes at these places. */
export class NotSpecializable extends Error {
  constructor(
    readonly op: Operation,
    message: string,
  ) {
    super(message);
  }
}

/** Runs a step of the pass; what it cannot do becomes an error at the op. Answers whether it was done. */
export function reporting({ report, fail }: Pick<PassContext, "report" | "fail">, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (!(error instanceof NotSpecializable)) throw error;
    report.error(error.op, error.message, CODE);
    fail();
    return false;
  }
}
