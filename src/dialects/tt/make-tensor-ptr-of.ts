import type { Block } from "../../ir/block.js";
import type { View } from "../../ir/define-op.js";
import { FunctionOp, RegionBranch } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { BranchOp, CondBranchOp } from "../cf/ops/index.js";
import { ForOp } from "../scf/ops/index.js";
import { AdvanceOp, MakeTensorPtrOp } from "./ops/pointer.js";

/**
 * The `tt.make_tensor_ptr` from which a tensor pointer comes, through advances, loops, conditions and branches (of several
 * origins the first counts); undefined when it comes from elsewhere. Source: lib/Dialect/Triton/IR/Utility.cpp.
 */
export function getMakeTensorPtrOp(value: Value): View<typeof MakeTensorPtrOp> | undefined {
  const seen = new Set<Value>();
  for (let at: Value | undefined = value; at && !seen.has(at); ) {
    seen.add(at);
    const op: Operation | undefined = at.definingOp;
    const made = MakeTensorPtrOp.match(op);
    if (made) return made;
    at = op ? originOfResult(op, at) : originOfArgument(at);
  }
  return undefined;
}

function originOfResult(op: Operation, value: Value): Value | undefined {
  const advance = AdvanceOp.match(op);
  if (advance) return advance.ptr;
  if (!op.def.interface(RegionBranch)) return undefined;
  let yielded: Value | undefined;
  op.walkPostOrder((inner) => {
    if (inner.name !== "scf.yield") return undefined;
    yielded = inner.operands[value.index];
    return "interrupt";
  });
  return yielded;
}

function originOfArgument(arg: Value): Value | undefined {
  const owner = arg.argOwner!.parentOp;
  // The first argument of a loop is its induction variable; initial values follow the bounds and the step.
  if (ForOp.is(owner)) return owner!.operands[arg.index + 2];
  return owner?.def.interface(FunctionOp) ? branchOperand(owner, arg) : undefined;
}

/** The operand that the first branch to the argument's block passes for it. */
function branchOperand(func: Operation, arg: Value): Value | undefined {
  let operand: Value | undefined;
  func.walkPostOrder((op) => {
    const operands = operandsTo(arg.argOwner!, op);
    operand = operands?.[arg.index];
    return operands ? "interrupt" : undefined;
  });
  return operand;
}

/** The operands that become the arguments of `block` where `op` branches to it. */
function operandsTo(block: Block, op: Operation): readonly Value[] | undefined {
  const br = BranchOp.match(op);
  if (br?.dest === block) return br.destOperands;
  const cond = CondBranchOp.match(op);
  if (cond?.trueDest === block) return cond.trueDestOperands;
  return cond?.falseDest === block ? cond.falseDestOperands : undefined;
}
