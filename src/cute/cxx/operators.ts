/**
 * C++ operators, conversions and constructors on values.
 */
import * as arith from "../arithmetic.js";
import * as any from "../composed-layout.js";
import { type NumericType, numericTypes, roundTo } from "../numeric-type.js";
import { advance, memoryPointer } from "../tensor.js";
import { asInt, CuteError, dyn, int, type Term, tuple } from "../term.js";
import { makeLayout } from "./library/algebra.js";
import { typeValue } from "./types.js";
import { defaultOf, layoutOf, nameOfKind, numberOfValue, termOf, typeOf, type Value } from "./value.js";

/** The coordinate that call arguments make. */
export const coordinate = (args: readonly Value[]): Term => (args.length === 1 ? termOf(args[0]!) : tuple(...args.map(termOf)));

/** The element type of a type. */
export function elementType(v: Value): NumericType {
  const type = typeOf(v);
  if (type.of === "numeric") return type.type;
  if (type.of === "pointer" && type.to.of === "numeric") return type.to.type;
  if (type.of === "value" && type.value.kind === "int") return numericTypes.get("int")!;
  throw new CuteError(`expected an element type, found ${nameOfKind(v)}`);
}

/** `T{args}` or `T(args)`. */
export function construct(type: Value, args: readonly Value[]): Value {
  if (type.kind !== "type") {
    if (args.length === 0) return defaultOf(type);
    throw new CuteError(`${nameOfKind(type)} is not a type`);
  }
  const info = type.type;
  const [first] = args;
  if (info.of === "numeric") return first ? cast(type, first) : cast(type, dyn(0));
  if (info.of === "pointer")
    return first ? cast(type, first) : { kind: "pointer", pointer: memoryPointer(elementType(typeValue(info.to)), "raw") };
  if (info.of !== "value") return type;
  const model = info.value;
  if (!first) return defaultOf(model);
  switch (model.kind) {
    case "layout":
      if (args.length === 1 && (first.kind === "layout" || first.kind === "tensor")) return layoutOf(first);
      return { kind: "layout", shape: termOf(first), stride: args[1] ? termOf(args[1]) : (defaultOf(model) as typeof model).stride };
    case "composed":
      if (args.length === 3) return { kind: "composed", a: layoutOf(first), offset: termOf(args[1]!), b: layoutOf(args[2]!) };
      return first;
    case "tuple":
      return args.length === 1 && first.kind === "tuple" && model.items.length !== 1 ? first : tuple(...args.map(termOf));
    case "int":
      return model.isStatic ? model : dyn(numberOfValue(first));
    case "basis": {
      const value = termOf(first);
      return value.kind === "int" ? { ...model, value } : model;
    }
    default:
      return defaultOf(model);
  }
}

/** Class template argument deduction: `Layout{shape, stride}`. */
export function deduce(name: string, args: readonly Value[]): Value {
  if (name === "Layout") return args[1] ? { kind: "layout", shape: termOf(args[0]!), stride: termOf(args[1]) } : makeLayout(args);
  if (name === "ComposedLayout" && args.length === 3)
    return { kind: "composed", a: layoutOf(args[0]!), offset: termOf(args[1]!), b: layoutOf(args[2]!) };
  if (/^(tuple|Shape|Stride|Step|Coord|Tile|ArithmeticTuple)$/.test(name)) return tuple(...args.map(termOf));
  throw new CuteError(`${name} needs template arguments`);
}

/** Conversion to a type. */
export function cast(type: Value, v: Value): Value {
  const info = typeOf(type);
  if (info.of === "numeric") {
    const x = numberOfValue(v);
    const value = roundTo(info.type, x);
    return info.type.class === "int" || info.type.class === "uint" ? dyn(value) : { kind: "number", type: info.type, value };
  }
  if (info.of === "pointer") {
    const element = info.to.of === "numeric" ? info.to.type : numericTypes.get("uint8_t")!;
    if (v.kind === "pointer" && v.pointer.kind === "memory") return { kind: "pointer", pointer: { ...v.pointer, element } };
    return { kind: "pointer", pointer: memoryPointer(element, "raw", v.kind === "pointer" ? 0 : numberOfValue(v)) };
  }
  return info.of === "value" ? construct(type, [v]) : v;
}

/** Bytes of a type or value. */
export function sizeOf(v: Value): number {
  const type = typeOf(v);
  if (type.of === "numeric") return Math.max(1, type.type.bits / 8);
  if (type.of === "pointer" || v.kind === "pointer") return 8;
  return v.kind === "int" && !v.isStatic ? 4 : 1;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};
const floats: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** A binary operator; floating point when either side is. */
export function binary(op: string, left: Value, right: Value): Value {
  if (left.kind === "type" && left.type.of === "value") left = left.type.value;
  if (right.kind === "type" && right.type.of === "value") right = right.type.value;
  const compare = comparisons[op];
  if (left.kind === "number" || right.kind === "number") {
    const [a, b] = [numberOfValue(left), numberOfValue(right)];
    if (compare) return dyn(Number(compare(a, b)));
    if (op === "==" || op === "!=") return dyn(Number((a === b) === (op === "==")));
    const f = floats[op];
    if (!f) throw new CuteError(`${op} is not defined for floating point`);
    const type = left.kind === "number" ? left.type : (right as { type: NumericType }).type;
    return { kind: "number", type, value: roundTo(type, f(a, b)) };
  }
  if (op === "+" && left.kind === "pointer") return { kind: "pointer", pointer: advance(left.pointer, termOf(right)) };
  const [a, b] = [termOf(left), termOf(right)];
  if (compare) return comparison(a, b, compare);
  switch (op) {
    case "+":
      return arith.add(a, b);
    case "-":
      return arith.sub(a, b);
    case "*":
      return arith.mul(a, b);
    case "/":
      return arith.div(a, b);
    case "%":
      return arith.mod(a, b);
    case "&":
      return arith.bitAnd(a, b);
    case "|":
      return arith.bitOr(a, b);
    case "^":
      return arith.bitXor(a, b);
    case "<<":
      return arith.shiftRight(a, -numberOfValue(b));
    case ">>":
      return arith.shiftRight(a, numberOfValue(b));
    case "==":
    case "!=": {
      const same = isLayoutTerm(a) && isLayoutTerm(b) ? any.equalLayouts(a, b) : arith.equal(a, b);
      return op === "==" ? same : int(Number(!same.value), same.isStatic);
    }
    case "&&":
      return arith.and(asBool(a), asBool(b));
    case "||": {
      const [x, y] = [asBool(a), asBool(b)];
      return int(
        Number(x.value !== 0 || y.value !== 0),
        (x.isStatic && y.isStatic) || (x.isStatic && x.value !== 0) || (y.isStatic && y.value !== 0),
      );
    }
    default:
      throw new CuteError(`unknown operator ${op}`);
  }
}

const isLayoutTerm = (t: Term): t is any.DomainLayout => t.kind === "layout" || t.kind === "composed";

function asBool(t: Term) {
  const x = asInt(t);
  if (!x) throw new CuteError("expected a condition");
  return x;
}

function comparison(a: Term, b: Term, f: (x: number, y: number) => boolean): Value {
  const [x, y] = [asInt(a), asInt(b)];
  if (!x || !y) throw new CuteError("only integers can be compared");
  return int(Number(f(x.value, y.value)), x.isStatic && y.isStatic);
}
