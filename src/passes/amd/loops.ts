import { ForOp } from "../../dialects/scf/ops/for.js";
import type { Operation } from "../../ir/operation.js";

/** The loops of a function that have no loop in them. Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp, getLeafForOps. */
export function leafLoops(func: Operation): Operation[] {
  const leaves: Operation[] = [];
  func.walk((op) => {
    if (!ForOp.is(op)) return;
    const nested = op.walk((inner) => (inner !== op && ForOp.is(inner) ? "interrupt" : undefined));
    if (!nested) leaves.push(op);
  });
  return leaves;
}
