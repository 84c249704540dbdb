/** Assignments. Source: code_generator.py, CodeGenerator.visit_Assign and its kin. */
import { raise } from "../language/errors.js";
import { noAttribute } from "../language/python-text.js";
import { toTensor } from "../language/semantic/constants.js";
import { constexpr, isConstexpr, isKind, isTuple, type PyValue, tuple } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { type Generator, noteLayout, setValue } from "./generator.js";
import { isTritonValue } from "./regions.js";
import { codegenRules } from "./version-rules.js";
import { placed, visit } from "./visit.js";

/** `target = value`: numbers become tensors, and ops are named after the target. */
export function visitAssign(g: Generator, target: ast.Expr, value: ast.Expr | undefined): void {
  let result: PyValue;
  if (target.kind === "Name") {
    g.namePrefix = target.id;
    result = sanitizeFor(g, target, visit(g, value));
    g.namePrefix = undefined;
  } else result = sanitizeFor(g, target, visit(g, value));
  assignTarget(g, target, result);
}

/** As `sanitize`, but constants stay constants where an annotation before says so. */
function sanitizeFor(g: Generator, target: ast.Expr, value: PyValue): PyValue {
  const { unpacksNamed, checksUnpacking } = codegenRules(g.compilation.host.triton);
  if (target.kind === "Tuple" && checksUnpacking) checkUnpacking(target, value);
  if (target.kind === "Tuple" && isTuple(value))
    return {
      ...value,
      values: (unpacksNamed ? value.values.slice(0, target.elts.length) : value.values).map(
        (v, i) => sanitizeFor(g, target.elts[i] ?? target, v) ?? constexpr(null),
      ),
    };
  if (target.kind !== "Name") return sanitize(g, value);
  const annotation = g.pendingAnnotations.get(target.id);
  g.pendingAnnotations.delete(target.id);
  return isConstexprClass(annotation) ? normalize(value) : sanitize(g, value);
}

/** A value of the IR, or a constant. */
function normalize(value: PyValue): PyValue {
  if (isTuple(value)) return { ...value, values: value.values.map(normalize) };
  return isTritonValue(value) ? value : constexpr(value);
}
function isConstexprClass(annotation: PyValue | undefined): boolean {
  const plain = isConstexpr(annotation) ? annotation.value : annotation;
  return isKind(plain, "class") && plain.name === "constexpr";
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
      case "clc_result":
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

/** Python's own errors for a tuple of another length. */
function checkUnpacking({ elts }: ast.Tuple, value: PyValue): void {
  if (!isTuple(value)) return raise("TypeError", "cannot unpack non-iterable value");
  if (elts.some(({ kind }) => kind === "Starred")) return raise("NotImplementedError", "starred assignment targets are not supported");
  const [wanted, given] = [elts.length, value.values.length];
  if (given > wanted) raise("ValueError", `too many values to unpack (expected ${wanted})`);
  if (given < wanted) raise("ValueError", `not enough values to unpack (expected ${wanted}, got ${given})`);
}

/** Gives a name, or the names of a tuple, their values. */
export function assignTarget(g: Generator, target: ast.Expr, value: PyValue): void {
  switch (target.kind) {
    case "Subscript":
      return raise("NotImplementedError", "__setitem__ is not supported in triton");
    case "Attribute":
      return raise("NotImplementedError", "Attribute assignment is not supported in triton");
    case "Tuple":
      if (codegenRules(g.compilation.host.triton).checksUnpacking) checkUnpacking(target, value);
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
  if (!value && target.kind === "Name" && codegenRules(g.compilation.host.triton).bareAnnotations) {
    g.pendingAnnotations.set(target.id, type);
    return;
  }
  const result = visit(g, value);
  if (isConstexprClass(type) && typeof name === "string") {
    if (g.scope.has(name)) raise("ValueError", `${name} is already defined. constexpr cannot be reassigned.`);
    noteLayout(g, name, result, at);
    g.scope.set(name, constexpr(result));
    return;
  }
  visitAssign(g, target, value);
}
