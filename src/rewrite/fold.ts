/**
 * Folding: what an op's definition and its traits say it is equal to, and the constants made for it.
 * Source: mlir/lib/IR/Operation.cpp (foldCommutative and its like), mlir/include/mlir/IR/OpDefinition.h (foldHook).
 */
import { Attribute, type Type } from "../ir/attribute.js";
import { Builder } from "../ir/builder.js";
import type { FoldValue, OpDef } from "../ir/define-op.js";
import type { LocationRef } from "../ir/location.js";
import { constantOf } from "../ir/match.js";
import type { Operation } from "../ir/operation.js";
import { Idempotent, Involution } from "../ir/traits.js";
import type { Value } from "../ir/value.js";

/** One value or constant for each result; "inPlace" when the op was changed and stays; undefined when it does not fold. */
export type Folded = readonly FoldValue[] | "inPlace" | undefined;

/**
 * Folds an op given the constants among its operands (found out when absent), first by its own rule, then by its traits.
 * Makes no new ops.
 */
export function foldOperation(op: Operation, given?: readonly (Attribute | undefined)[]): Folded {
  const { def } = op;
  if (!mayFold(def)) return undefined;
  const constants = given ?? operandConstants(op);
  const own = def.fold?.(def.viewOf(op) as never, constants);
  if (own === undefined || own === "inPlace") return foldTraits(op, constants) ?? own;
  if (Array.isArray(own)) return own.length > 0 ? (own as readonly FoldValue[]) : (foldTraits(op, constants) ?? "inPlace");
  // An op that folds to its own result was changed in place.
  if (own === op.results[0]) return foldTraits(op, constants) ?? "inPlace";
  return [own as FoldValue];
}

const foldable = new WeakMap<OpDef, boolean>();
/** Whether some op of that definition may fold. */
export function mayFold(def: OpDef): boolean {
  let may = foldable.get(def);
  if (may === undefined) {
    may = def.fold !== undefined || def.isCommutative || def.traits.has(Involution) || def.traits.has(Idempotent);
    foldable.set(def, may);
  }
  return may;
}

/** Folds an op again while it folds in place: one such fold may enable another. */
export function foldFully(op: Operation): Folded {
  let folded = foldOperation(op);
  // A definition that always returns "inPlace" must not hang us.
  for (let round = 0; folded === "inPlace" && round < MAX_IN_PLACE_FOLDS; round++) {
    const next = foldOperation(op);
    if (next === undefined) break;
    folded = next;
  }
  return folded;
}
/** Far more than any op needs. */
const MAX_IN_PLACE_FOLDS = 64;

/** The constant value of each operand, where it is one. */
export function operandConstants(op: Operation): (Attribute | undefined)[] {
  const uses = op.operandUses;
  const constants = new Array<Attribute | undefined>(uses.length);
  for (let i = 0; i < uses.length; i++) constants[i] = constantOf(uses[i]!.value);
  return constants;
}

function foldTraits(op: Operation, constants: readonly (Attribute | undefined)[]): Folded {
  const { def } = op;
  if (def.isCommutative && moveConstantsBack(op, constants)) return "inPlace";
  const result = op.results[0];
  let value: Value | undefined;
  if (def.traits.has(Involution)) {
    // f(f(x)) -> x
    const inner = op.operand(0).definingOp;
    if (inner?.def === def) value = inner.operand(0);
  }
  if (!value && def.traits.has(Idempotent)) {
    // f(f(x)) -> f(x); g(x, x) -> x
    const first = op.operand(0);
    if (op.numOperands === 1 ? first.definingOp?.def === def : first === op.operand(1)) value = first;
  }
  return value === undefined ? undefined : value === result ? "inPlace" : [value];
}

/** A commutative op keeps its constant operands last, otherwise in order. Returns whether it had to change. */
function moveConstantsBack(op: Operation, constants: readonly (Attribute | undefined)[]): boolean {
  const first = constants.findIndex((c) => c !== undefined);
  if (first < 0 || op.numOperands < 2) return false;
  let sorted = true;
  for (let i = first + 1; i < constants.length; i++) if (constants[i] === undefined) sorted = false;
  if (sorted) return false;
  const values = op.operands;
  const others = values.filter((_, i) => constants[i] === undefined);
  const moved = values.filter((_, i) => constants[i] !== undefined);
  [...others, ...moved].forEach((value, i) => op.setOperand(i, value));
  return true;
}

/** Makes the op that holds a constant, as the dialect `dialect` spells it; undefined when it has none. */
export function materializeConstant(
  builder: Builder,
  dialect: string,
  value: Attribute,
  type: Type,
  loc: LocationRef,
): Operation | undefined {
  return builder.ctx.dialects.get(dialect)?.materializeConstant?.(builder, value, type, loc);
}

/**
 * Folds `op` and returns its values: constants are made at the insertion point of `builder`. Returns "inPlace" when it was only
 * changed, undefined when it does not fold. Does not erase `op`. Source: mlir/lib/IR/Builders.cpp, OpBuilder::tryFold.
 */
export function foldToValues(op: Operation, builder: Builder): readonly Value[] | "inPlace" | undefined {
  if (op.def.isConstantLike) return undefined;
  const folded = foldFully(op);
  if (folded === undefined || folded === "inPlace") return folded;
  const made: Operation[] = [];
  const detached = new Builder(op.ctx, op.locRef);
  const values: Value[] = [];
  for (let i = 0; i < folded.length; i++) {
    const result = folded[i]!;
    if (!(result instanceof Attribute)) {
      values.push(result);
      continue;
    }
    const constant = materializeConstant(detached, op.def.dialect, result, op.result(i).type, op.locRef);
    if (!constant) {
      for (const op of made) op.erase();
      return undefined;
    }
    made.push(constant);
    values.push(constant.result(0));
  }
  for (const constant of made) builder.insert(constant);
  return values;
}
