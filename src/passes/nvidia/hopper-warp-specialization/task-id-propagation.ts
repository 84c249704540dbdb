import { constantAnalyses } from "../../../analysis/dataflow/constant-propagation.js";
import { DataFlowSolver } from "../../../analysis/dataflow/solver.js";
import { SparseBackwardAnalysis } from "../../../analysis/dataflow/sparse-backward.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import type { Attribute } from "../../../ir/attribute.js";
import { i32ArrayAttr, intsOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { refuse } from "../not-specializable.js";
import { ASYNC_TASK_ID, getAsyncTaskIds, labelParentOps, setAsyncTaskIds } from "./async-task-ids.js";

/** The tasks that need a value, as an `async_task_id`; undefined while none is known to. */
type Tasks = Attribute | undefined;

/** Each op is done by all tasks that need a result of it, and what it is computed from as well.
 * Source: WarpSpecialization/TaskIdPropagation.cpp, WSTaskIdPropagate.cpp. */
export function doTaskIdPropagate(func: Operation): void {
  const { code, constants } = constantAnalyses();
  const tasks = new SparseBackwardAnalysis<Tasks>(
    {
      name: "task-id-backward-propagation",
      initial: undefined,
      // Nobody outside is a task.
      exit: () => undefined,
      meet,
      visitOperation,
      // Bounds and conditions are met by what is inside (`meetParents`).
      visitBranchOperand: () => {},
    },
    code,
  );
  new DataFlowSolver().run(func, [code, constants, tasks]);
  func.walkPostOrder((op) => {
    const values = op.numResults === 0 ? op.operands : op.results;
    const found = values.reduce<Tasks>((all, value) => meet(all, tasks.get(value)), undefined);
    if (!found || (op.hasAttr(ASYNC_TASK_ID) && !ConstantOp.is(op))) return;
    op.setAttr(ASYNC_TASK_ID, found);
    labelParentOps(op);
  });
}

function meet(a: Tasks, b: Tasks): Tasks {
  if (a === b || !b) return a;
  if (!a) return b;
  const both = new Set([...intsOf(a)!, ...intsOf(b)!]);
  return i32ArrayAttr(
    a.ctx,
    [...both].sort((x, y) => x - y),
  );
}

function visitOperation(op: Operation, results: readonly Tasks[], self: SparseBackwardAnalysis<Tasks>): void {
  const annotated = op.attr(ASYNC_TASK_ID);
  for (const needed of annotated ? [annotated] : results) {
    for (const operand of op.operands) self.meet(operand, needed);
    meetParents(op, needed, self);
  }
  if (ReduceOp.is(op)) op.regions[0]!.firstBlock!.lastOp!.operands.forEach((value, i) => self.meet(value, results[i]));
}

/** Who needs an op needs the bounds and conditions that decide about it. */
function meetParents(op: Operation, needed: Tasks, self: SparseBackwardAnalysis<Tasks>): void {
  for (let parent = op.parentOp; parent && !FuncOp.is(parent); parent = parent.parentOp) {
    if (ForOp.is(parent)) for (const bound of parent.operands.slice(0, 3)) self.meet(bound, needed);
    else if (IfOp.is(parent)) self.meet(parent.operand(0), needed);
    else if (!ReduceOp.is(parent))
      refuse(parent, `'${parent.name}' cannot be given to warp groups: only scf.for, scf.if and tt.reduce can have ops inside`);
  }
}

export const testTaskIdPropagate = definePass("nvgpu-test-taskid-propagate", {
  name: "NVGPUTestWSTaskIdPropagate",
  summary: "test warp specialization task id propagation",
  // Gives `async_task_id` to all that ops which have one depend on.
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization/WSTaskIdPropagate.cpp",
  testOnly: true,
  options: { numWarpGroups: option.int({ default: 0, summary: "number of warp groups for warp specialization" }) },
  run(root, pass) {
    const { numWarpGroups } = pass.options;
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      let anchors = false;
      func.walkPostOrder((op) => {
        const ids = getAsyncTaskIds(op);
        if (ids.length === 0) return;
        setAsyncTaskIds(op, ids);
        anchors ||= !ConstantOp.is(op);
        if (numWarpGroups === 0) op.removeAttr(ASYNC_TASK_ID);
      });
      if (numWarpGroups !== 0 && anchors) doTaskIdPropagate(func);
    });
  },
});
