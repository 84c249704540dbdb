/**
 * Analyses that know one thing of each place in the program, in the direction of control flow or against it.
 * Source: mlir/lib/Analysis/DataFlow/DenseAnalysis.cpp.
 */
import type { Block } from "../../ir/block.js";
import { type BranchPoint, CallableOp, CallOp, RegionBranch, RegionBranchTerminator } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { ReturnLike } from "../../ir/traits.js";
import type { DeadCodeAnalysis } from "./dead-code.js";
import {
  blockEnd,
  blockStart,
  callableRegion,
  type DataFlowAnalysis,
  type DataFlowSolver,
  type Fact,
  FactTable,
  type ProgramPoint,
  pointAfter,
  pointBefore,
} from "./solver.js";

/** The direction of control at a call: into the callee, back from it, or to code that is not visible. */
export type CallAction = "enter" | "exit" | "external";

/** The definition of a dense analysis. */
export interface DenseSpec<T> {
  readonly name: string;
  /** The state before anything is known. */
  readonly initial: T;
  /** The state at a point where control comes from (forward) or goes to (backward) code that is not seen. */
  boundary(point: ProgramPoint): T;
  /** The state when either of two states may hold; `a` itself when `b` adds nothing. */
  join(a: T, b: T): T;
  /** The state on the other side of an op. */
  transfer(op: Operation, state: T): T;
  /** The effect of a call on the state; by default none, and a call of a function that is not seen leads to the boundary. */
  transferCall?(call: Operation, action: CallAction, state: T): T;
  /** The effect on the state of passing from one region of an op to another; by default none. */
  transferRegion?(op: Operation, from: BranchPoint, to: BranchPoint, state: T): T;
}

class States<T> {
  readonly table: FactTable<ProgramPoint, T>;
  solver!: DataFlowSolver;
  constructor(
    readonly spec: DenseSpec<T>,
    readonly owner: DataFlowAnalysis,
  ) {
    this.table = new FactTable<ProgramPoint, T>(
      () => spec.initial,
      () => [],
    );
  }
  read(point: ProgramPoint, at: ProgramPoint): T {
    return this.table.get(point).dependOn(at, this.owner).value;
  }
  join(fact: Fact<T>, state: T): void {
    this.solver.update(fact, this.spec.join(fact.value, state));
  }
  call(call: Operation, action: CallAction, state: T, at: ProgramPoint): T {
    if (this.spec.transferCall) return this.spec.transferCall(call, action, state);
    return action === "external" ? this.spec.boundary(at) : state;
  }
  region(op: Operation, from: BranchPoint, to: BranchPoint, state: T): T {
    return this.spec.transferRegion ? this.spec.transferRegion(op, from, to, state) : state;
  }
}

/** The states by point, which both directions have. */
abstract class DenseAnalysis<T> implements DataFlowAnalysis {
  readonly name: string;
  protected readonly states: States<T>;
  constructor(
    readonly spec: DenseSpec<T>,
    readonly code: DeadCodeAnalysis,
  ) {
    this.name = spec.name;
    this.states = new States(spec, this);
  }
  before(op: Operation): T {
    return this.at(pointBefore(op));
  }
  after(op: Operation): T {
    return this.at(pointAfter(op));
  }
  at(point: ProgramPoint): T {
    return this.states.table.lookup(point)?.value ?? this.spec.initial;
  }

  initialize(top: Operation, solver: DataFlowSolver): void {
    this.states.solver = solver;
    this.initializeIn(top);
  }
  protected abstract initializeIn(op: Operation): void;
  abstract visit(point: ProgramPoint): void;
}

/** A dense analysis in the direction of control flow. */
export class DenseForwardAnalysis<T> extends DenseAnalysis<T> {
  protected initializeIn(op: Operation): void {
    if (op.block) this.operation(op);
    for (const region of op.regions)
      for (const block of region.blocks()) {
        this.block(block);
        for (const nested of block.ops()) this.initializeIn(nested);
      }
  }
  visit(point: ProgramPoint): void {
    if (point.isOperation) this.operation(point as Operation);
    else this.block(point as Block);
  }

