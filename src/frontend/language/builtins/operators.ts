/** A tensor's special methods: `x + y`, `x[None, :]`, `x.to(...)` and other uses. Source: core.py, class tensor. */
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { raise } from "../errors.js";
import { pyRepr, typeName } from "../python-text.js";
import * as sem from "../semantic/arithmetic.js";
import * as compare from "../semantic/compare.js";
import { toTensor } from "../semantic/constants.js";
import { expandDims } from "../semantic/shape.js";
import type { Semantic } from "../semantic.js";
import { type Dtype, isIntSigned } from "../types.js";
import { dtypeOf, extentsOf, isConstexpr, isKind, isTensor, isTuple, type PyValue, type Tensor, unwrap } from "../values.js";
import { numberOrTensor, self } from "./arguments.js";
import { castTo } from "./cast.js";

type Operator = (s: Semantic, x: PyValue, y: PyValue) => Tensor;

/** `__name__(self, other)` and, operands the other way round, `__rname__`. */
function operator(name: string, run: Operator): readonly BuiltinDef[] {
  const params = { self: REQUIRED, other: REQUIRED } as const;
  return [
    defineBuiltin(`__${name}__`, params, (s, a) => run(s, a.self, unwrap(a.other))),
    defineBuiltin(`__r${name}__`, params, (s, a) => run(s, unwrap(a.other), a.self)),
  ];
}
/** Comparisons make a tensor of the other operand first, until 3.9. */
const comparison = (name: string, run: Operator): readonly BuiltinDef[] =>
  operator(name, (s, x, y) => run(s, numberOrTensor(s, x), numberOrTensor(s, y)));

const checked =
  (run: (s: Semantic, x: PyValue, y: PyValue, sanitizeOverflow: boolean) => Tensor): Operator =>
  (s, x, y) =>
    run(s, x, y, true);

/** Shifts warn of a constant that is too great; `>>` follows the sign of the method's own tensor. */
function shift(name: string, run: (s: Semantic, x: PyValue, y: PyValue, self: Tensor) => Tensor): readonly BuiltinDef[] {
  const params = { self: REQUIRED, other: REQUIRED } as const;
  return [
    defineBuiltin(`__${name}__`, params, (s, a) => {
      warnOfWideShift(s, a.self, a.other);
      return run(s, a.self, unwrap(a.other), self(a.self));
    }),
    defineBuiltin(`__r${name}__`, params, (s, a) => {
      warnOfWideShift(s, a.other, a.self);
      return run(s, unwrap(a.other), a.self, self(a.self));
    }),
  ];
}
function warnOfWideShift(s: Semantic, value: PyValue, amount: PyValue): void {
  if (!isTensor(value) || !isConstexpr(amount) || typeof amount.value !== "bigint") return;
  const { bits } = dtypeOf(value) as Dtype;
  if (amount.value >= BigInt(bits))
    s.warn(
      `Value ${amount.value} exceeds the maximum bitwidth (${bits}) for type '${typeName(dtypeOf(value))}'. ` +
        "This may result in undefined behavior.",
    );
}
const shiftRight = (s: Semantic, x: PyValue, y: PyValue, own: Tensor): Tensor =>
  isIntSigned(dtypeOf(own)) ? sem.ashr(s, x, y) : sem.lshr(s, x, y);

const unary = (name: string, run: (s: Semantic, x: Tensor) => Tensor): BuiltinDef =>
  defineBuiltin(name, { self: REQUIRED }, (s, a) => run(s, self(a.self)));

const logical = (name: string, run: (s: Semantic, x: Tensor, y: Tensor) => Tensor): BuiltinDef =>
  defineBuiltin(name, { self: REQUIRED, other: REQUIRED }, (s, a) => run(s, self(a.self), toTensor(s, a.other)));

/** `x[:, None]`: None adds a dimension of extent 1, `:` keeps one. */
const getItem = defineBuiltin("__getitem__", { self: REQUIRED, slices: REQUIRED }, (s, { self: given, slices }) => {
  let result = self(given);
  const list = isTuple(slices) || isKind(slices, "list") ? slices.values : [slices];
  const rank = extentsOf(result).length;
  if (s.rules.checksIndices && list.filter((slice) => isKind(slice, "slice")).length > rank)
    raise("ValueError", `too many indices for tensor of rank ${rank}`);
  list.forEach((slice, dim) => {
    if (unwrap(slice) === null) result = expandDims(s, result, dim);
    else if (!isKind(slice, "slice") || [slice.start, slice.stop, slice.step].some((part) => unwrap(part) !== null))
      raise("ValueError", `unsupported tensor index: ${pyRepr(slice)}`);
  });
  return result;
});

const to = defineBuiltin("to", { self: REQUIRED, dtype: REQUIRED, fp_downcast_rounding: null, bitcast: false }, (s, a) =>
  castTo(s, a.self, a.dtype, a.fp_downcast_rounding, a.bitcast),
);

/** Methods that only tensors have. */
export const TENSOR_OPERATORS: readonly BuiltinDef[] = [
  ...operator("add", checked(sem.add)),
  ...operator("sub", checked(sem.sub)),
  ...operator("mul", checked(sem.mul)),
  ...operator("truediv", sem.truediv),
  ...operator("floordiv", sem.floordiv),
  ...operator("mod", sem.mod),
  ...operator("and", sem.and),
  ...operator("or", sem.or),
  ...operator("xor", sem.xor),
  ...shift("lshift", (s, x, y) => sem.shl(s, x, y)),
  ...shift("rshift", shiftRight),
  ...comparison("gt", compare.greaterThan),
  ...comparison("ge", compare.greaterEqual),
  ...comparison("lt", compare.lessThan),
  ...comparison("le", compare.lessEqual),
  ...comparison("eq", compare.equal),
  ...comparison("ne", compare.notEqual),
  unary("__neg__", sem.minus),
  unary("__invert__", sem.invert),
  unary("__not__", sem.not),
  logical("logical_and", sem.logicalAnd),
  logical("logical_or", sem.logicalOr),
  getItem,
  to,
];
