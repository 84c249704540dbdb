/**
 * Copies a function's ops to the tasks that they belong to: task 0 becomes the default region of a `ttg.warp_specialize`, the others
 * a partition each. Source: WarpSpecialization/WSSpecialize.cpp.
 */
import { TokenType } from "../../../dialects/nvws/types.js";
import { buildFor, buildIf, valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import {
  partitionRegionsOf,
  WarpReturnOp,
  WarpSpecializeOp,
  WarpSpecializePartitionsOp,
  WarpYieldOp,
} from "../../../dialects/ttg/ops/warp-specialize.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import { ancestorInRegion } from "../../../ir/dominance.js";
import { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import { ConstantLike } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { PassReport } from "../../../pass/define-pass.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { CODE, refuse } from "../not-specializable.js";
import { getAsyncTaskIds, getNestedAsyncTaskIds, hasAsyncTaskId, setAsyncTaskIds, TaskBuilder } from "./async-task-ids.js";

/** The registers that upstream requests per thread of a consumer: the most that are possible beside a producer that needs few. */
const REQUESTED_REGISTERS = 232;
const WARPS_PER_TASK = 4;

/** Puts the code of the tasks of a function in their regions, in place of what it had. */
export function specializeRegion(rw: Rewriter, func: Operation, report: PassReport): void {
  const ops = [...func.regions[0]!.blocks()].flatMap((block) => [...block.ops()].filter((op) => getAsyncTaskIds(op).length > 0));
  const [producer, ...consumers] = getNestedAsyncTaskIds(func) as [number, ...number[]];
  const last = func.regions[0]!.lastBlock!.lastOp!;
  const loc = ops[0]!.locRef;
  const types: never[] = [];

  const holder = new Region(rw.ctx, null, 1);
  rw.setEnd(holder.addBlock());
  const partitions = consumers.map(() => new Region(rw.ctx, null, 0));
  rw.insert(new Operation(rw.ctx, WarpSpecializePartitionsOp, { loc, regions: partitions }));
  rw.setBefore(last);
  const partitionNumWarps = consumers.map(() => WARPS_PER_TASK);
  const defaultRegion = new Region(rw.ctx, null, 0);
  const { op: wsOp } = rw.create(
    WarpSpecializeOp,
    { explicitCaptures: [], partitionNumWarps, defaultRegion, partitionOpHolder: holder },
    { loc, types },
  );
  rw.setEnd(wsOp.regions[0]!.addBlock());
  new TaskCode(rw, producer).copyAll(ops);
  rw.create(WarpYieldOp, { values: [] }, { loc: func.locRef });
  partitionRegionsOf(wsOp).forEach((region, i) => {
    rw.setEnd(region.addBlock());
    new TaskCode(rw, consumers[i]!).copyAll(ops);
    rw.create(WarpReturnOp, {}, { loc: func.locRef });
  });
  wsOp.setAttr(
    "requestedRegisters",
    i32ArrayAttr(
      rw.ctx,
      consumers.map(() => REQUESTED_REGISTERS),
    ),
  );
  captureValues(rw, wsOp, report);
  for (const op of ops.reverse()) {
    const user = op.results.flatMap((result) => result.users())[0];
    if (user) refuse(user, `'${user.name}' uses what '${op.name}' computes in other warp groups`);
    rw.erase(op);
  }
}

/** Hands the values from outside that partitions use to them as arguments; each gets constants of its own. */
function captureValues(rw: Rewriter, wsOp: Operation, report: PassReport): void {
  const regions = partitionRegionsOf(wsOp);
  const outside = wsOp.region;
  const captures = new Set<Value>();
  for (const region of regions)
    for (const block of region.blocks())
      for (const op of block.ops())
        op.walkPostOrder((nested) => {
          for (const { value } of nested.operandUses) if (value.parentBlock!.region === outside) captures.add(value);
        });
  const replaceIn = (region: Region, from: Value, to: Value): void => {
    rw.replaceUsesWhere(from, to, ({ owner }) => ancestorInRegion(owner, region) !== undefined);
  };
  for (const capture of captures) {
    const def = capture.definingOp;
    if (def?.def.traits.has(ConstantLike)) {
      for (const region of regions) replaceIn(region, capture, rw.setStart(region.firstBlock!).clone(def).result(0));
      continue;
    }
    if (RankedTensorType.is(capture.type) && !TokenType.is(capture.type.params.elementType))
      report.warning(capture.definingOp ?? wsOp, "capturing tensor values into warp partitions is not supported", CODE);
    wsOp.appendOperands([capture]);
    for (const region of regions) replaceIn(region, capture, region.firstBlock!.addArgument(capture.type, valueLocation(capture)));
  }
}
/** The code of one task. */
class TaskCode {
  readonly #mapping = new Mapping();
  readonly #b: TaskBuilder;
  constructor(
    readonly rw: Rewriter,
    readonly task: number,
  ) {
    this.#b = new TaskBuilder(rw).inTasks([task]);
  }

  /** Copies those of the ops that are the task's to the insertion point; control flow with what is the task's in it. */
  copyAll(ops: Iterable<Operation>): void {
    for (const op of ops) {
      if (!this.#mine(op) && !YieldOp.is(op)) continue;
      const loop = ForOp.match(op);
      const branch = IfOp.match(op);
      this.rw.from(op, () => {
        if (loop) this.#copyLoop(loop);
        else if (branch) this.#copyIf(branch);
        else if (op.regions.length > 0 && !ReduceOp.is(op))
          refuse(op, `'${op.name}' cannot be given to warp groups: only scf.for, scf.if and tt.reduce can have ops inside`);
        else this.rw.clone(op, this.#mapping).walk((copy) => setAsyncTaskIds(copy, [this.task]));
      });
    }
  }
  #mine(op: Operation): boolean {
    return hasAsyncTaskId(op, this.task);
  }
  /** The task's copy of a value that it must have. */
  #mapped(value: Value, user: Operation): Value {
    const copy = this.#mapping.values.get(value);
    if (!copy) refuse(user, `'${user.name}' needs a value that no op of its warp group computes`);
    return copy;
  }

  #copyLoop(loop: ForView): void {
    const { rw, task } = this;
    const { op, region } = loop;
    const body = region.firstBlock!;
    const used = collectBlockArgsForTask(loop, task);
    const at = (value: Value): Value => this.#mapping.get(value);
    const bounds = { lowerBound: at(loop.lowerBound), upperBound: at(loop.upperBound), step: at(loop.step) };
    const initArgs = used.map((i) => at(loop.initArgs[i]!));
    const made = buildFor(rw.builder, { ...bounds, initArgs }, { loc: op.locRef, ...this.#b.options });
    const schedule = op.attr("tt.loop_schedule");
    if (schedule) made.op.setAttr("tt.loop_schedule", schedule);
    const copy = made.region.firstBlock!;
    this.#mapping.map(body.args[0]!, copy.args[0]!);
    used.forEach((i, k) => {
      this.#mapping.map(body.args[i + 1]!, copy.args[k + 1]!);
    });
    rw.preserving(() => {
      rw.setStart(copy);
      this.copyAll(body.opsWithoutTerminator());
      const yieldOp = body.lastOp!;
      const results = used.map((i) => this.#mapped(yieldOp.operand(i), yieldOp));
      if (copy.terminator) setAsyncTaskIds(copy.terminator, [task]);
      else this.#b.create(YieldOp, { results }, { loc: yieldOp.locRef });
    });
    used.forEach((i, k) => {
      this.#mapping.map(op.result(i), made.op.result(k));
    });
  }

  #copyIf({ op, condition, thenRegion, elseRegion }: IfView): void {
    const { rw } = this;
    const kept = thenRegion.firstBlock!.lastOp!.operands.flatMap((value, i) => (this.#isComputed(value, op) ? [i] : []));
    const types = kept.map((i) => op.result(i).type);
    const mapped = this.#mapped(condition, op);
    const made = buildIf(rw.builder, types, mapped, !elseRegion.empty, { loc: op.locRef, ...this.#b.options });
    for (const [i, region] of [thenRegion, elseRegion].entries()) {
      if (region.empty) continue;
      const copy = made.op.regions[i]!.firstBlock!;
      if (copy.lastOp) rw.erase(copy.lastOp);
      rw.preserving(() => {
        rw.setEnd(copy);
        this.copyAll(region.firstBlock!.ops());
        if (kept.length === op.numResults) return;
        const all = copy.lastOp!;
        rw.setBefore(all);
        this.#b.create(YieldOp, { results: kept.map((k) => all.operand(k)) }, { loc: all.locRef });
        rw.erase(all);
      });
    }
    kept.forEach((i, k) => {
      this.#mapping.map(op.result(i), made.op.result(k));
    });
  }
  /** Whether the task computes a value; one that a loop carries when it computes the first one. */
  #isComputed(value: Value, user: Operation): boolean {
    const init = value.definingOp ? value : ForOp.match(value.argOwner!.parentOp)?.initArgs[value.index - 1];
    if (!init?.definingOp) refuse(user, "a branch yields a value that no op of the kernel computes");
    return this.#mine(init.definingOp);
  }
}

/** The numbers of the values carried by a loop that a task uses. */
function collectBlockArgsForTask(loop: ForView, task: number): number[] {
  const used = new Set<number>();
  const initOf = ({ initArgs }: ForView, arg: Value): Value => initArgs[arg.index - 1]!;
  const visit = (within: ForView, value: Value, carried: number): void => {
    const isArg = value.definingOp === undefined;
    for (const user of value.users()) {
      if (!hasAsyncTaskId(user, task)) continue;
      const inner = ForOp.match(user);
      if (YieldOp.is(user) || inner) {
        // Control flow that tasks share uses nothing itself; but branches and inner loops may hand on what the task begins with.
        if (!isArg || (!inner && !IfOp.is(user.parentOp))) continue;
        const def = initOf(within, value).definingOp;
        if (def && hasAsyncTaskId(def, task)) {
          used.add(carried);
          return;
        }
        if (def) continue;
        if (!inner) refuse(user, "a branch yields a value that no op of the kernel computes");
        const at = inner.initArgs.indexOf(value);
        if (at >= 0) visit(inner, inner.region.firstBlock!.args[at + 1]!, carried);
        continue;
      }
      if (user.regions.length === 0) {
        used.add(carried);
        return;
      }
    }
  };
  loop.region.firstBlock!.args.slice(1).forEach((arg, i) => {
    visit(loop, arg, i);
  });
  loop.op.results.forEach((result, i) => {
    visit(loop, result, i);
  });
  return [...used].sort((a, b) => a - b);
}
