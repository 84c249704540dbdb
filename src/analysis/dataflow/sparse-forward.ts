/**
 * Analyses that know one thing of each value and pass it on from operands to results, along control flow and calls.
 * Source: mlir/lib/Analysis/DataFlow/SparseAnalysis.cpp, AbstractSparseForwardDataFlowAnalysis.
 */
import type { Block } from "../../ir/block.js";
import { BranchOp, CallableOp, CallOp, RegionBranch } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { forwardedOperands } from "../../ir/region-branch.js";
import type { Value } from "../../ir/value.js";
import type { DeadCodeAnalysis } from "./dead-code.js";
import {
  blockStart,
  callableRegion,
  type DataFlowAnalysis,
  type DataFlowSolver,
  type Fact,
  FactTable,
  type ProgramPoint,
  pointAfter,
} from "./solver.js";

/** The definition of a sparse forward analysis; undefined means "nothing known yet". */
export interface SparseForwardSpec<T> {
  readonly name: string;
  /** The state of a value about which nothing can be known; undefined for a value that the analysis does not ask about. */
  entry(value: Value): T | undefined;
  /** The state when either of two states may hold; `a` itself when `b` adds nothing. */
  join(a: T, b: T, value: Value): T;
  /** Joins what follows for the results of an op (which has no region control flow) into them, with `self.join`. */
  visitOperation(op: Operation, operands: readonly (T | undefined)[], self: SparseForwardAnalysis<T>): void;
  /**
   * Says what holds of the values of a region op that control flow does not set (a loop's induction variable):
   * `values` without those from `first` to `first + count`. By default nothing can be known of them.
   */
  visitOtherArguments?(op: Operation, values: readonly Value[], first: number, count: number, self: SparseForwardAnalysis<T>): void;
  /** Called before values are joined that the control flow of a region op sets: `values` are all arguments of a region, or the results. */
  beforeHandOver?(op: Operation, values: readonly Value[], self: SparseForwardAnalysis<T>): void;
  /** Joins the state of `from` into `to`, which receives it by the control flow of a region op; by default with `self.join`. */
  handOver?(op: Operation, from: Value, to: Value, state: T | undefined, self: SparseForwardAnalysis<T>): void;
  /** Called after the state of a value changed. */
  changed?(value: Value, state: T): void;
  /** Joins what follows for the results of a call to a function without body; by default nothing can be known. */
  visitExternalCall?(call: Operation, operands: readonly (T | undefined)[], self: SparseForwardAnalysis<T>): void;
}