  private operation(op: Operation): void {
    const states = this.states;
    const point = pointAfter(op);
    if (!this.code.live(op.block!).dependOn(point, this).value) return;
    const after = states.table.get(point);
    const before = states.read(pointBefore(op), point);
    if (op.def.interface(RegionBranch)) return this.fromRegions(op, "parent", after, point);
    if (op.def.interface(CallOp)) return this.call(op, before, after, point);
    states.join(after, this.spec.transfer(op, before));
  }
  private block(block: Block): void {
    const states = this.states;
    const point = blockStart(block);
    if (!this.code.live(block).dependOn(point, this).value) return;
    const state = states.table.get(point);
    const region = block.region!;
    const parent = region.parentOp!;
    if (region.firstBlock === block) {
      if (parent.def.interface(CallableOp)?.region(parent) === region) {
        const callers = this.code.predecessors(pointAfter(parent)).dependOn(point, this).value;
        if (!callers.allKnown || !states.solver.interprocedural) return states.join(state, this.spec.boundary(point));
        for (const call of callers.known) states.join(state, states.call(call, "enter", states.read(pointBefore(call), point), point));
        return;
      }
      if (parent.def.interface(RegionBranch)) return this.fromRegions(parent, region, state, point);
      return states.join(state, this.spec.boundary(point));
    }
    for (let use = block.firstUse; use; use = use.nextUse) {
      const from = use.owner.block;
      if (from && this.code.edge(from, block).dependOn(point, this).value) states.join(state, states.read(pointAfter(use.owner), point));
    }
  }
  private fromRegions(op: Operation, to: BranchPoint, state: Fact<T>, point: ProgramPoint): void {
    const states = this.states;
    for (const from of this.code.predecessors(point).dependOn(point, this).value.known) {
      const before = states.read(from === op ? pointBefore(op) : pointAfter(from), point);
      states.join(state, states.region(op, from === op ? "parent" : from.region!, to, before));
    }
  }
  private call(op: Operation, before: T, after: Fact<T>, point: ProgramPoint): void {
    const states = this.states;
    const callee = states.solver.resolveCallable(op);
    if (!states.solver.interprocedural || (callee && !callableRegion(callee)))
      return states.join(after, states.call(op, "external", before, point));
    const returns = this.code.predecessors(point).dependOn(point, this).value;
    if (!returns.allKnown) return states.join(after, this.spec.boundary(point));
    for (const from of returns.known) states.join(after, states.call(op, "exit", states.read(pointAfter(from), point), point));
  }
}

/** A dense analysis against the direction of control flow. */
export class DenseBackwardAnalysis<T> extends DenseAnalysis<T> {
  protected initializeIn(op: Operation): void {
    if (op.block) this.operation(op);
    for (const region of op.regions)
      for (const block of region.blocks()) {
        this.blockEnd(block);
        for (const nested of block.opsReversed()) this.initializeIn(nested);
      }
  }
  /** A place is computed from what follows it: the op after it, or the end of the block. */
  visit(point: ProgramPoint): void {
    if (point.isOperation) {
      const op = point as Operation;
      if (op.next) this.operation(op.next);
      else if (op.block) this.blockEnd(op.block);
    } else {
      const block = point as Block;
      if (block.firstOp) this.operation(block.firstOp);
      else this.blockEnd(block);
    }
  }

  private operation(op: Operation): void {
    const states = this.states;
    const point = pointBefore(op);
    if (!this.code.live(op.block!).dependOn(point, this).value) return;
    const before = states.table.get(point);
    const after = states.read(pointAfter(op), point);
    if (op.def.interface(RegionBranch)) return this.toRegions(op, "parent", before, point);
    if (op.def.interface(CallOp)) return this.call(op, after, before, point);
    states.join(before, this.spec.transfer(op, after));
  }
  private blockEnd(block: Block): void {
    const states = this.states;
    const point = blockEnd(block);
    if (!this.code.live(block).dependOn(point, this).value) return;
    const state = states.table.get(point);
    const region = block.region!;
    const parent = region.parentOp!;
    if (isExit(block)) {
      if (parent.def.interface(CallableOp)?.region(parent) === region) {
        const callers = this.code.predecessors(pointAfter(parent)).dependOn(point, this).value;
        if (!callers.allKnown || !states.solver.interprocedural) return states.join(state, this.spec.boundary(point));
        for (const call of callers.known) states.join(state, states.call(call, "exit", states.read(pointAfter(call), point), point));
        return;
      }
      if (parent.def.interface(RegionBranch)) return this.toRegions(parent, region, state, point);
      return states.join(state, this.spec.boundary(point));
    }
    for (const to of block.successors())
      if (this.code.edge(block, to).dependOn(point, this).value) states.join(state, states.read(blockStart(to), point));
  }
  private toRegions(op: Operation, from: BranchPoint, state: Fact<T>, point: ProgramPoint): void {
    const states = this.states;
    for (const to of op.def.interface(RegionBranch)!.successors(op, from)) {
      const entry = to === "parent" ? undefined : (to as Region).firstBlock;
      if (entry && !this.code.live(entry).dependOn(point, this).value) continue;
      const after = states.read(entry ? blockStart(entry) : pointAfter(op), point);
      states.join(state, states.region(op, from, to, after));
    }
  }
  private call(op: Operation, after: T, before: Fact<T>, point: ProgramPoint): void {
    const states = this.states;
    const callee = states.solver.resolveCallable(op);
    const region = callee && callableRegion(callee);
    if (!states.solver.interprocedural || (callee && !region)) return states.join(before, states.call(op, "external", after, point));
    if (!region) return states.join(before, this.spec.boundary(point));
    states.join(before, states.call(op, "enter", states.read(blockStart(region.firstBlock!), point), point));
  }
}

/** Whether control leaves the region, or may, at the end of a block. */
function isExit(block: Block): boolean {
  const last = block.lastOp;
  if (!last || (!last.def.isTerminator && last.def.registered)) return true;
  return last.successors.length === 0 && (last.def.traits.has(ReturnLike) || last.def.interface(RegionBranchTerminator) !== undefined);
}
