/**
 * The values of C++ expressions: terms of the algebra, tensors, atoms, tiled objects, types and functions.
 */
import type { CopyAtom } from "../atoms/copy-atom.js";
import type { MmaAtom } from "../atoms/mma-atom.js";
import { domainOf } from "../composed-layout.js";
import type { NumericType } from "../numeric-type.js";
import type { Pointer, Tensor } from "../tensor.js";
import { type AnyLayout, CuteError, dyn, isStatic, type Layout, type Term } from "../term.js";
import type { CopyAtomOf, ThrCopy, TiledCopy } from "../tiled-copy.js";
import type { ThrMma, TiledMma } from "../tiled-mma.js";
import type { Stmt } from "./ast.js";

/** A C++ type: of a value that stands for it, of numbers, of pointers, or of an operation that atoms are made of. */
export type TypeInfo =
  | { readonly of: "value"; readonly value: Value }
  | { readonly of: "numeric"; readonly type: NumericType }
  | { readonly of: "pointer"; readonly to: TypeInfo }
  | { readonly of: "mma-op"; readonly atom: MmaAtom }
  | { readonly of: "copy-op"; readonly atom: CopyAtom };

/** A number of a type (what dereferencing gives, and floating point). */
export interface NumberValue {
  readonly kind: "number";
  readonly type: NumericType;
  readonly value: number;
}

/** A function of the library, called with template and ordinary arguments. */
export type Builtin = (call: Call) => Value;

/** The arguments of a call and what it may do besides returning: print. */
export interface Call {
  readonly name: string;
  readonly args: readonly Value[];
  readonly templateArgs: readonly Value[];
  readonly write: (text: string) => void;
  /** Calls a function value (a lambda argument). */
  readonly invoke: (f: Value, args: readonly Value[]) => Value;
}

export type Value =
  | Term
  | Tensor
  | NumberValue
  | TiledMma
  | ThrMma
  | CopyAtomOf
  | TiledCopy
  | ThrCopy
  | { readonly kind: "pointer"; readonly pointer: Pointer }
  | { readonly kind: "mma-atom"; readonly atom: MmaAtom }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "type"; readonly type: TypeInfo }
  | { readonly kind: "major"; readonly major: "left" | "right" }
  | { readonly kind: "enum"; readonly name: string }
  | { readonly kind: "function"; readonly name: string; readonly call: Builtin }
  | { readonly kind: "closure"; readonly parameters: readonly string[]; readonly body: readonly Stmt[]; readonly scope: Scope }
  | { readonly kind: "pack"; readonly items: readonly Value[] }
  | { readonly kind: "void" };

/** Names and their values; inner scopes see outer ones. */
export interface Scope {
  readonly values: Map<string, Value>;
  readonly outer: Scope | undefined;
}

export const voidValue: Value = { kind: "void" };

const termKinds = new Set(["int", "underscore", "basis", "mixed", "smem-flag", "tuple", "layout", "swizzle", "composed"]);
/** Whether a value is a term of the algebra. */
export const isTerm = (v: Value): v is Term => termKinds.has(v.kind);

/** The name of a value's kind, for messages. */
export function nameOfKind(v: Value): string {
  const names: Partial<Record<Value["kind"], string>> = {
    int: "an integer",
    tuple: "a tuple",
    layout: "a layout",
    composed: "a composed layout",
    swizzle: "a swizzle",
    tensor: "a tensor",
    number: "a number",
    "tiled-mma": "a TiledMMA",
    "thr-mma": "a ThrMMA",
    "copy-atom": "a Copy_Atom",
    "tiled-copy": "a TiledCopy",
    "thr-copy": "a ThrCopy",
    "mma-atom": "an MMA_Atom",
    pointer: "a pointer",
    string: "a string",
    type: "a type",
    function: "a function",
    major: "a layout tag",
    void: "nothing",
  };
  return names[v.kind] ?? v.kind;
}

