/** Expressions. Source: code_generator.py, CodeGenerator.visit_*. */
import { formatValue } from "../host/format.js";
import { BINARY_METHODS, COMPARE_METHODS, UNARY_METHODS } from "../host/operators.js";
import { raise } from "../language/errors.js";
import { noAttribute, pyEquals, pyStr, pyTruth } from "../language/python-text.js";
import { constexpr, isBlockTensor, isConstexpr, isKind, isTensor, isTuple, type PyValue, tuple, unwrap } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { assignTarget, visitAssign } from "./assign.js";
import { getAttribute } from "./attributes.js";
import { visitIfExp } from "./branches.js";
import { visitCall } from "./calls.js";
import { unsupported } from "./errors.js";
import { type Generator, setValue } from "./generator.js";
import { dereference } from "./names.js";
import { binaryMethod, subscript, unaryMethod } from "./operators.js";
import { codegenRules } from "./version-rules.js";
import { visit } from "./visit.js";

/** Generates the ops of an expression, and returns its value. Source: python/triton/compiler/code_generator.py. */
export function visitExpression(g: Generator, node: ast.Expr): PyValue {
  switch (node.kind) {
    case "Constant":
      return constant(g, node);
    case "Name":
      return node.ctx === "Store" ? node.id : dereference(g, node.id);
    case "Attribute":
      return getAttribute(g, visit(g, node.value), node.attr);
    case "Subscript": {
      const value = visit(g, node.value);
      return subscript(g, node, value, visit(g, node.slice));
    }
    case "Slice":
      return { kind: "slice", start: visit(g, node.lower), stop: visit(g, node.upper), step: visit(g, node.step) };
    case "Tuple":
    case "List":
      return tuple(node.elts.map((e) => visit(g, e)));
    case "BinOp": {
      const left = visit(g, node.left);
      const right = visit(g, node.right);
      const method = BINARY_METHODS[node.op];
      if (!method) return unsupported(g, node, `AST binary operator '${node.op}' is not (currently) implemented.`);
      return binaryMethod(g, node, method, left, right);
    }
    case "UnaryOp":
      return unaryMethod(g, node, UNARY_METHODS[node.op], visit(g, node.operand));
    case "BoolOp":
      return connected(g, node, node.op, operandsOf(g, node));
    case "Compare":
      return compare(g, node);
    case "Call":
      return visitCall(g, node);
    case "IfExp":
      return visitIfExp(g, node);
    case "ListComp":
      return listComp(g, node);
    case "JoinedStr":
      return joinedStr(g, node);
    case "NamedExpr":
      if (!codegenRules(g.compilation.host.triton).namedExpressions)
        return unsupported(g, node, "unsupported AST node type: NamedExpr (Triton 3.8 has it)");
      visitAssign(g, node.target, node.value);
      return dereference(g, (node.target as ast.Name).id);
    case "Unsupported":
      return unsupported(g, node, `unsupported AST node type: ${node.name}`);
    default:
      return unsupported(g, node, `unsupported AST node type: ${node.kind}`);
  }
}

/** A text of several lines: Triton dedents the source of a function with the texts in it. Source: runtime/jit.py; textwrap.dedent. */
const dedented = (text: string, columns: number): string =>
  text.replaceAll(/\n[ \t]+(?=\n)/g, "\n").replaceAll(`\n${" ".repeat(columns)}`, "\n");

function constant(g: Generator, node: ast.Constant): PyValue {
  const { at, value } = node;
  if (typeof value === "string" && at && at.endLine > at.line) return constexpr(dedented(value, g.data.dedent));
  if (value === null || typeof value !== "object") return constexpr(value);
  if (value.kind === "ellipsis") return constexpr({ kind: "opaque", what: "Ellipsis", why: "an ellipsis has no meaning in a kernel" });
  return unsupported(g, node, `a ${value.kind} literal has no meaning in a kernel`);
}

/** The operands of `and` or `or`, visited when they are asked for. */
function* operandsOf(g: Generator, node: ast.BoolOp): Iterable<PyValue> {
  for (const operand of node.values) {
    const value = visit(g, operand);
    if (isTensor(value) && isBlockTensor(value))
      g.s.warn("Logical operators 'and' and 'or' are deprecated for non-scalar tensors; please use '&' or '|' instead");
    yield value;
  }
}

