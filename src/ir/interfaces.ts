/**
 * Interfaces: behaviour that generic code asks of ops it does not know. An op lists implementations in its
 * definition (`interfaces: [implement(LoopLike, {...})]`); code asks `op.def.interface(LoopLike)`.
 */
import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import type { MemoryEffect } from "./define-op.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import { Pure, RecursivelySpeculatable, RecursiveMemoryEffects } from "./traits.js";
import type { OpOperand, Value } from "./value.js";

export interface Interface<I> {
  readonly name: string;
  /** Phantom. */
  readonly type?: I;
}
export interface InterfaceImpl {
  readonly key: Interface<unknown>;
  readonly impl: unknown;
}
/** An interface that ops or dialects implement with `implement`. */
export function defineInterface<I>(name: string): Interface<I> {
  return { name };
}
/** An implementation of an interface, for the `interfaces` of an op or a dialect. */
export function implement<I>(key: Interface<I>, impl: I): InterfaceImpl {
  return { key, impl };
}

/** Where control goes from or into: a region of the op, or the op itself (before it, after it). */
export type BranchPoint = "parent" | Region;
/** Source: mlir/include/mlir/Interfaces/ControlFlowInterfaces.td, RegionBranchOpInterface. */
export interface RegionBranch {
  /** Where control may go from there: regions of the op, or "parent". `constants` are the op's constant operands when known. */
  successors(op: Operation, from: BranchPoint, constants?: readonly (Attribute | undefined)[]): readonly BranchPoint[];
  /** The op's operands that are handed to a region (or to the results) on entry. */
  entryOperands(op: Operation, to: BranchPoint): readonly Value[];
  /** The values of `to` that receive what is handed over: region arguments or results. Default: all of them. */
  inputs?(op: Operation, to: BranchPoint): readonly Value[];
}
export const RegionBranch = defineInterface<RegionBranch>("RegionBranchOpInterface");

/** Terminators of RegionBranch regions: which of their operands are handed on. */
export interface RegionBranchTerminator {
  successorOperands(op: Operation, to: BranchPoint): readonly OpOperand[];
  /** Where this terminator may go, given its constant operands; default: what the parent says. */
  successors?(op: Operation, constants: readonly (Attribute | undefined)[]): readonly BranchPoint[];
}
export const RegionBranchTerminator = defineInterface<RegionBranchTerminator>("RegionBranchTerminatorOpInterface");

/** Terminators with successor blocks: the range of operands handed to successor `index`. */
export interface BranchOp {
  /** Start and size of the operands that become the arguments of successor `index`. */
  successorOperandRange(op: Operation, index: number): { start: number; size: number };
  /** The successor taken when the operands have these constant values. */
  successorForOperands?(op: Operation, constants: readonly (Attribute | undefined)[]): Block | undefined;
}
export const BranchOp = defineInterface<BranchOp>("BranchOpInterface");

/** Source: mlir/include/mlir/Interfaces/LoopLikeInterface.td. */
export interface LoopLike {
  readonly loopRegions: (op: Operation) => readonly Region[];
  readonly inits?: (op: Operation) => readonly Value[];
  readonly regionIterArgs?: (op: Operation) => readonly Value[];
  readonly yieldedValues?: (op: Operation) => readonly Value[];
  /** The results that correspond to the iter args, where there is one for each. */
  readonly loopResults?: (op: Operation) => readonly Value[];
  readonly inductionVars?: (op: Operation) => readonly Value[];
}
export const LoopLike = defineInterface<LoopLike>("LoopLikeOpInterface");

export interface CallOp {
  callee(op: Operation): string | undefined;
  argOperands(op: Operation): readonly Value[];
}
export const CallOp = defineInterface<CallOp>("CallOpInterface");
export interface CallableOp {
  /** The body, or undefined for a declaration. */
  region(op: Operation): Region | undefined;
  resultTypes(op: Operation): readonly Type[];
}
export const CallableOp = defineInterface<CallableOp>("CallableOpInterface");