/** An analysis of values whose facts go from operands to results. */
export class SparseForwardAnalysis<T> implements DataFlowAnalysis {
  readonly name: string;
  /** When a value changes, its users are visited again. */
  readonly #values = new FactTable<Value, T | undefined>(
    () => undefined,
    (value) => value.users().map(pointAfter),
  );
  #solver!: DataFlowSolver;
  constructor(
    readonly spec: SparseForwardSpec<T>,
    readonly code: DeadCodeAnalysis,
  ) {
    this.name = spec.name;
  }

  /** The state of a value. */
  get(value: Value): T | undefined {
    return this.#values.lookup(value)?.value;
  }
  fact(value: Value): Fact<T | undefined> {
    return this.#values.get(value);
  }
  /** Adds to what is known of a value; returns whether that changed it. */
  join(value: Value, what: T | undefined): boolean {
    if (what === undefined) return false;
    const fact = this.#values.get(value);
    const before = fact.value;
    this.#solver.update(fact, before === undefined ? what : this.spec.join(before, what, value));
    if (fact.value === before) return false;
    this.spec.changed?.(value, fact.value!);
    return true;
  }
  setToEntry(values: readonly Value[]): void {
    for (const value of values) this.join(value, this.spec.entry(value));
  }

  initialize(top: Operation, solver: DataFlowSolver): void {
    this.#solver = solver;
    for (const region of top.regions) if (region.firstBlock) this.setToEntry(region.firstBlock.args);
    this.initializeIn(top);
  }
  private initializeIn(op: Operation): void {
    this.visitOperation(op);
    for (const region of op.regions)
      for (const block of region.blocks()) {
        this.code.live(block).subscribe(this);
        this.visitBlock(block);
        for (const nested of block.ops()) this.initializeIn(nested);
      }
  }
  visit(point: ProgramPoint): void {
    if (point.isOperation) this.visitOperation(point as Operation);
    else this.visitBlock(point as Block);
  }

  private visitOperation(op: Operation): void {
    if (op.results.length === 0 || (op.block && !this.code.isLive(op.block))) return;
    const branch = op.def.interface(RegionBranch);
    if (branch) return this.visitRegionSuccessors(pointAfter(op), op, "parent", op.results);
    const operands = op.operandUses.map(({ value }) => {
      const fact = this.#values.get(value);
      fact.subscribe(this);
      return fact.value;
    });
    if (op.def.interface(CallOp)) this.visitCall(op, operands);
    else this.spec.visitOperation(op, operands, this);
  }

  private visitBlock(block: Block): void {
    const { args } = block;
    if (args.length === 0 || !this.code.isLive(block)) return;
    const region = block.region!;
    const parent = region.parentOp!;
    const point = blockStart(block);
    if (region.firstBlock === block) {
      if (parent.def.interface(CallableOp)?.region(parent) === region) return this.visitCallable(parent, block);
      if (parent.def.interface(RegionBranch)) return this.visitRegionSuccessors(point, parent, region, args);
      return this.visitOther(parent, args, 0, 0);
    }
    for (let use = block.firstUse; use; use = use.nextUse) {
      const from = use.owner.block;
      if (!from) continue;
      const edge = this.code.edge(from, block);
      edge.subscribe(this);
      if (!edge.value) continue;
      const branch = use.owner.def.interface(BranchOp);
      if (!branch) return this.setToEntry(args);
      const { start, size } = branch.successorOperandRange(use.owner, use.index);
      // The arguments that the terminator produces itself come first, and are unknown.
      const produced = args.length - size;
      args.forEach((arg, i) => {
        if (i < produced) this.setToEntry([arg]);
        else this.join(arg, this.read(use.owner.operand(start + i - produced), point));
      });
    }
  }

  private visitCall(call: Operation, operands: readonly (T | undefined)[]): void {
    const callee = this.#solver.resolveCallable(call);
    if (!this.#solver.interprocedural || (callee && !callableRegion(callee))) {
      if (this.spec.visitExternalCall) this.spec.visitExternalCall(call, operands, this);
      else this.setToEntry(call.results);
      return;
    }
    const point = pointAfter(call);
    const returns = this.code.predecessors(point).dependOn(point, this).value;
    if (!returns.allKnown) return this.setToEntry(call.results);
    for (const op of returns.known) call.results.forEach((result, i) => this.join(result, this.read(op.operand(i), point)));
  }
  private visitCallable(callable: Operation, entry: Block): void {
    const point = blockStart(entry);
    const callers = this.code.predecessors(pointAfter(callable)).dependOn(point, this).value;
    if (!callers.allKnown || !this.#solver.interprocedural) return this.setToEntry(entry.args);
    for (const call of callers.known) {
      const args = call.def.interface(CallOp)!.argOperands(call);
      entry.args.forEach((arg, i) => this.join(arg, this.read(args[i]!, point)));
    }
  }

  private visitRegionSuccessors(point: ProgramPoint, op: Operation, to: Region | "parent", values: readonly Value[]): void {
    const { handOver } = this.spec;
    this.spec.beforeHandOver?.(op, values, this);
    const from = this.code.predecessors(point).dependOn(point, this).value;
    for (const predecessor of from.known) {
      const operands =
        predecessor === op
          ? op.def.interface(RegionBranch)!.entryOperands(op, to)
          : forwardedOperands(predecessor, to)?.map((use) => use.value);
      if (!operands) return this.setToEntry(values);
      const inputs = from.inputs.get(predecessor) ?? [];
      const first = inputs.length > 0 ? inputs[0]!.index : 0;
      if (inputs.length !== values.length) this.visitOther(op, values, first, inputs.length);
      operands.forEach((operand, i) => {
        if (i >= inputs.length) return;
        const to = values[first + i]!;
        if (handOver) handOver(op, operand, to, this.read(operand, point), this);
        else this.join(to, this.read(operand, point));
      });
    }
  }
  private visitOther(op: Operation, values: readonly Value[], first: number, count: number): void {
    if (this.spec.visitOtherArguments) this.spec.visitOtherArguments(op, values, first, count, this);
    else this.setToEntry(values.filter((_, i) => i < first || i >= first + count));
  }
  private read(value: Value, at: ProgramPoint): T | undefined {
    return this.#values.get(value).dependOn(at, this).value;
  }
}
