/** Which warp groups (tasks) do an op: its `async_task_id`. Source: WarpSpecialization/Utility.cpp. */
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { CreateOptions } from "../../../ir/builder.js";
import { i32ArrayAttr, intsOf } from "../../../ir/builtin-attrs.js";
import type { CreateArgs, TypedOpDef, ViewOf } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

export const ASYNC_TASK_ID = "async_task_id";
export type TaskIds = readonly number[];

const ascending = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);

/** The tasks of an op; repetitions next to each other are left out. */
export function getAsyncTaskIds(op: Operation): number[] {
  return (intsOf(op.attr(ASYNC_TASK_ID)) ?? []).filter((id, i, ids) => i === 0 || ids[i - 1] !== id);
}
export const hasAsyncTaskId = (op: Operation, id: number): boolean => getAsyncTaskIds(op).includes(id);

export function setAsyncTaskIds(op: Operation, ids: TaskIds): void {
  op.setAttr(ASYNC_TASK_ID, i32ArrayAttr(op.ctx, ascending(ids)));
}
export function addAsyncTaskIds(op: Operation, ids: TaskIds): void {
  const known = getAsyncTaskIds(op);
  const all = [...known, ...ids.filter((id) => !known.includes(id))];
  if (all.length > 0) setAsyncTaskIds(op, all);
}
/** The ops around an op are done by its tasks too. */
export function labelParentOps(op: Operation): void {
  const ids = getAsyncTaskIds(op);
  for (let parent = op.parentOp; parent && !FuncOp.is(parent); parent = parent.parentOp) addAsyncTaskIds(parent, ids);
}
/** The tasks of an op and of all that is nested in it, in ascending order. */
export function getNestedAsyncTaskIds(root: Operation): number[] {
  const ids = new Set<number>();
  root.walk((op) => {
    for (const id of getAsyncTaskIds(op)) ids.add(id);
  });
  return ascending(ids);
}
export const sameTasks = (a: Operation, b: Operation): boolean => getAsyncTaskIds(a).join() === getAsyncTaskIds(b).join();

/** Makes ops that belong to tasks. */
export class TaskBuilder {
  #attrs: readonly (readonly [string, Attribute])[] = [];
  constructor(readonly rw: Rewriter) {}

  /** Assigns the ops created from here on to these tasks; to no task when there are none. */
  inTasks(ids: TaskIds): this {
    this.#attrs = ids.length === 0 ? [] : [[ASYNC_TASK_ID, i32ArrayAttr(this.rw.ctx, ascending(ids))]];
    return this;
  }
  inTasksOf(op: Operation): this {
    return this.inTasks(getAsyncTaskIds(op));
  }
  get options(): Pick<CreateOptions, "extraAttrs"> {
    return { extraAttrs: this.#attrs };
  }
  create<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options: CreateOptions): ViewOf<O, A, R, G, S> {
    return this.rw.create(def, args, { ...options, ...this.options });
  }
  value<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options: CreateOptions): Value {
    return this.rw.value(def, args, { ...options, ...this.options });
  }
}
