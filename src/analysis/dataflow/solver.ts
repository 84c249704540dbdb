/**
 * Runs dataflow analyses together until none has anything left to change. An analysis keeps facts about values or places
 * in the program; whoever read a fact is run again at its place when the fact changes.
 * Source: mlir/lib/Analysis/DataFlowFramework.cpp.
 */
import type { Block } from "../../ir/block.js";
import { CallableOp, CallOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { nearestSymbolTable, symbolsOf } from "../../ir/symbol-table.js";

/** A place between ops: right after an op, or the start of a block. */
export type ProgramPoint = Operation | Block;
/** The point right after an op. */
export const pointAfter = (op: Operation): ProgramPoint => op;
export const pointBefore = (op: Operation): ProgramPoint => op.prev ?? op.block!;
/** The point before the first op of a block. */
export const blockStart = (block: Block): ProgramPoint => block;
export const blockEnd = (block: Block): ProgramPoint => block.lastOp ?? block;

export interface DataFlowAnalysis {
  readonly name: string;
  /** Visits everything in `top` once. */
  initialize(top: Operation, solver: DataFlowSolver): void;
  /** Computes anew what holds at a place. */
  visit(point: ProgramPoint, solver: DataFlowSolver): void;
}

const NOBODY: readonly DataFlowAnalysis[] = [];
/** Something an analysis found out, with those to tell when it changes. */
export class Fact<T> {
  /** The places that were computed from this fact. */
  dependents: Map<ProgramPoint, Set<DataFlowAnalysis>> | undefined;
  /** Analyses to tell of all changes, at the places that follow from what the fact is about. */
  subscribers = NOBODY;
  constructor(
    public value: T,
    readonly about: object,
    /** The places to visit for a subscriber. */
    readonly affects: (about: never) => Iterable<ProgramPoint>,
  ) {}

  dependOn(point: ProgramPoint, analysis: DataFlowAnalysis): this {
    const known = this.dependents?.get(point);
    if (known) known.add(analysis);
    else (this.dependents ??= new Map()).set(point, new Set([analysis]));
    return this;
  }
  subscribe(analysis: DataFlowAnalysis): void {
    if (!this.subscribers.includes(analysis)) this.subscribers = [...this.subscribers, analysis];
  }
}

/** Facts of one kind by what they are about. */
export class FactTable<K extends object, T> {
  readonly #facts = new Map<K, Fact<T>>();
  constructor(
    readonly initial: () => T,
    readonly affects: (about: K) => Iterable<ProgramPoint>,
  ) {}
  get(about: K): Fact<T> {
    let fact = this.#facts.get(about);
    if (!fact) this.#facts.set(about, (fact = new Fact(this.initial(), about, this.affects)));
    return fact;
  }
  lookup(about: K): Fact<T> | undefined {
    return this.#facts.get(about);
  }
}

export interface SolverOptions {
  /** Follow calls into functions; on by default. */
  readonly interprocedural?: boolean;
}

/** Runs analyses until none of their facts changes. Source: mlir/lib/Analysis/DataFlowFramework.cpp. */
export class DataFlowSolver {
  readonly interprocedural: boolean;
  readonly #queue: { readonly point: ProgramPoint; readonly analysis: DataFlowAnalysis }[] = [];
  readonly #queued = new Map<DataFlowAnalysis, Set<ProgramPoint>>();
  readonly #symbols = new Map<Operation, Map<string, Operation>>();

  constructor(options: SolverOptions = {}) {
    this.interprocedural = options.interprocedural ?? true;
  }

  /** Runs the analyses on `top` to a fixed point. */
  run(top: Operation, analyses: readonly DataFlowAnalysis[]): void {
    for (const analysis of analyses) analysis.initialize(top, this);
    for (let next = 0; next < this.#queue.length; next++) {
      const { point, analysis } = this.#queue[next]!;
      this.#queued.get(analysis)!.delete(point);
      analysis.visit(point, this);
      // Forget what was done, now and then.
      if (next > 4096 && next * 2 > this.#queue.length) {
        this.#queue.splice(0, next + 1);
        next = -1;
      }
    }
    this.#queue.length = 0;
  }

  enqueue(point: ProgramPoint, analysis: DataFlowAnalysis): void {
    let points = this.#queued.get(analysis);
    if (!points) this.#queued.set(analysis, (points = new Set()));
    if (points.has(point)) return;
    points.add(point);
    this.#queue.push({ point, analysis });
  }

  /** Enqueues the analyses that depend on a fact, after it changed. */
  propagate(fact: Fact<unknown>): void {
    if (fact.dependents) for (const [point, analyses] of fact.dependents) for (const analysis of analyses) this.enqueue(point, analysis);
    if (fact.subscribers.length === 0) return;
    for (const point of fact.affects(fact.about as never)) for (const analysis of fact.subscribers) this.enqueue(point, analysis);
  }
  /** Gives a fact another value, and propagates it if that is a change. */
  update<T>(fact: Fact<T>, value: T): void {
    if (fact.value === value) return;
    fact.value = value;
    this.propagate(fact as Fact<unknown>);
  }

  /** The function that a call goes to, if the module has it. */
  resolveCallable(call: Operation): Operation | undefined {
    const name = call.def.interface(CallOp)?.callee(call);
    if (name === undefined) return undefined;
    for (let table = nearestSymbolTable(call); table; table = table.parentOp ? nearestSymbolTable(table.parentOp) : undefined) {
      let symbols = this.#symbols.get(table);
      if (!symbols) this.#symbols.set(table, (symbols = symbolsOf(table)));
      const symbol = symbols.get(name);
      if (symbol) return symbol.def.interface(CallableOp) ? symbol : undefined;
    }
    return undefined;
  }
}

/** The body of a callable op, if it has one. */
export function callableRegion(op: Operation): Region | undefined {
  const region = op.def.interface(CallableOp)?.region(op);
  return region && !region.empty ? region : undefined;
}
