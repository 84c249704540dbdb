/**
 * The checks of ops with control flow interfaces: the values handed over must fit the values that receive them.
 * Source: mlir/lib/Interfaces/ControlFlowInterfaces.cpp, LoopLikeInterface.cpp.
 */
import { intsOf } from "./builtin-attrs.js";
import type { OpReport } from "./define-op.js";
import { BranchOp, type BranchPoint, LoopLike, RegionBranch, RegionBranchTerminator } from "./interfaces.js";
import type { Operation } from "./operation.js";
import { typeText } from "./text-hook.js";
import { ReturnLike } from "./traits.js";
import type { OpOperand, Value } from "./value.js";

/** Operands of a branch fit the arguments of its successors, and there is a weight for each (BranchOpInterface, WeightedBranchOpInterface). */
export function verifyBranch(op: Operation, report: OpReport): void {
  const branch = op.def.interface(BranchOp);
  if (!branch) return;
  const weights = intsOf(op.attr("branch_weights")) ?? [];
  const count = op.successors.length;
  if (weights.length > 0 && weights.length !== count) {
    const message = `expects number of branch weights to match number of successors: ${weights.length} vs ${count}`;
    return void report.plain(message, "verify.branch-weights");
  }
  if (weights.length > 0 && weights.every((weight) => weight === 0))
    return void report.plain("branch weights cannot all be zero", "verify.branch-weights");
  for (let i = 0; i < count; i++) {
    const { start, size } = branch.successorOperandRange(op, i);
    const { args } = op.successors[i]!.block;
    if (size !== args.length)
      return void report.plain(
        `branch has ${size} operands for successor #${i}, but target block has ${args.length}`,
        "verify.branch-operands",
      );
    for (let k = 0; k < size; k++)
      if (op.operand(start + k).type !== args[k]!.type)
        return void report.plain(`type mismatch for bb argument #${k} of successor #${i}`, "verify.branch-operands");
  }
}

/** The operands that a terminator hands to `to`; undefined when it is no return-like terminator. */
export function terminatorOperands(terminator: Operation, to: BranchPoint): readonly OpOperand[] | undefined {
  const known = terminator.def.interface(RegionBranchTerminator);
  if (known) return known.successorOperands(terminator, to);
  return terminator.def.traits.has(ReturnLike) ? terminator.operandUses : undefined;
}

/** The values that receive those handed to `to`. */
export function branchInputs(op: Operation, branch: RegionBranch, to: BranchPoint): readonly Value[] {
  if (branch.inputs) return branch.inputs(op, to);
  return to === "parent" ? op.results : (to.firstBlock?.args ?? []);
}

/** Numbers and types agree along every edge between the op and its regions (RegionBranchOpInterface). */
export function verifyRegionBranch(op: Operation, report: OpReport): void {
  const branch = op.def.interface(RegionBranch);
  if (!branch) return;
  if (!verifyEdges(op, branch, "parent", (to) => branch.entryOperands(op, to), report)) return;
  for (const region of op.regions) {
    let returned: readonly Value[] | undefined;
    for (const block of region.blocks()) {
      const uses = block.lastOp && terminatorOperands(block.lastOp, region);
      if (!uses) continue;
      const values = uses.map((use) => use.value);
      if (!returned) returned = values;
      else if (values.length !== returned.length || values.some((v, i) => v.type !== returned![i]!.type))
        return void report.error(`Region #${region.index} operands mismatch between return-like terminators`, "verify.region-branch");
    }
    if (!verifyEdges(op, branch, region, () => returned, report)) return;
  }
}

function verifyEdges(
  op: Operation,
  branch: RegionBranch,
  from: BranchPoint,
  valuesTo: (to: BranchPoint) => readonly Value[] | undefined,
  report: OpReport,
): boolean {
  for (const to of branch.successors(op, from)) {
    const source = valuesTo(to);
    if (!source) continue;
    const inputs = branchInputs(op, branch, to);
    const edge = `${from === "parent" ? "parent operands" : `Region #${from.index}`} to ${to === "parent" ? "parent results" : `Region #${to.index}`}`;
    if (source.length !== inputs.length) {
      report.error(
        `region control flow edge from ${edge}: source has ${source.length} operands, but target successor needs ${inputs.length}`,
        "verify.region-branch",
      );
      return false;
    }
    for (let i = 0; i < inputs.length; i++)
      if (source[i]!.type !== inputs[i]!.type) {
        report.error(
          `along control flow edge from ${edge}: source type #${i} '${typeText(source[i]!.type)}' should match input type #${i} '${typeText(inputs[i]!.type)}'`,
          "verify.region-branch",
        );
        return false;
      }
  }
  return true;
}

/** Inits, iteration arguments, yielded values and results of a loop correspond (LoopLikeOpInterface). */
export function verifyLoopLike(op: Operation, report: OpReport): void {
  const loop = op.def.interface(LoopLike);
  if (!loop) return;
  const inits = loop.inits?.(op) ?? [];
  const iterArgs = loop.regionIterArgs?.(op) ?? [];
  const yielded = loop.yieldedValues?.(op) ?? [];
  const results = loop.loopResults?.(op);
  const error = (message: string): void => void report.error(message, "verify.loop");
  if (inits.length !== iterArgs.length)
    return error(`different number of inits and region iter_args: ${inits.length} != ${iterArgs.length}`);
  if (yielded.length > 0 && iterArgs.length !== yielded.length)
    return error(`different number of region iter_args and yielded values: ${iterArgs.length} != ${yielded.length}`);
  if (results && results.length !== iterArgs.length)
    return error(`different number of loop results and region iter_args: ${results.length} != ${iterArgs.length}`);
  const differ = (i: number, first: string, a: Value, second: string, b: Value): void =>
    error(`${i}-th ${first} and ${i}-th ${second} have different type: '${typeText(a.type)}' != '${typeText(b.type)}'`);
  for (let i = 0; i < inits.length; i++) {
    if (inits[i]!.type !== iterArgs[i]!.type) return differ(i, "init", inits[i]!, "region iter_arg", iterArgs[i]!);
    const value = yielded[i];
    if (value && value.type !== iterArgs[i]!.type) return differ(i, "region iter_arg", iterArgs[i]!, "yielded value", value);
  }
  for (let i = 0; results && i < results.length; i++)
    if (results[i]!.type !== iterArgs[i]!.type) return differ(i, "region iter_arg", iterArgs[i]!, "loop result", results[i]!);
}