const missing = (): CuteError => new CuteError("an argument is missing");

/** A value that must be there: a template argument, say. */
export function required(v: Value | undefined): Value {
  if (!v) throw missing();
  return v;
}

/** The term an argument must be. Numbers of integer type are dynamic integers. */
export function termOf(v: Value | undefined): Term {
  if (!v) throw missing();
  if (isTerm(v)) return v;
  if (v.kind === "number") return dyn(Math.trunc(v.value));
  if (v.kind === "tensor" && v.layout.kind === "layout") return v.layout;
  if (v.kind === "type" && v.type.of === "value") return termOf(v.type.value);
  if (v.kind === "pack") return { kind: "tuple", items: v.items.map(termOf) };
  throw new CuteError(`expected an integer, tuple or layout, found ${nameOfKind(v)}`);
}

/** The number an argument must be. */
export function numberOfValue(v: Value | undefined): number {
  if (!v) throw missing();
  if (v.kind === "number") return v.value;
  const t = termOf(v);
  if (t.kind === "int") return t.value;
  if (t.kind === "underscore" || t.kind === "smem-flag") return 0;
  if (t.kind === "mixed") return (t.staticBits | t.dynamic) >>> 0;
  if (t.kind === "basis" && t.modes.length === 0) return t.value.value;
  throw new CuteError(`expected a number, found ${nameOfKind(v)}`);
}

/** The layout an argument must be (of a tensor: its layout). */
export function layoutOf(v: Value | undefined): AnyLayout {
  if (!v) throw missing();
  if (v.kind === "tensor") return v.layout;
  if (v.kind === "layout" || v.kind === "composed" || v.kind === "swizzle") return v;
  if (v.kind === "type" && v.type.of === "value") return layoutOf(v.type.value);
  throw new CuteError(`expected a layout, found ${nameOfKind(v)}`);
}

/** A layout without swizzle. */
export function plainLayoutOf(v: Value): Layout {
  const l = layoutOf(v);
  if (l.kind !== "layout") throw new CuteError(`expected a plain layout, found ${nameOfKind(l)}`);
  return domainOf(l);
}

/** The element type an argument names. */
export function numericOf(v: Value | undefined): NumericType {
  if (v?.kind === "type" && v.type.of === "numeric") return v.type.type;
  if (v?.kind === "type" && v.type.of === "value" && v.type.value.kind === "number") return v.type.value.type;
  throw new CuteError(`expected an element type, found ${v ? nameOfKind(v) : "nothing"}`);
}

/** The type of a value, as `decltype` gives it. */
export const typeOf = (v: Value | undefined): TypeInfo =>
  v === undefined
    ? typeOf(required(v))
    : v.kind === "type"
      ? v.type
      : v.kind === "number"
        ? { of: "numeric", type: v.type }
        : { of: "value", value: v };

/** A type's default value: dynamic integers are 0. */
export function defaultOf(v: Value): Value {
  if (isTerm(v)) return isStatic(v) ? v : zeroDynamic(v);
  if (v.kind === "tensor") return { ...v, layout: zeroDynamic(v.layout) as Tensor["layout"] };
  return v;
}

function zeroDynamic(t: Term): Term {
  switch (t.kind) {
    case "int":
      return t.isStatic ? t : dyn(0);
    case "tuple":
      return { kind: "tuple", items: t.items.map(zeroDynamic) };
    case "layout":
      return { kind: "layout", shape: zeroDynamic(t.shape), stride: zeroDynamic(t.stride) };
    case "composed":
      return { ...t, a: zeroDynamic(t.a) as AnyLayout, offset: zeroDynamic(t.offset), b: zeroDynamic(t.b) as AnyLayout };
    case "basis":
      return { ...t, value: t.value.isStatic ? t.value : dyn(0) };
    case "mixed":
      return { ...t, dynamic: 0 };
    default:
      return t;
  }
}
