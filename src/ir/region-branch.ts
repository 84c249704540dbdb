/** The values that control hands to the regions and results of ops such as loops. Source: mlir/lib/Interfaces/ControlFlowInterfaces.cpp. */
import { type BranchPoint, RegionBranch, RegionBranchTerminator } from "./interfaces.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import { ReturnLike } from "./traits.js";
import type { OpOperand, Value } from "./value.js";

/** The values that receive what is handed to a region or to the results of a region op. */
export function successorInputs(branch: Operation, to: BranchPoint): readonly Value[] {
  const inputs = branch.def.interface(RegionBranch)!.inputs?.(branch, to);
  if (inputs) return inputs;
  return to === "parent" ? branch.results : ((to as Region).firstBlock?.args ?? []);
}

/** The operands that a terminator passes to `to`; a plain return passes all. Undefined when they are not known. */
export function forwardedOperands(terminator: Operation, to: BranchPoint): readonly OpOperand[] | undefined {
  const own = terminator.def.interface(RegionBranchTerminator);
  if (own) return own.successorOperands(terminator, to);
  return terminator.def.traits.has(ReturnLike) ? terminator.operandUses : undefined;
}

/** The operands that each argument of a region and each result may come from; values that no operand is handed to are left out. */
export function operandsOfInputs(branch: Operation): ReadonlyMap<Value, readonly OpOperand[]> {
  const found = new Map<Value, OpOperand[]>();
  const { successors, entryOperands } = branch.def.interface(RegionBranch)!;
  const handOver = (to: BranchPoint, operands: readonly OpOperand[]): void =>
    successorInputs(branch, to).forEach((input, i) => {
      const known = found.get(input);
      if (known) known.push(operands[i]!);
      else found.set(input, [operands[i]!]);
    });
  // The op itself hands its last operands on.
  for (const to of successors(branch, "parent"))
    handOver(to, branch.operandUses.slice(branch.numOperands - entryOperands(branch, to).length));
  for (const region of branch.regions)
    for (const { lastOp: end } of region.blocks())
      for (const to of end ? successors(branch, region) : []) {
        const operands = forwardedOperands(end!, to);
        if (operands) handOver(to, operands);
      }
  return found;
}
