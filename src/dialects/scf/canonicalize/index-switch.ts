/** Source: mlir/lib/Dialect/SCF/IR/SCF.cpp, FoldConstantCase. */
import { constantInt } from "../../../ir/match.js";
import { pattern } from "../../../rewrite/pattern.js";
import { IndexSwitchOp } from "../ops/index-switch.js";

/** The argument is a constant: its case goes in line. */
export const foldConstantCase = pattern("fold-constant-case", IndexSwitchOp, ({ op, arg, cases, caseRegions, defaultRegion }, rw) => {
  const known = constantInt(arg);
  if (known === undefined) return rw.noMatch("argument is not constant");
  const block = (caseRegions[cases.indexOf(Number(known))] ?? defaultRegion).firstBlock!;
  const terminator = block.lastOp!;
  const results = terminator.operands;
  rw.inlineBlockBefore(block, op);
  rw.erase(terminator);
  return rw.replace(op, results);
});
