/**
 * Looking at values that are constants, for folds, patterns and passes: what MLIR's `matchPattern(v, m_Zero())` and its
 * like say. Every predicate takes a value or the constant itself, and looks through splats.
 * Source: mlir/include/mlir/IR/Matchers.h.
 */

import { Attribute } from "./attribute.js";
import { type DenseAttr, DenseElementsAttr, FloatAttr, floatValue, IntegerAttr, typeOfAttr } from "./builtin-attrs.js";
import { elementTypeOrSelf, FloatType, IndexType, IntegerType } from "./builtin-types.js";
import type { Operation } from "./operation.js";
import type { Value } from "./value.js";

/** The argument of the predicates: a value, or a constant (absent: no match). */
export type Matchable = Value | Attribute | null | undefined;

/** The constant that an op of a ConstantLike kind holds (m_Constant). */
export function constantOfOp(op: Operation | null | undefined): Attribute | undefined {
  if (!op?.def.isConstantLike) return undefined;
  const value = op.def.fold?.(op.def.viewOf(op) as never, []);
  return value instanceof Attribute ? value : undefined;
}
/** The constant that a value is (m_Constant); undefined when its op is not ConstantLike. */
export function constantOf(value: Value | null | undefined): Attribute | undefined {
  return constantOfOp(value?.definingOp);
}
const attributeOf = (x: Matchable): Attribute | undefined => (x instanceof Attribute ? x : constantOf(x));

/** Element `index` of a dense attribute as an IntegerAttr or FloatAttr; undefined for elements of other types. */
export function denseElement(attr: DenseAttr, index = 0): Attribute | undefined {
  const { type, elements, splat } = attr.params;
  const value = elements[splat ? 0 : index];
  const elementType = elementTypeOrSelf(type);
  if (value === undefined) return undefined;
  if (IntegerType.is(elementType) || IndexType.is(elementType)) return IntegerAttr.get(attr.ctx, { value, type: elementType });
  return FloatType.is(elementType) ? FloatAttr.get(attr.ctx, { bits: value, type: elementType }) : undefined;
}
/** A scalar constant itself, or the one element of a splat. */
export function scalarOrSplat(attr: Attribute | undefined): Attribute | undefined {
  if (DenseElementsAttr.is(attr)) return attr.params.splat ? denseElement(attr) : undefined;
  return attr;
}

// --- integers ---------------------------------------------------------------------------------

/** The integer that a constant or splat is, sign-extended (i1 true is -1n) unless its type is unsigned (m_ConstantInt). */
export function constantInt(x: Matchable): bigint | undefined {
  const attr = attributeOf(x);
  if (IntegerAttr.is(attr)) return attr.params.value;
  if (!DenseElementsAttr.is(attr) || !attr.params.splat) return undefined;
  return FloatType.is(elementTypeOrSelf(attr.params.type)) ? undefined : attr.params.elements[0];
}
/** The same, zero-extended. */
export function constantUint(x: Matchable): bigint | undefined {
  const attr = attributeOf(x);
  const value = constantInt(attr);
  return value === undefined ? undefined : BigInt.asUintN(intWidth(attr!), value);
}
/** The width of the integers in a constant; an index has 64 bits. */
function intWidth(attr: Attribute): number {
  const type = elementTypeOrSelf(typeOfAttr(attr));
  return IntegerType.is(type) ? type.params.width : 64;
}
/** m_Zero: the integer 0. */
export const isZeroInt = (x: Matchable): boolean => constantInt(x) === 0n;
/** m_NonZero: an integer other than 0. */
export function isNonZeroInt(x: Matchable): boolean {
  const value = constantInt(x);
  return value !== undefined && value !== 0n;
}
/** m_One: the integer 1; in i1 that is true. */
export const isOneInt = (x: Matchable): boolean => constantUint(x) === 1n;
/** All bits set. */
export function isAllOnesInt(x: Matchable): boolean {
  const attr = attributeOf(x);
  const value = constantUint(attr);
  return value !== undefined && value === BigInt.asUintN(intWidth(attr!), -1n);
}

// --- floats -----------------------------------------------------------------------------------

/** The number that a float constant or splat is (m_ConstantFloat). */
export function constantFloat(x: Matchable): number | undefined {
  const attr = scalarOrSplat(attributeOf(x));
  return FloatAttr.is(attr) ? floatValue(attr) : undefined;
}
/** m_AnyZeroFloat: 0.0 of either sign. */
export const isZeroFloat = (x: Matchable): boolean => constantFloat(x) === 0;
/** m_PosZeroFloat */
export const isPosZeroFloat = (x: Matchable): boolean => Object.is(constantFloat(x), 0);
/** m_NegZeroFloat */
export const isNegZeroFloat = (x: Matchable): boolean => Object.is(constantFloat(x), -0);
/** m_OneFloat */
export const isOneFloat = (x: Matchable): boolean => constantFloat(x) === 1;
/** m_NaNFloat */
export const isNaNFloat = (x: Matchable): boolean => Number.isNaN(constantFloat(x));
/** m_PosInfFloat */
export const isPosInfFloat = (x: Matchable): boolean => constantFloat(x) === Infinity;
/** m_NegInfFloat */
export const isNegInfFloat = (x: Matchable): boolean => constantFloat(x) === -Infinity;

/** m_Poison: a constant that is poison as a whole. */
export const isPoison = (x: Matchable): boolean => attributeOf(x)?.def.name === "ub.poison";
