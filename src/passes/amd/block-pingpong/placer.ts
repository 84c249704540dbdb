import { getBackwardSlice } from "../../../analysis/slices.js";
import { BarrierOp } from "../../../dialects/gpu/ops/barrier.js";
import { SBarrierOp, SchedBarrierOp, SetPrioOp } from "../../../dialects/rocdl/ops/synchronization.js";
import type { CreateArgs, TypedOpDef } from "../../../ir/define-op.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Priority of the wave that must not be interrupted; others have 0. */
const HIGH = 1;

/** Builds a loop's body in a new order: each op goes after the last one, which `at` gives first. */
export class Placer {
  constructor(
    readonly rw: Rewriter,
    readonly loc: LocationRef,
    public last: Operation,
  ) {}

  at(op: Operation): this {
    this.last = op;
    return this;
  }
  move(...ops: readonly Operation[]): this {
    for (const op of ops) {
      if (op !== this.last) this.rw.moveAfter(op, this.last);
      this.last = op;
    }
    return this;
  }
  add<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>): this {
    return this.at(this.rw.setAfter(this.last).create(def, args, { loc: this.loc }).op);
  }
  addBefore<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>): this {
    this.rw.setBefore(this.last).create(def, args, { loc: this.loc });
    return this;
  }
  /** LLVM moves no instruction across it, or with `mask` 1 only those that access no memory. */
  schedBarrier(mask = 0): this {
    return this.add(SchedBarrierOp, { mask });
  }
  sBarrier(): this {
    return this.add(SBarrierOp, {});
  }
  priority(priority: number): this {
    return this.add(SetPrioOp, { priority });
  }
  moveWithPriority(op: Operation): this {
    return this.priority(HIGH).move(op).priority(0);
  }
  /** All waves meet: half of them are at the end of a dot cluster, the others at the end of a memory cluster. */
  clusterBarrier(): this {
    return this.add(BarrierOp, {}).schedBarrier();
  }
  /** The same at the end of the loop's body. */
  clusterBarrierAtEnd(): this {
    return this.at(this.last.block!.lastOp!).addBefore(BarrierOp, {}).addBefore(SchedBarrierOp, { mask: 0 });
  }
  /** Moves an op here, with the ops that it needs and that are further down; not where a user would come before it. */
  moveWithNeeds(op: Operation): this {
    const { last } = this;
    const isHere = (other: Operation): boolean => other.block === last.block;
    if (last.isBeforeInBlock(op)) {
      const filter = (other: Operation): boolean => isHere(other) && last.isBeforeInBlock(other);
      return this.move(...getBackwardSlice(op, { omitBlockArguments: true, filter }), op);
    }
    const isNeededBefore = op.results.some((result) =>
      result.users().some((user) => user !== last && isHere(user) && user.isBeforeInBlock(last)),
    );
    return isNeededBefore ? this : this.move(op);
  }
}
