/**
 * Analyses that know one thing of each value and pass it back from results to operands, against control flow and calls.
 * Source: mlir/lib/Analysis/DataFlow/SparseAnalysis.cpp, AbstractSparseBackwardDataFlowAnalysis.
 */
import { BranchOp, type BranchPoint, CallableOp, CallOp, RegionBranch, RegionBranchTerminator } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { forwardedOperands, successorInputs } from "../../ir/region-branch.js";
import { ReturnLike } from "../../ir/traits.js";
import type { OpOperand, Value } from "../../ir/value.js";
import type { DeadCodeAnalysis } from "./dead-code.js";
import {
  callableRegion,
  type DataFlowAnalysis,
  type DataFlowSolver,
  type Fact,
  FactTable,
  type ProgramPoint,
  pointAfter,
} from "./solver.js";

/** The definition of a sparse backward analysis. */
export interface SparseBackwardSpec<T> {
  readonly name: string;
  /** The state of a value before anything is known. */
  readonly initial: T;
  /** The state of a value that leaves the code that is seen: nothing can be known of it. */
  exit(value: Value): T;
  /** The state when both states hold; `a` itself when `b` adds nothing. */
  meet(a: T, b: T, value: Value): T;
  /** Meets what follows for the operands of an op into them, with `self.meet`. */
  visitOperation(op: Operation, results: readonly T[], self: SparseBackwardAnalysis<T>): void;
  /** An operand of a branch or region op that is not handed on: a condition, a bound. */
  visitBranchOperand(operand: OpOperand, self: SparseBackwardAnalysis<T>): void;
  /** An operand of a call that is no argument. */
  visitCallOperand?(operand: OpOperand, self: SparseBackwardAnalysis<T>): void;
  /** A call to a function without body; by default its operands leave the code that is seen. */
  visitExternalCall?(call: Operation, results: readonly T[], self: SparseBackwardAnalysis<T>): void;
}