/** `and` and `or` of values that come one by one: those known while compiling short-circuit, the rest is computed. */
function connected(g: Generator, node: ast.Expr, op: ast.BoolOp["op"], values: Iterable<PyValue>): PyValue {
  const method = op === "And" ? "logical_and" : "logical_or";
  const dynamic: PyValue[] = [];
  let value: PyValue = null;
  for (value of values) {
    if (isTensor(value)) dynamic.push(value);
    else if (pyTruth(value) === (op === "Or")) return value;
  }
  if (dynamic.length === 0) return value;
  while (dynamic.length > 1) {
    const right = dynamic.pop()!;
    const left = dynamic.pop()!;
    dynamic.push(binaryMethod(g, node, method, left, right));
  }
  return dynamic[0]!;
}

function compare(g: Generator, node: ast.Compare): PyValue {
  const [first, ...more] = node.ops;
  if (more.length === 0) return compareTwo(g, node, first!, visit(g, node.left), visit(g, node.comparators[0]));
  if (!codegenRules(g.compilation.host.triton).chainsComparisons)
    return unsupported(g, node, "simultaneous multiple comparison is not supported");
  return connected(g, node, "And", comparisons(g, node));
}
/** `a < b < c` is `a < b and b < c`, with `b` visited once. */
function* comparisons(g: Generator, node: ast.Compare): Iterable<PyValue> {
  let left = visit(g, node.left);
  for (const [i, op] of node.ops.entries()) {
    const right = visit(g, node.comparators[i]);
    yield compareTwo(g, node, op, left, right);
    left = right;
  }
}
function compareTwo(g: Generator, node: ast.Compare, op: ast.Compare["ops"][number], left: PyValue, right: PyValue): PyValue {
  if (op === "Is" || op === "IsNot") return constexpr(isSame(unwrap(left), unwrap(right)) === (op === "Is"));
  const method = COMPARE_METHODS[op];
  if (!method) return unsupported(g, node, `AST comparison operator '${op}' is not (currently) implemented.`);
  return binaryMethod(g, node, method, left, right);
}
/** Python's `is`: numbers and strings that are equal count as one object when they have one type. */
function isSame(a: PyValue, b: PyValue): boolean {
  if (a === b) return true;
  return typeof a === typeof b && typeof a !== "object" && pyEquals(a, b);
}

function listComp(g: Generator, node: ast.ListComp): PyValue {
  if (node.kind !== "ListComp") return unsupported(g, node, `unsupported AST node type: ${node.kind}`);
  if (node.generators.length !== 1) return raise("ValueError", "nested comprehensions are not supported");
  const { target, iter, ifs } = node.generators[0]!;
  const filters = codegenRules(g.compilation.host.triton).filtersComprehensions;
  const items = visit(g, iter);
  if (!isTuple(items)) return raise("NotImplementedError", "only tuple comprehensions are supported");
  if (!filters && target.kind !== "Name") return raise("AttributeError", `'${target.kind}' object has no attribute 'id'`);
  return tuple(
    items.values.flatMap((item) => {
      if (target.kind === "Name") setValue(g, target.id, item);
      else assignTarget(g, target, item);
      return !filters || ifs.every((condition) => pyTruth(visit(g, condition))) ? [visit(g, node.elt)] : [];
    }),
  );
}

function joinedStr(g: Generator, node: ast.JoinedStr): PyValue {
  return node.values
    .map((part) => {
      if (part.kind === "Constant") return pyStr(part.value as string);
      const value = visit(g, part.value);
      if (value !== null && !isConstexpr(value) && !isKind(value, "dtype") && !isKind(value, "jit"))
        return unsupported(
          g,
          node,
          `Cannot evaluate f-string containing non-constexpr conversion values, found conversion of type ${pyStr(value, "type")}`,
        );
      if (!isConstexpr(value)) return raise("AttributeError", noAttribute(value, "value"));
      return formatValue(value.value, part.conversion, "");
    })
    .join("");
}
