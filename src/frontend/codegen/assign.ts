/** Assignments. Source: code_generator.py, CodeGenerator.visit_Assign and its kin. */
import { raise } from "../language/errors.js";
import { noAttribute } from "../language/python-text.js";
import { toTensor } from "../language/semantic/constants.js";
import { constexpr, isConstexpr, isKind, isTuple, type PyValue, tuple } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { type Generator, noteLayout, setValue } from "./generator.js";
import { placed, visit } from "./visit.js";

/** `target = value`: numbers become tensors, and ops are named after the target. */
export function visitAssign(g: Generator, target: ast.Expr, value: ast.Expr | undefined): void {
  let result: PyValue;
  if (target.kind === "Name") {
    g.namePrefix = target.id;
    result = sanitize(g, visit(g, value));
    g.namePrefix = undefined;
  } else result = sanitize(g, visit(g, value));
  assignTarget(g, target, result);
}

/** The value that a variable gets: constants become tensors, except None, types, slices and ranges. */
function sanitize(g: Generator, value: PyValue): PyValue {
  if (isTuple(value))
    return tuple(
      value.values.map((v) => (v === null ? constexpr(null) : (sanitize(g, v) ?? constexpr(null)))),
      value.fields,
      value.cls,
    );
  const plain = isConstexpr(value) ? value.value : value;
  if (plain === null) return null;
  if (typeof plain === "object") {
    switch (plain.kind) {
      case "tensor":
      case "descriptor":
      case "buffer":
      case "accumulator":
      case "instance":
      case "dtype":
      case "pointer":
      case "block":
        return plain;
      case "tuple":
        return plain.isPython ? toTensor(g.s, plain) : plain;
      case "slice":
      case "range":
      case "condition":
        return plain;
    }
  }
  return toTensor(g.s, plain);
}

function assignTarget(g: Generator, target: ast.Expr, value: PyValue): void {
  switch (target.kind) {
    case "Subscript":
      return raise("NotImplementedError", "__setitem__ is not supported in triton");
    case "Attribute":
      return raise("NotImplementedError", "Attribute assignment is not supported in triton");
    case "Tuple":
      target.elts.forEach((element, i) => {
        if (!isTuple(value)) return raise("AttributeError", noAttribute(value, "values"));
        if (i >= value.values.length) return raise("IndexError", "list index out of range");
        assignTarget(g, element, value.values[i]!);
      });
      return;
    case "Name":
      // Visiting the name moves the location to it.
      visit(g, target);
      setValue(g, target.id, value);
      return;
    default:
      return raise("AssertionError", "");
  }
}

/** `target op= value` reads, computes and assigns at one place, the statement's. */
export function visitAugAssign(g: Generator, node: ast.AugAssign): void {
  const { at, target, op, value } = node;
  const left: ast.Expr =
    target.kind === "Name" || target.kind === "Attribute" || target.kind === "Subscript" ? { ...target, ctx: "Load" } : target;
  const result: ast.BinOp = { kind: "BinOp", at, left, op, right: value };
  placed(g, node, () => visitAssign(g, target, result));
  visit(g, left);
}

/** `name: tl.constexpr = value` keeps a constant; any other annotation is an assignment, its value computed twice as Triton does. */
export function visitAnnAssign(g: Generator, { at, target, annotation, value }: ast.AnnAssign): void {
  const type = visit(g, annotation);
  const name = visit(g, target);
  const result = visit(g, value);
  const plain = isConstexpr(type) ? type.value : type;
  if (isKind(plain, "class") && plain.name === "constexpr" && typeof name === "string") {
    if (g.scope.has(name)) raise("ValueError", `${name} is already defined. constexpr cannot be reassigned.`);
    noteLayout(g, name, result, at);
    g.scope.set(name, constexpr(result));
    return;
  }
  visitAssign(g, target, value);
}
