/** Reading the arguments of builtins: shapes, axes, tensors, strings. */
import { check, raise } from "../errors.js";
import { noAttribute, pyStr, pyTruth, pyTypeName } from "../python-text.js";
import { toTensor } from "../semantic/constants.js";
import type { Semantic } from "../semantic.js";
import { type Dtype, isPtr, type PointerType, validateBlockShape } from "../types.js";
import { elementsOf, isNumber, isTensor, isTensorType, type PyValue, type Tensor, unwrap } from "../values.js";

/** An argument that is used as a tensor without being made one: its attributes are asked for. */
export function self(value: PyValue): Tensor {
  if (isTensor(value)) return value;
  return raise("AttributeError", noAttribute(value, "type"));
}

/** An operand: a tensor of the argument, but since 3.9 a number as it is. */
export function numberOrTensor(s: Semantic, value: PyValue): PyValue {
  const plain = unwrap(value);
  return s.rules.typesNumbersLast && isNumber(plain) ? plain : toTensor(s, value);
}

/** None, or a tensor of the argument. */
export function optionalTensor(s: Semantic, value: PyValue): Tensor | undefined {
  return unwrap(value) === null ? undefined : toTensor(s, value);
}

/** `f(x, 2, 3)` and `f(x, (2, 3))` mean the same: the only argument where it can be iterated, else all of them. */
export const unwrapIterable = (args: readonly PyValue[]): readonly PyValue[] =>
  (args.length === 1 ? elementsOf(args[0]) : undefined) ?? args;

/** A shape argument as numbers; raises where it is no shape of a block. */
export function shapeArgument(value: PyValue | readonly PyValue[]): readonly number[] {
  const list = Array.isArray(value) ? (value as readonly PyValue[]) : elementsOf(value as PyValue);
  if (!list) return raise("TypeError", `'${pyTypeName(unwrap(value as PyValue))}' object is not iterable`);
  const shape = list.map(unwrap);
  validateBlockShape(shape, (extent, i) => {
    if (typeof extent === "bigint" || typeof extent === "boolean") return BigInt(extent);
    return raise("TypeError", `Shape element ${i} must have type \`constexpr[int]\`, got \`constexpr[${pyStr(extent, "type")}]`);
  });
  return shape.map(Number);
}

/** Integers of a tuple or list. */
export function integers(values: readonly PyValue[]): readonly number[] {
  return values.map((v) => integer(v));
}
export function integer(value: PyValue): number {
  const plain = unwrap(value);
  if (typeof plain === "bigint" || typeof plain === "boolean") {
    if (!Number.isSafeInteger(Number(plain))) raise("OverflowError", "Python int too large to convert to C long");
    return Number(plain);
  }
  return raise("TypeError", `'${pyTypeName(plain)}' object cannot be interpreted as an integer`);
}

/** An axis counted from the front; negative ones count from the back. */
export function wrapAxis(axis: PyValue, rank: number): number {
  const plain = unwrap(axis);
  if (typeof plain !== "bigint" && typeof plain !== "boolean")
    return raise("TypeError", `'<=' not supported between instances of 'int' and '${pyTypeName(plain)}'`);
  const value = Number(plain);
  if (!(-rank <= value && value < rank)) raise("ValueError", `invalid axis ${value}. Expected ${-rank} <= axis < ${rank}`);
  return value >= 0 ? value : value + rank;
}

export const truth = (value: PyValue): boolean => pyTruth(value);

export function stringArgument(value: PyValue): string {
  const plain = unwrap(value);
  check(typeof plain === "string", `${pyStr(plain)} is not string`);
  return plain;
}

/** A dtype argument that may be given as a constexpr. */
export function scalarTypeArgument(value: PyValue): Dtype | PointerType {
  const plain = unwrap(value);
  if (isTensorType(plain) && (plain.kind === "dtype" || isPtr(plain))) return plain;
  return raise("AttributeError", noAttribute(plain, "to_ir"));
}

export const isNone = (value: PyValue): boolean => unwrap(value) === null;
