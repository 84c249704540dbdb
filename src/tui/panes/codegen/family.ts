import { ancestorsOf, descendantsOf } from "../../../explain/provenance.js";
import { memo } from "../../../support/memo.js";
import type { Trace } from "../../../trace/trace.js";

/** An op with all it came from and all that became of it. */
export const familyOf = memo(
  (trace: Trace, op: number): ReadonlySet<number> => (op === 0 ? NONE : new Set([...ancestorsOf(trace, op), ...descendantsOf(trace, op)])),
  4,
);
const NONE: ReadonlySet<number> = new Set();
