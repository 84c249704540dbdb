/** Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, ForOpDeadArgElimination. */
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { wouldOpBeTriviallyDead } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { pattern } from "../../rewrite/pattern.js";

/**
 * Carried values that nothing but themselves depends on are yielded as they came, so that the loop's canonicalization drops them:
 *
 *     scf.for ... iter_args(%a = %x) { %b = addi %a, %c; scf.yield %b }      // the result has no use
 *
 * becomes `{ %b = addi %a, %c; scf.yield %a }`.
 */
export const forOpDeadArgElimination = pattern("for-op-dead-arg-elimination", ForOp, (loop, rw) => {
  const { op, initArgs, region } = loop;
  const block = region.firstBlock!;
  const yieldOp = block.lastOp!;
  // All is taken for dead until something is seen to need it.
  const alive = new Set<Value>();
  const queue: Value[] = [];
  const markLive = (value: Value): void => {
    if (alive.has(value) || !op.isAncestorOf(value.parentBlock!.parentOp!)) return;
    alive.add(value);
    queue.push(value);
  };
  for (const result of op.results) if (result.firstUse) markLive(yieldOp.operand(result.index));
  if (alive.size === op.numResults) return rw.noMatch("every result has a use");
  const markBounds = (nested: Operation): void => {
    if (op.ctx.triton.boundsAreLive) for (const { value } of nested.operandUses.slice(0, 3)) markLive(value);
  };
  for (const nested of block.ops())
    nested.walkPostOrder((inner) => {
      if (ForOp.is(inner) && !wouldOpBeTriviallyDead(inner)) markBounds(inner);
      if (!YieldOp.is(inner) && !ForOp.is(inner) && !wouldOpBeTriviallyDead(inner))
        for (const { value } of inner.operandUses) markLive(value);
    });

  for (let value = queue.pop(); value; value = queue.pop()) {
    const def = value.definingOp;
    const nestedFor = ForOp.match(def);
    const nestedIf = IfOp.match(def);
    if (nestedFor) {
      markBounds(nestedFor.op);
      markLive(nestedFor.initArgs[value.index]!);
      markLive(nestedFor.region.firstBlock!.lastOp!.operand(value.index));
    } else if (nestedIf) {
      markLive(nestedIf.condition);
      for (const branch of [nestedIf.thenRegion, nestedIf.elseRegion]) markLive(branch.firstBlock!.lastOp!.operand(value.index));
    } else if (def) {
      if (WhileOp.is(def)) return rw.noMatch("a result of scf.while is needed");
      for (const operand of def.operandUses) markLive(operand.value);
    } else {
      const owner = ForOp.match(value.argOwner!.parentOp);
      if (!owner || value.index === 0) continue;
      markLive(value.argOwner!.lastOp!.operand(value.index - 1));
      markLive(owner.initArgs[value.index - 1]!);
    }
  }

  const dead: number[] = [];
  yieldOp.operands.forEach((value, i) => {
    if (alive.has(value) || value === block.args[i + 1]) return;
    // A value from outside is the result only if the loop runs; if it does not, the result is the init, which may be another value.
    if (!op.isAncestorOf(value.parentBlock!.parentOp!) && value !== initArgs[i]) return;
    dead.push(i);
  });
  if (dead.length === 0) return rw.noMatch("every carried value is needed");
  if (op.ctx.triton.deadArgsReadInits) {
    // Since 3.7 what reads such a value reads its init.
    const read = dead.filter((i) => block.args[i + 1]!.firstUse);
    if (read.length === 0) return rw.noMatch("no carried value that is not needed is read");
    for (const i of read) rw.replaceAllUses(block.args[i + 1]!, initArgs[i]!);
    return true;
  }
  return rw.modify(op, () => {
    for (const i of dead) yieldOp.setOperand(i, block.args[i + 1]!);
  });
});
