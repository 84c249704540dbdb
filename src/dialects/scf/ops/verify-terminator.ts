import type { OpDef, OpReport } from "../../../ir/define-op.js";
import type { Region } from "../../../ir/region.js";

/** Checks that the first block of `region` ends with an op of kind `terminator`; reports `message` otherwise. */
export function verifyTerminatorKind(region: Region, terminator: OpDef, message: string, report: OpReport): boolean {
  const last = region.firstBlock?.lastOp;
  if (last?.def === terminator) return true;
  report.error(message, "scf.terminator");
  if (last) report.note("terminator here", last.locRef);
  return false;
}
