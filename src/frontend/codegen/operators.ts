/** Operators: methods of tensors where one is involved, Python's own on what is known while compiling. */
import { pyBinary, pyCompareMethod, pyIndex, pyUnary } from "../host/operators.js";
import { callBuiltin } from "../language/define-builtin.js";
import { PyError, raise, raiseUnknown } from "../language/errors.js";
import { member } from "../language/members.js";
import { noAttribute, pyTruth, pyTypeName } from "../language/python-text.js";
import { constexpr, isConstexpr, isKind, isTensor, isTuple, type PyTuple, type PyValue, tuple, unwrap } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { callFunction } from "./calls.js";
import { failAt, unsupported } from "./errors.js";
import type { Generator } from "./generator.js";
import { codegenRules } from "./version-rules.js";

/** Calls a method of a tensor by its Python name. */
export function tensorMethod(g: Generator, self: PyValue, name: string, args: readonly PyValue[]): PyValue {
  const method = member(g.s, self, name);
  if (isKind(method, "bound_method") && isKind(method.fn, "builtin")) return callBuiltin(g.s, method.fn.def, [method.self, ...args]);
  return raise("AttributeError", noAttribute(self, name));
}

/** `left.method(right)`, or the reflected method of the right side where only that one is a tensor. */
export function binaryMethod(g: Generator, node: ast.Expr, method: string, left: PyValue, right: PyValue): PyValue {
  if (isTensor(left)) return tensorMethod(g, left, method, [right]);
  if (isTensor(right)) return tensorMethod(g, right, reflected(g, method), [left]);
  return static_(g, node, () => {
    if (isTuple(left) && !isConstexpr(right) && method === "__eq__") return constexpr(tupleEquals(left, right));
    if (isTuple(left) && (method === "__add__" || method === "__mul__")) return tupleOperator(method, left, right);
    if (isKind(left, "instance")) return callFunction(g, node, instanceMethod(left, method), [right], new Map());
    return constexpr(plainBinary(method, unwrap(left), unwrap(right)));
  });
}

/** The method of the right side. */
function reflected(g: Generator, method: string): string {
  const turned = codegenRules(g.compilation.host.triton).turnsComparisons ? TURNED.get(method) : undefined;
  return turned ?? method.replace(/^__(.*)__$/, "__r$1__");
}
/** `2 < x` is `x > 2`. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ["__lt__", "__gt__"],
  ["__le__", "__ge__"],
  ["__gt__", "__lt__"],
  ["__ge__", "__le__"],
  ["__eq__", "__eq__"],
  ["__ne__", "__ne__"],
]);

function instanceMethod(left: PyValue, method: string): PyValue {
  if (!isKind(left, "instance")) return null;
  const fn = left.cls.attrs.get(method);
  if (fn === undefined) return raise("AttributeError", `'${left.cls.name}' object has no attribute '${method}'`);
  return { kind: "bound_method", self: left, fn };
}

/** An error inside a method of a constant is reported at the operator. */
function static_<T>(g: Generator, node: ast.Node, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof PyError) failAt(g, node, error.message, "CompilationError", error);
    throw error;
  }
}

function plainBinary(method: string, left: PyValue, right: PyValue): PyValue {
  if (method === "logical_and") return pyTruth(left) ? right : left;
  if (method === "logical_or") return pyTruth(left) ? left : right;
  return pyCompareMethod(method, left, right) ?? pyBinary(method, left, right);
}

const tupleEquals = (left: PyTuple, right: PyValue): boolean => pyCompareMethod("__eq__", unwrap(left), unwrap(right)) === true;

/** `tl.tuple` has `+` with a tuple and `*` with a constant. */
function tupleOperator(method: string, left: PyTuple, right: PyValue): PyValue {
  if (method === "__add__") {
    const other = isConstexpr(right) ? right.value : right;
    if (!isTuple(other)) return raise("AttributeError", noAttribute(other, "values"));
    return tuple([...left.values, ...other.values]);
  }
  if (!isConstexpr(right)) return raise("AssertionError", "");
  const times = unwrap(right);
  if (typeof times !== "bigint") return raise("TypeError", `can't multiply sequence by non-int of type '${pyTypeName(times)}'`);
  return pyBinary(method, tuple(left.values), times);
}

export function unaryMethod(g: Generator, node: ast.UnaryOp, method: string, operand: PyValue): PyValue {
  if (isTensor(operand)) return tensorMethod(g, operand, method, []);
  if (isConstexpr(operand)) return constexpr(pyUnary(method, operand.value));
  if (isKind(operand, "opaque")) return raiseUnknown(operand.what, operand);
  if (method === "__not__") return constexpr(!pyTruth(operand));
  if (operand !== null && typeof operand !== "object" && typeof operand !== "string") return pyUnary(method, operand);
  return unsupported(g, node, `AST unary operator '${method}' is not (currently) implemented on type ${pyTypeName(operand)}`);
}

/** `value[index]`. */
export function subscript(g: Generator, node: ast.Expr, value: PyValue, index: PyValue): PyValue {
  return static_(g, node, () => {
    if (isTensor(value)) return tensorMethod(g, value, "__getitem__", [index]);
    if (isConstexpr(value)) {
      const plain = value.value;
      // Triton's slices are not Python's.
      if (isKind(index, "slice") && (isKind(plain, "list") || (isTuple(plain) && plain.isPython)))
        raise("TypeError", `${pyTypeName(plain)} indices must be integers or slices, not slice`);
      if (isKind(index, "slice") && typeof plain === "string") raise("TypeError", "string indices must be integers, not 'slice'");
      return pyIndex(plain, unwrap(index));
    }
    if (isKind(value, "descriptor") || isKind(value, "instance")) {
      const method = isKind(value, "instance") ? instanceMethod(value, "__getitem__") : member(g.s, value, "__getitem__");
      if (method === undefined) return raise("AttributeError", noAttribute(value, "__getitem__"));
      return callFunction(g, node, method, [index], new Map());
    }
    // A kernel's tuple is a list inside.
    return pyIndex(value, sliceOf(index), "list");
  });
}
const sliceOf = (index: PyValue): PyValue =>
  isKind(index, "slice")
    ? { kind: "slice", start: unwrap(index.start), stop: unwrap(index.stop), step: unwrap(index.step) }
    : unwrap(index);
