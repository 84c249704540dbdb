/**
 * Which blocks can be reached, and from where control comes to each place, given the constants found so far: every
 * other analysis builds on it. Source: mlir/lib/Analysis/DataFlow/DeadCodeAnalysis.cpp.
 */
import type { Attribute } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { BranchOp, type BranchPoint, CallableOp, CallOp, RegionBranch, RegionBranchTerminator } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { successorInputs } from "../../ir/region-branch.js";
import { forEachSymbolUse, symbolName, symbolsOf, symbolVisibility } from "../../ir/symbol-table.js";
import { ReturnLike, SymbolTable } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
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

/** The value of a constant and the dialect to make it again; "unknown" when it is not always the same one. */
export type ConstantLattice = { readonly value: Attribute; readonly dialect: string } | "unknown";
/** Asks for the constant that a value is; undefined while nothing is known of it. */
export type ConstantQuery = (value: Value, reader: DataFlowAnalysis) => ConstantLattice | undefined;

/** The ops from which control comes to a place. */
export interface Predecessors {
  readonly known: Set<Operation>;
  /** Whether there are no others. */
  allKnown: boolean;
  /** The values that a predecessor sets: results or region arguments. */
  readonly inputs: Map<Operation, readonly Value[]>;
}

export class DeadCodeAnalysis implements DataFlowAnalysis {
  readonly name = "dead-code";
  /** Whether control can reach a place (blocks are known by their start, results of region ops by the place after it). */
  readonly #live = new FactTable<ProgramPoint, boolean>(
    () => false,
    (point) => ("isOperation" in point && point.isOperation ? [] : [point, ...(point as Block).ops()]),
  );
  /** Whether control can pass from one block to another. */
  readonly #edges = new Map<Block, FactTable<Block, boolean>>();
  readonly #predecessors = new FactTable<ProgramPoint, Predecessors>(
    () => ({ known: new Set(), allKnown: true, inputs: new Map() }),
    () => [],
  );
  #scope!: Operation;
  /** Set by the analysis that knows constants. Without one no condition is known, and no successor of a conditional branch is live. */
  constants: ConstantQuery = () => undefined;

  isLive(block: Block): boolean {
    return this.#live.lookup(blockStart(block))?.value ?? false;
  }
  live(block: Block): Fact<boolean> {
    return this.#live.get(blockStart(block));
  }
  edge(from: Block, to: Block): Fact<boolean> {
    let table = this.#edges.get(from);
    if (!table)
      this.#edges.set(
        from,
        (table = new FactTable<Block, boolean>(
          () => false,
          (block) => [blockStart(block)],
        )),
      );
    return table.get(to);
  }
  /** From where control comes to a block, to the place after an op with regions or a call, or into a function (at its op). */
  predecessors(point: ProgramPoint): Fact<Predecessors> {
    return this.#predecessors.get(point);
  }

  initialize(top: Operation, solver: DataFlowSolver): void {
    this.#scope = top;
    for (const region of top.regions) if (!region.empty) this.markLive(blockStart(region.firstBlock!), solver);
    this.initializeCallables(top, solver);
    this.initializeIn(top, solver);
  }

  /** Functions that can be called from outside, or are referred to other than by a call. */
  private initializeCallables(top: Operation, solver: DataFlowSolver): void {
    const tables: Operation[] = [];
    top.walk((op) => {
      if (op.def.traits.has(SymbolTable)) tables.push(op);
    });
    for (const table of tables) {
      const allUsesVisible = table.parentOp === null;
      const callables = new Set<Operation>();
      for (const block of table.regions[0]!.blocks())
        for (const op of block.ops()) {
          if (!callableRegion(op) || symbolName(op) === undefined) continue;
          callables.add(op);
          const visibility = symbolVisibility(op);
          if (visibility === "public" || (!allUsesVisible && visibility === "nested")) this.setUnknown(pointAfter(op), solver);
        }
      if (callables.size === 0) continue;
      const symbols = symbolsOf(table);
      forEachSymbolUse(table, (name, user) => {
        const symbol = symbols.get(name);
        if (symbol && callables.has(symbol) && !user.def.interface(CallOp)) this.setUnknown(pointAfter(symbol), solver);
      });
    }
  }

  private initializeIn(op: Operation, solver: DataFlowSolver): void {
    if (op.regions.length > 0 || op.successors.length > 0 || isReturn(op) || op.def.interface(CallOp)) {
      if (op.block) this.live(op.block).subscribe(this);
      this.visit(pointAfter(op), solver);
    }
    for (const region of op.regions)
      for (const block of region.blocks()) for (const nested of block.ops()) this.initializeIn(nested, solver);
  }

  visit(point: ProgramPoint, solver: DataFlowSolver): void {
    if (!point.isOperation) return;
    const op = point as Operation;
    if (op.block && !this.isLive(op.block)) return;
    if (op.def.interface(CallOp)) this.visitCall(op, solver);
    if (op.regions.length > 0) {
      if (op.def.interface(RegionBranch)) this.visitRegionBranch(op, solver);
      else if (op.def.interface(CallableOp)) {
        const callers = this.predecessors(pointAfter(op)).dependOn(pointAfter(op), this).value;
        if (!callers.allKnown || callers.known.size > 0) this.markEntriesLive(op, solver);
      } else this.markEntriesLive(op, solver);
    }
    if (isReturn(op)) {
      const parent = op.parentOp!;
      if (parent.def.interface(RegionBranch)) this.visitRegionTerminator(op, parent, solver);
      else if (parent.def.interface(CallableOp)) this.visitReturn(op, parent, solver);
    }
    if (op.successors.length > 0) this.visitBranch(op, solver);
  }

  private visitCall(call: Operation, solver: DataFlowSolver): void {
    const callee = solver.resolveCallable(call);
    if (callee && this.#scope.isAncestorOf(callee) && callableRegion(callee)) this.addPredecessor(pointAfter(callee), call, [], solver);
    // The returns of a callee that is not visible are unknown.
    else this.setUnknown(pointAfter(call), solver);
  }
  private visitRegionBranch(op: Operation, solver: DataFlowSolver): void {
    const constants = this.operandConstants(op);
    if (constants) this.visitEdges(op, op, op.def.interface(RegionBranch)!.successors(op, "parent", constants), solver);
  }
  private visitRegionTerminator(terminator: Operation, branch: Operation, solver: DataFlowSolver): void {
    const constants = this.operandConstants(terminator);
    if (!constants) return;
    const own = terminator.def.interface(RegionBranchTerminator)?.successors?.(terminator, constants);
    this.visitEdges(branch, terminator, own ?? branch.def.interface(RegionBranch)!.successors(branch, terminator.region!), solver);
  }
  private visitEdges(branch: Operation, from: Operation, successors: readonly BranchPoint[], solver: DataFlowSolver): void {
    for (const successor of successors) {
      const point = successor === "parent" ? pointAfter(branch) : successor.firstBlock ? blockStart(successor.firstBlock) : undefined;
      if (!point) continue;
      this.markLive(point, solver);
      this.addPredecessor(point, from, successorInputs(branch, successor), solver);
    }
  }
  private visitReturn(terminator: Operation, callable: Operation, solver: DataFlowSolver): void {
    const callers = this.predecessors(pointAfter(callable)).dependOn(pointAfter(terminator), this).value;
    for (const call of callers.known) {
      if (terminator.def.traits.has(ReturnLike)) this.addPredecessor(pointAfter(call), terminator, [], solver);
      else this.setUnknown(pointAfter(call), solver);
    }
  }
  private visitBranch(op: Operation, solver: DataFlowSolver): void {
    const branch = op.def.interface(BranchOp);
    let taken: Block | undefined;
    if (branch) {
      const constants = this.operandConstants(op);
      if (!constants) return;
      taken = branch.successorForOperands?.(op, constants);
    }
    for (const block of taken ? [taken] : op.successors.map((s) => s.block)) {
      this.markLive(blockStart(block), solver);
      solver.update(this.edge(op.block!, block), true);
    }
  }

  /** The constants among the operands; undefined while nothing is known of one. */
  private operandConstants(op: Operation): (Attribute | undefined)[] | undefined {
    const constants: (Attribute | undefined)[] = [];
    for (const { value } of op.operandUses) {
      const known = this.constants(value, this);
      if (known === undefined) return undefined;
      constants.push(known === "unknown" ? undefined : known.value);
    }
    return constants;
  }
  private markLive(point: ProgramPoint, solver: DataFlowSolver): void {
    solver.update(this.#live.get(point), true);
  }
  private markEntriesLive(op: Operation, solver: DataFlowSolver): void {
    for (const region of op.regions) if (!region.empty) this.markLive(blockStart(region.firstBlock!), solver);
  }
  private addPredecessor(point: ProgramPoint, op: Operation, inputs: readonly Value[], solver: DataFlowSolver): void {
    const fact = this.predecessors(point);
    if (fact.value.known.has(op)) return;
    fact.value.known.add(op);
    if (inputs.length > 0) fact.value.inputs.set(op, inputs);
    solver.propagate(fact as Fact<unknown>);
  }
  private setUnknown(point: ProgramPoint, solver: DataFlowSolver): void {
    const fact = this.predecessors(point);
    if (!fact.value.allKnown) return;
    fact.value.allKnown = false;
    solver.propagate(fact as Fact<unknown>);
  }
}

/** Whether an op hands control from a region back to the op around it. */
function isReturn(op: Operation): boolean {
  if (op.successors.length > 0 || !op.block || op.next) return false;
  return op.def.traits.has(ReturnLike) || op.def.interface(RegionBranchTerminator) !== undefined;
}
