/**
 * Folding of operations on constants, element by element: scalars, splats (once) and dense elements (each). Poison in any
 * operand gives poison. Elements are bigints as in DenseElementsAttr: sign-extended integers, or the bits of floats.
 * Source: mlir/include/mlir/Dialect/CommonFolders.h.
 */

import type { Attribute, Type } from "./attribute.js";
import { DenseElementsAttr, denseElements, FloatAttr, IntegerAttr, intAttr, ownType, storageWidth, wrapInt } from "./builtin-attrs.js";
import { elementTypeOrSelf, type FloatKind, FloatType, IndexType, IntegerType, isShaped, withElementType } from "./builtin-types.js";
import { fitsDouble } from "./float-arithmetic.js";
import { isPoison } from "./match.js";

type Constants = readonly (Attribute | undefined)[];
type Calculate = (args: readonly bigint[]) => bigint | undefined;

/** An integer constant (index included) of `width` bits: its operation returns any integer, which is wrapped. */
export type IntCalculate<A extends readonly bigint[]> = (...args: [...A, width: number]) => bigint | undefined;
export type FloatCalculate<A extends readonly bigint[]> = (...args: [...A, kind: FloatKind]) => bigint | undefined;

export const isIntegerLike = (type: Type): boolean => IntegerType.is(type) || IndexType.is(type);

/** Folds `calculate(a)` on an integer constant; it returns undefined when it cannot. */
export function foldUnaryInt(constants: Constants, calculate: IntCalculate<[bigint]>): Attribute | undefined {
  return foldElements(constants, undefined, isIntegerLike, (type) => {
    const width = storageWidth(type);
    return ([a]) => calculate(a!, width);
  });
}
/** Folds `calculate(a, b)` on two integer constants of one type. `resultElement`: the element type of the result, theirs by default. */
export function foldBinaryInt(
  constants: Constants,
  calculate: IntCalculate<[bigint, bigint]>,
  resultElement?: Type,
): Attribute | undefined {
  return foldElements(constants, resultElement, isIntegerLike, (type) => {
    const width = storageWidth(type);
    return ([a, b]) => calculate(a!, b!, width);
  });
}
const isFoldableFloat = (type: Type): boolean => FloatType.is(type) && fitsDouble(type.params.kind);
const kindOf = (type: Type): FloatKind => FloatType.params(type).kind;

/** Folds an op on one float, element by element; undefined where the operand is no constant. */
export function foldUnaryFloat(constants: Constants, calculate: FloatCalculate<[bigint]>): Attribute | undefined {
  return foldElements(constants, undefined, isFoldableFloat, (type) => {
    const kind = kindOf(type);
    return ([a]) => calculate(a!, kind);
  });
}
/** The same with two operands. */
export function foldBinaryFloat(constants: Constants, calculate: FloatCalculate<[bigint, bigint]>): Attribute | undefined {
  return foldElements(constants, undefined, isFoldableFloat, (type) => {
    const kind = kindOf(type);
    return ([a, b]) => calculate(a!, b!, kind);
  });
}
/** Folds a cast of one constant to the element type `to`; `convert` returns undefined where the value has no counterpart. */
export function foldCast(
  constants: Constants,
  to: Type,
  convert: (value: bigint, from: Type, to: Type) => bigint | undefined,
): Attribute | undefined {
  return foldElements(
    constants.slice(0, 1),
    to,
    isScalarConstantType,
    (from) =>
      ([a]) =>
        convert(a!, from, to),
  );
}
const isScalarConstantType = (type: Type): boolean => isIntegerLike(type) || isFoldableFloat(type);

/** `bind` gets the operands' element type once and returns the function to apply to the elements. */
function foldElements(
  constants: Constants,
  resultElement: Type | undefined,
  accepts: (elementType: Type) => boolean,
  bind: (elementType: Type) => Calculate,
): Attribute | undefined {
  for (const constant of constants) if (isPoison(constant)) return constant;
  const [first] = constants;
  if (!first) return undefined;
  const type = ownType(first);
  if (!type || !accepts(elementTypeOrSelf(type))) return undefined;
  for (const constant of constants) if (ownType(constant) !== type) return undefined;
  const element = elementTypeOrSelf(type);
  const target = resultElement ?? element;
  if (isScalarConstantType(target) === false) return undefined;
  const calculate = bind(element);

  if (IntegerAttr.is(first) || FloatAttr.is(first)) {
    const args: bigint[] = [];
    for (const constant of constants) args.push(scalarBits(constant!)!);
    const result = calculate(args);
    return result === undefined ? undefined : scalarAttr(target, result);
  }
  if (!isShaped(type)) return undefined;
  const dense: { readonly elements: readonly bigint[]; readonly splat: boolean }[] = [];
  for (const constant of constants) {
    if (!DenseElementsAttr.is(constant)) return undefined;
    dense.push(constant.params);
  }
  const isInt = isIntegerLike(target);
  const size = dense.every((d) => d.splat) ? 1 : Math.max(...dense.map((d) => (d.splat ? 0 : d.elements.length)));
  const results: bigint[] = new Array<bigint>(size);
  const args: bigint[] = new Array<bigint>(dense.length);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < dense.length; k++) args[k] = dense[k]!.elements[dense[k]!.splat ? 0 : i]!;
    const result = calculate(args);
    if (result === undefined) return undefined;
    results[i] = isInt ? wrapInt(result, target) : result;
  }
  return denseElements(withElementType(type, target), results);
}

function scalarBits(attr: Attribute): bigint | undefined {
  return IntegerAttr.is(attr) ? attr.params.value : FloatAttr.is(attr) ? attr.params.bits : undefined;
}
/** An IntegerAttr (wrapped) or FloatAttr (of these bits). */
export function scalarAttr(type: Type, value: bigint): Attribute {
  return FloatType.is(type) ? FloatAttr.get(type.ctx, { bits: value, type }) : intAttr(type, value);
}

/** The zero of an integer, index or float type, or of a vector or tensor of static shape (Builder::getZeroAttr). */
export function zeroAttr(type: Type): Attribute | undefined {
  const element = elementTypeOrSelf(type);
  if (!isIntegerLike(element) && !FloatType.is(element)) return undefined;
  if (element === type) return scalarAttr(type, 0n);
  return isShaped(type) && type.params.shape.every((extent) => extent >= 0) ? denseElements(type, [0n]) : undefined;
}
