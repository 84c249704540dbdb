import type { Operation } from "../ir/operation.js";
import { LIMITS, type LimitName, limitMessage } from "../support/limits.js";

/**
 * Thrown by a pass that meets IR which it cannot go on with, deep in a transformation; the pass ends with a diagnostic at `op` and its IR
 * is not used. Where a result can be returned, `report.error` is the way. `code` is one of the catalogue.
 */
export class PassError extends Error {
  override readonly name = "PassError";
  constructor(
    readonly op: Operation,
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** As `within` of the limits, for what `op` asks for. */
export function withinAt(op: Operation, limit: LimitName, amount: number): void {
  if (!(amount <= LIMITS[limit].most)) throw new PassError(op, limitMessage(limit), `limit.${limit}`);
}