/** Ops whose functions have argument and result attributes. */
export interface FunctionOp {
  type(op: Operation): { readonly inputs: readonly Type[]; readonly results: readonly Type[] };
}
export const FunctionOp = defineInterface<FunctionOp>("FunctionOpInterface");

/** Symbol uses are verified after the module's symbols are known. */
export interface SymbolUser {
  verifySymbolUses(op: Operation, lookup: (name: string) => Operation | undefined, report: import("./define-op.js").OpReport): void;
}
export const SymbolUser = defineInterface<SymbolUser>("SymbolUserOpInterface");

/** Whether an op may be executed although the program would not have: no traps, no undefined behaviour. */
export interface ConditionallySpeculatable {
  speculatable(op: Operation): "yes" | "no" | "recursive";
}
export const ConditionallySpeculatable = defineInterface<ConditionallySpeculatable>("ConditionallySpeculatable");

/** Integer ranges, for the ops that have a rule. Bounds are inclusive; see analysis. */
export interface InferIntRange {
  ranges(op: Operation, args: readonly unknown[]): readonly unknown[];
}
export const InferIntRange = defineInterface<InferIntRange>("InferIntRangeInterface");

/**
 * The memory effects of an op alone or, for ops that say so, of what is nested in it; undefined when unknown.
 * Source: mlir/lib/Interfaces/SideEffectInterfaces.cpp.
 */
export function memoryEffects(op: Operation): readonly MemoryEffect[] | undefined {
  const { def } = op;
  if (def.isPure) return [];
  let own: readonly MemoryEffect[] | undefined = def.effects?.(def.viewOf(op) as never);
  if (!def.traits.has(RecursiveMemoryEffects)) return own;
  const all: MemoryEffect[] = own ? [...own] : [];
  own = all;
  for (const region of op.regions)
    for (const block of region.blocks())
      for (const nested of block.ops()) {
        const effects = memoryEffects(nested);
        if (!effects) return undefined;
        for (const effect of effects) all.push(effect);
      }
  return own;
}
/** Whether the op (and what is nested in it) is known to touch no memory. */
export function isMemoryEffectFree(op: Operation): boolean {
  return memoryEffects(op)?.length === 0;
}
/** Whether the op can be hoisted past the condition that guards it. */
export function isSpeculatable(op: Operation): boolean {
  const { def } = op;
  const own =
    def.interface(ConditionallySpeculatable)?.speculatable(op) ??
    (def.traits.has(Pure) ? "yes" : def.traits.has(RecursivelySpeculatable) ? "recursive" : "no");
  if (own !== "recursive") return own === "yes";
  for (const region of op.regions)
    for (const block of region.blocks()) for (const nested of block.ops()) if (!isSpeculatable(nested)) return false;
  return true;
}
/** MLIR's isPure: free of memory effects and speculatable. */
export function isPureOp(op: Operation): boolean {
  return op.def.isPure || (isSpeculatable(op) && isMemoryEffectFree(op));
}
/** Whether an unused op can go: not a terminator, not a symbol, and its only effects are reads or of its own allocation. */
export function wouldOpBeTriviallyDead(op: Operation): boolean {
  if (op.def.isTerminator || op.hasAttr("sym_name")) return false;
  const effects = memoryEffects(op);
  if (!effects) return false;
  return effects.every(
    (e) =>
      e.kind === "read" ||
      (e.kind === "allocate" && e.value !== undefined && e.value.definingOp === op) ||
      (e.kind === "write" &&
        e.value !== undefined &&
        e.value.definingOp === op &&
        effects.some((a) => a.kind === "allocate" && a.value === e.value)),
  );
}
/** Whether an op can be erased: nothing uses it, and it has no effects that matter. */
export function isOpTriviallyDead(op: Operation): boolean {
  return !op.isUsed() && wouldOpBeTriviallyDead(op);
}