/** An analysis of values whose facts go from results to operands. */
export class SparseBackwardAnalysis<T> implements DataFlowAnalysis {
  readonly name: string;
  readonly #values: FactTable<Value, T>;
  #solver!: DataFlowSolver;
  constructor(
    readonly spec: SparseBackwardSpec<T>,
    readonly code: DeadCodeAnalysis,
  ) {
    this.name = spec.name;
    this.#values = new FactTable<Value, T>(
      () => spec.initial,
      () => [],
    );
  }

  /** The state of a value. */
  get(value: Value): T {
    return this.#values.lookup(value)?.value ?? this.spec.initial;
  }
  fact(value: Value): Fact<T> {
    return this.#values.get(value);
  }
  /** Adds to what is known of a value. */
  meet(value: Value, what: T): void {
    const fact = this.#values.get(value);
    this.#solver.update(fact, this.spec.meet(fact.value, what, value));
  }
  setToExit(values: readonly Value[]): void {
    for (const value of values) this.meet(value, this.spec.exit(value));
  }

  initialize(top: Operation, solver: DataFlowSolver): void {
    this.#solver = solver;
    this.initializeIn(top);
  }
  private initializeIn(op: Operation): void {
    this.visitOperation(op);
    for (const region of op.regions)
      for (const block of region.blocks()) {
        this.code.live(block).subscribe(this);
        for (const nested of block.opsReversed()) this.initializeIn(nested);
      }
  }
  visit(point: ProgramPoint): void {
    if (point.isOperation) this.visitOperation(point as Operation);
  }

  private visitOperation(op: Operation): void {
    if (op.block && !this.code.isLive(op.block)) return;
    const point = pointAfter(op);
    const { def } = op;
    if (def.interface(RegionBranch)) return this.visitRegionBranch(op);
    const branch = def.interface(BranchOp);
    if (branch) {
      const rest = new Set(op.operandUses);
      op.successors.forEach(({ block }, i) => {
        const { start, size } = branch.successorOperandRange(op, i);
        for (let k = 0; k < size; k++) this.hand(op.operandUses[start + k]!, block.args[block.args.length - size + k]!, point, rest);
      });
      for (const operand of rest) this.spec.visitBranchOperand(operand, this);
      return;
    }
    if (def.interface(CallOp)) {
      const callee = this.#solver.resolveCallable(op);
      if (callee) return this.visitCall(op, callee);
    }
    const parent = op.parentOp;
    if (parent && def.interface(RegionBranchTerminator) && parent.def.interface(RegionBranch))
      return this.visitRegionTerminator(op, parent);
    if (parent && def.traits.has(ReturnLike)) {
      if (parent.def.interface(RegionBranch)) return this.visitRegionTerminator(op, parent);
      if (parent.def.interface(CallableOp)) return this.visitReturn(op, parent);
    }
    this.spec.visitOperation(
      op,
      op.results.map((result) => this.read(result, point)),
      this,
    );
  }

  private visitRegionBranch(op: Operation): void {
    const branch = op.def.interface(RegionBranch)!;
    const rest = new Set(op.operandUses);
    const unknown = op.operandUses.map(() => undefined);
    for (const to of branch.successors(op, "parent", unknown))
      this.handAll(operandsOf(op, branch.entryOperands(op, to)), op, to, pointAfter(op), rest);
    for (const operand of rest) this.spec.visitBranchOperand(operand, this);
  }
  private visitRegionTerminator(op: Operation, parent: Operation): void {
    const rest = new Set(op.operandUses);
    const unknown = op.operandUses.map(() => undefined);
    const own = op.def.interface(RegionBranchTerminator)?.successors?.(op, unknown);
    for (const to of own ?? parent.def.interface(RegionBranch)!.successors(parent, op.region!))
      this.handAll(forwardedOperands(op, to) ?? [], parent, to, pointAfter(op), rest);
    for (const operand of rest) this.spec.visitBranchOperand(operand, this);
  }
  private visitCall(call: Operation, callee: Operation): void {
    const point = pointAfter(call);
    const region = callableRegion(callee);
    if (!region || !this.#solver.interprocedural) {
      const results = call.results.map((result) => this.read(result, point));
      if (this.spec.visitExternalCall) this.spec.visitExternalCall(call, results, this);
      else this.setToExit(call.operands);
      return;
    }
    const rest = new Set(call.operandUses);
    const args = operandsOf(call, call.def.interface(CallOp)!.argOperands(call));
    args.forEach((operand, i) => this.hand(operand, region.firstBlock!.args[i]!, point, rest));
    for (const operand of rest) this.spec.visitCallOperand?.(operand, this);
  }
  private visitReturn(op: Operation, callable: Operation): void {
    const callers = this.code.predecessors(pointAfter(callable)).dependOn(pointAfter(op), this).value;
    if (!callers.allKnown) return this.setToExit(op.operands);
    for (const call of callers.known) op.operands.forEach((operand, i) => this.meet(operand, this.read(call.result(i), pointAfter(op))));
  }

  private handAll(operands: readonly OpOperand[], branch: Operation, to: BranchPoint, at: ProgramPoint, rest: Set<OpOperand>): void {
    const inputs = successorInputs(branch, to);
    operands.forEach((operand, i) => {
      const input = inputs[i];
      if (input) this.hand(operand, input, at, rest);
    });
  }
  private hand(operand: OpOperand, to: Value, at: ProgramPoint, rest: Set<OpOperand>): void {
    rest.delete(operand);
    this.meet(operand.value, this.read(to, at));
  }
  private read(value: Value, at: ProgramPoint): T {
    return this.#values.get(value).dependOn(at, this).value;
  }
}

/** The operands of an op that hold these values in this order: the last such run. */
function operandsOf(op: Operation, values: readonly Value[]): readonly OpOperand[] {
  const uses = op.operandUses;
  for (let start = uses.length - values.length; start >= 0; start--)
    if (values.every((value, i) => uses[start + i]!.value === value)) return uses.slice(start, start + values.length);
  return [];
}
