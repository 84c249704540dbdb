/**
 * Names of generated functions: the function's own, its arguments' types, and the constants among its arguments.
 *
 *     triton.language.standard.max__i32S256S__(1,)cconstexpr_0__(2,)cconstexpr_False_
 *
 * Source: code_generator.py, mangle_fn; python/triton/_utils.py, find_paths_if.
 */
import { mangleType, mangleType37, pyRepr } from "../language/python-text.js";
import type { TlType } from "../language/types.js";
import { isConstexpr, isKind, isLayout, isNumber, isTuple, type PyValue, tuple, typeOf, unwrap } from "../language/values.js";

/** Which argument, and which element inside it. */
export type Path = readonly number[];
/** A value inside nested tuples, with the way to it. */
export interface Leaf {
  readonly path: Path;
  readonly value: PyValue;
}

/** The arguments with tuples taken apart, in order. */
export function leavesOf(args: readonly PyValue[]): Leaf[] {
  const leaves: Leaf[] = [];
  const collect = (value: PyValue, path: Path): void => {
    if (isTuple(value)) value.values.forEach((v, i) => collect(v, [...path, i]));
    else leaves.push({ path, value });
  };
  args.forEach((arg, i) => collect(arg, [i]));
  return leaves;
}

/** Whether an argument of a function call is a compile-time constant for the function. */
export const isConstant = (value: PyValue): boolean =>
  value === null ||
  isConstexpr(value) ||
  isKind(value, "dtype") ||
  isKind(value, "pointer") ||
  isKind(value, "block") ||
  isKind(value, "jit") ||
  (isKind(value, "host_function") && value.constexpr);

export const pathText = (path: Path): string => (path.length === 1 ? `(${path[0]},)` : `(${path.join(", ")})`);

export function mangle(name: string, args: readonly PyValue[]): string {
  const leaves = leavesOf(args);
  const types = leaves.filter(({ value }) => !isConstant(value)).map(({ value }) => mangleType(typeOf(value)));
  // Leaves come in the order of their paths, which is the order in which Triton sorts them.
  const constants = leaves.filter(({ value }) => isConstant(value)).map(({ path, value }) => `${pathText(path)}c${pyRepr(value)}`);
  const text = constants.join("_").replaceAll(".", "_d_").replaceAll("'", "_sq_").replaceAll(/[[\]]/g, "_");
  return `${name}__${types.join("_")}__${text}`;
}

/** Since 3.7, arguments and constants are in their order: `triton.language.standard.max__i32S256S_c0_cFalse_cTrue_cFalse`. */
export const mangle37 = (name: string, args: readonly PyValue[]): string =>
  `${name}__${args.map(mangleArgument).join("_").replaceAll("'", "_sq_").replaceAll(/[[\]]/g, "_")}`;
function mangleArgument(value: PyValue): string {
  if (isTuple(value)) return `T${value.values.map(mangleArgument).join("_")}T`;
  if (isKind(value, "instance")) {
    const { cls, attrs } = value;
    return `${cls.module}.${cls.qualname}<${cls.fields.map(([field]) => mangleArgument(attrs.get(field) ?? null)).join(", ")}>`;
  }
  if (!isConstant(value) && !isNumber(value)) return mangleType37(typeOf(value));
  const constant = unwrap(value);
  if (isLayout(constant)) return `c${constant.mangled}`;
  return `c${isKind(constant, "dtype") || isKind(constant, "pointer") || isKind(constant, "block") ? mangleType37(constant) : pyRepr(constant)}`;
}

/** Replaces leaves of nested tuples, taken in order from `next`. */
export function rebuild(value: PyValue | TlType, next: () => PyValue): PyValue {
  if (isTuple(value))
    return tuple(
      value.values.map((v) => rebuild(v, next)),
      value.fields,
      value.cls,
    );
  return next();
}
