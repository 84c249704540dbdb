/**
 * CuTe's type names. A static type is represented by the value it constructs: `Layout<_8,_1>` by the layout `_8:_1`.
 * Source: the using declarations of cute/layout.hpp, cute/swizzle.hpp, cute/atom/*.hpp, cutlass/numeric_types.h.
 */
import { findCopyAtom, findMmaAtom, isCopyName, isMmaName } from "../atoms/index.js";
import { accumulator, sharedOperand } from "../atoms/mma-gmma.js";
import * as any from "../composed-layout.js";
import * as plain from "../layout.js";
import { complexOf, type NumericType, numericTypes, unsignedOfBits } from "../numeric-type.js";
import { printTerm } from "../print-term.js";
import { compactMajor } from "../stride.js";
import { swizzle } from "../swizzle.js";
import { type AnyLayout, CuteError, dyn, isStatic, type Layout, lit, type Term, tuple, underscore } from "../term.js";
import { type CopyAtomOf, copyAtomOf, tiledCopy } from "../tiled-copy.js";
import { makeTiledMma } from "../tiled-mma.js";
import {
  defaultOf,
  layoutOf,
  nameOfKind,
  numberOfValue,
  numericOf,
  plainLayoutOf,
  required,
  type TypeInfo,
  termOf,
  typeOf,
  type Value,
} from "./value.js";

/** A type as a value of the evaluator. */
export const typeValue = (type: TypeInfo): Value => ({ kind: "type", type });
const ofValue = (value: Value): Value => typeValue({ of: "value", value });

/** The term a type argument stands for: `_8` is `_8`, `int` a dynamic 0. */
export function termOfType(v: Value | undefined): Term {
  if (!v) return termOf(v);
  if (v.kind === "type") {
    if (v.type.of === "numeric" && (v.type.type.class === "int" || v.type.type.class === "uint")) return dyn(0);
    if (v.type.of === "value") return termOf(defaultOf(v.type.value));
    throw new CuteError("expected an integer, tuple or layout type");
  }
  return termOf(v);
}

/** A type argument as text, for atoms that are distinguished by it. */
function textOf(v: Value): string {
  if (v.kind === "enum") return v.name;
  if (v.kind === "type" && v.type.of === "numeric") return v.type.type.name;
  if (v.kind === "type" && v.type.of === "value" && v.type.value.kind === "int") return String(v.type.value.value);
  return String(numberOfValue(v));
}

const bitsOf = (v: Value | undefined): number =>
  v?.kind === "type" && v.type.of === "numeric" ? v.type.type.bits : numberOfValue(v?.kind === "type" ? termOfType(v) : v);

type TypeTemplate = (args: readonly Value[], name: string) => Value;

const tupleType: TypeTemplate = (args) => ofValue(tuple(...args.map(termOfType)));
const integer: TypeTemplate = (args) => ofValue(lit(numberOfValue(args.at(-1))));
const boolean =
  (f: (args: readonly Value[]) => boolean | number): TypeTemplate =>
  (args) =>
    ofValue(lit(Number(f(args))));
/** A variable template: a number, where the class template of the same name is a static integer. */
const variable =
  (f: (args: readonly Value[]) => boolean | number): TypeTemplate =>
  (args) =>
    dyn(Number(f(args)));
const same: TypeTemplate = (args) => args[0]!;

function layoutType(args: readonly Value[]): Value {
  const shape = termOfType(args[0]);
  return ofValue(plain.layout(shape, args[1] ? termOfType(args[1]) : compactMajor("left", shape)));
}

/** Shared memory layouts that GMMA accepts: rows of 16 << bits bytes, swizzled accordingly. */
function gmmaLayout(name: string, args: readonly Value[]): Value | undefined {
  const m = /^Layout_(?:(K|MN)_)?(INTER|SW32|SW64|SW128)_(Sp)?Atom(_Bits)?$/.exec(name);
  if (!m) return undefined;
  const bits = { INTER: 0, SW32: 1, SW64: 2, SW128: 3 }[m[2] as "INTER" | "SW32" | "SW64" | "SW128"];
  const majorArg = args.find((a) => a.kind === "enum");
  const major = m[1] ?? (majorArg?.kind === "enum" && majorArg.name.endsWith("MN") ? "MN" : "K");
  const width = lit(128 << bits);
  const inBits =
    major === "K" ? plain.layout(tuple(lit(8), width), tuple(width, lit(1))) : plain.layout(tuple(width, lit(8)), tuple(lit(1), width));
  const atom: AnyLayout = {
    kind: "composed",
    a: swizzle(bits, 4, 3),
    offset: { kind: "smem-flag", bits: 1, sparsity: undefined },
    b: inBits,
  };
  if (m[4]) return ofValue(atom);
  const type = numericOf(args[0]);
  const typed = any.upcast(atom, type.bits);
  if (!m[3] || typed.kind !== "composed") return ofValue(typed);
  const sparsity = numberOfValue(args[1]!);
  const block = plain.compactLayout(tuple(lit(1), lit(sparsity)));
  return ofValue({ ...typed, offset: { kind: "smem-flag", bits: type.bits, sparsity }, b: plain.blockedProduct(block, typed.b as Layout) });
}

const copyOp = (name: string, args: readonly Value[]): Value => {
  const atom = findCopyAtom(name, args.filter((a) => a.kind === "type" || a.kind === "int").map(bitsOf), args.map(textOf));
  if (typeof atom === "string") throw new CuteError(atom);
  return typeValue({ of: "copy-op", atom });
};

/** `Copy_Traits<op, Int<bits>, ..>`: TMA operations get their width from the second argument. */
const copyTraits: TypeTemplate = (args) => {
  const op = args[0];
  if (op?.kind !== "type" || op.type.of !== "copy-op") throw new CuteError("Copy_Traits needs a copy operation");
  return args[1] ? copyOp(op.type.atom.name.replace(/<.*/, ""), [args[1]]) : op;
};

const copyAtom: TypeTemplate = (args) => {
  const op = args[0];
  if (op?.kind !== "type" || op.type.of !== "copy-op")
    throw new CuteError(`Copy_Atom needs a copy operation, found ${op ? nameOfKind(op) : "nothing"}`);
  return ofValue(copyAtomOf(op.type.atom, numericOf(args[1])));
};

const mmaAtom: TypeTemplate = (args) => {
  const op = args[0];
  if (op?.kind === "type" && op.type.of === "mma-op") return ofValue({ kind: "mma-atom", atom: op.type.atom });
  if (op?.kind === "type" && op.type.of === "value" && op.type.value.kind === "mma-atom") return op;
  throw new CuteError("MMA_Atom needs an MMA operation");
};

function valueIn<K extends Value["kind"]>(v: Value | undefined, kind: K, what: string): Extract<Value, { kind: K }> {
  const inner = v?.kind === "type" && v.type.of === "value" ? v.type.value : v;
  if (inner?.kind !== kind) throw new CuteError(`expected ${what}`);
  return inner as Extract<Value, { kind: K }>;
}

const templates: Readonly<Record<string, TypeTemplate>> = {
  ...Object.fromEntries(["Shape", "Stride", "Step", "Coord", "Tile", "tuple", "ArithmeticTuple"].map((n) => [n, tupleType])),
  ...Object.fromEntries(["Int", "C", "constant", "integral_constant", "bool_constant"].map((n) => [n, integer])),
  Layout: layoutType,
  ComposedLayout: ([a, o, b]) =>
    ofValue({ kind: "composed", a: layoutOf(termOfType(a)), offset: termOfType(o), b: layoutOf(termOfType(b)) }),
  Swizzle: (args) => ofValue(swizzle(...(args.map(numberOfValue) as [number, number, number?]))),
  ScaledBasis: ([t, ...ns]) => {
    const value = termOfType(t);
    if (value.kind !== "int") throw new CuteError("ScaledBasis needs an integer");
    return ofValue({ kind: "basis", value, modes: ns.map(numberOfValue) });
  },
  E: (ns) => ofValue({ kind: "basis", value: lit(1), modes: ns.map(numberOfValue) }),
  smem_ptr_flag_bits: ([b]) => ofValue({ kind: "smem-flag", bits: numberOfValue(b), sparsity: undefined }),
  smem_sparse_ptr_flag_bits: ([s, b]) => ofValue({ kind: "smem-flag", bits: numberOfValue(b), sparsity: numberOfValue(s) }),
  ABLayout: ([m, k]) => ofValue(sharedOperand(numberOfValue(m), numberOfValue(k))),
  CLayout_64xN: ([n]) => ofValue(accumulator(numberOfValue(n))),
  MMA_Atom: mmaAtom,
  MMA_Traits: same,
  Copy_Atom: copyAtom,
  Copy_Traits: copyTraits,
  TiledMMA: ([atom, threads, tile]) =>
    ofValue(makeTiledMma(valueIn(atom, "mma-atom", "an MMA_Atom").atom, threads && plainLayoutOf(threads), tile && termOfType(tile))),
  TiledCopy: ([atom, tv, tiler]) =>
    ofValue(tiledCopy(valueIn(atom, "copy-atom", "a Copy_Atom") as CopyAtomOf, layoutOf(termOfType(tv)), termOfType(tiler))),
  conditional_t: ([test, yes, no]) => required(numberOfValue(test) ? yes : no),
  conditional: ([test, yes, no]) => required(numberOfValue(test) ? yes : no),
  ...Object.fromEntries(
    ["remove_cvref_t", "remove_cv_t", "remove_reference_t", "decay_t", "type_identity_t", "add_const_t"].map((n) => [n, same]),
  ),
  is_same: boolean(([a, b]) => sameType(required(a), required(b))),
  is_same_v: variable(([a, b]) => sameType(required(a), required(b))),
  is_static: boolean(([a]) => isStatic(termOfType(a))),
  is_static_v: variable(([a]) => isStatic(termOfType(a))),
  sizeof_bits: boolean(([a]) => bitsOf(a)),
  sizeof_bits_v: variable(([a]) => bitsOf(a)),
  uint_bit_t: ([n]) => typeValue({ of: "numeric", type: unsignedOfBits(numberOfValue(n)) }),
  uint_byte_t: ([n]) => typeValue({ of: "numeric", type: unsignedOfBits(8 * numberOfValue(n)) }),
  complex: ([t]) => typeValue({ of: "numeric", type: complexOf(numericOf(t)) }),
  cosize_v: variable(([l]) => numberOfValue(any.cosize(layoutOf(termOfType(l))))),
  size_v: variable(([t]) => sizeOfTerm(termOfType(t))),
  rank_v: variable(([t]) => {
    const x = termOfType(t);
    return x.kind === "tuple" ? x.items.length : x.kind === "layout" || x.kind === "composed" ? any.rank(x) : 1;
  }),
  tuple_size_v: variable(([t]) => numberOfValue(lit(tupleSize(termOfType(t))))),
};

const tupleSize = (t: Term): number => (t.kind === "tuple" ? t.items.length : 1);
const sizeOfTerm = (t: Term): number => numberOfValue(any.size(t.kind === "layout" || t.kind === "composed" ? t : plain.compactLayout(t)));

function sameType(a: Value, b: Value): boolean {
  const [x, y] = [typeOf(a), typeOf(b)];
  if (x.of === "numeric" && y.of === "numeric") return x.type.name === y.type.name;
  if (x.of === "value" && y.of === "value") {
    try {
      return printTerm(termOf(x.value)) === printTerm(termOf(y.value));
    } catch {
      return x.value.kind === y.value.kind && JSON.stringify(x.value) === JSON.stringify(y.value);
    }
  }
  if (x.of === "mma-op" && y.of === "mma-op") return x.atom.name === y.atom.name;
  if (x.of === "copy-op" && y.of === "copy-op") return x.atom.name === y.atom.name;
  return false;
}

/** Types that are written without template arguments. */
const plainTypes: Readonly<Record<string, Value>> = {
  Underscore: ofValue(underscore),
  X: ofValue(underscore),
  LayoutLeft: ofValue({ kind: "major", major: "left" }),
  GenColMajor: ofValue({ kind: "major", major: "left" }),
  LayoutRight: ofValue({ kind: "major", major: "right" }),
  GenRowMajor: ofValue({ kind: "major", major: "right" }),
  true_type: ofValue(lit(1)),
  false_type: ofValue(lit(0)),
  smem_ptr_flag: ofValue({ kind: "smem-flag", bits: 1, sparsity: undefined }),
};

/** The type of a name; undefined when there is none. */
export function findType(name: string, args: readonly Value[] | undefined): Value | undefined {
  const constant = /^_(m?)(\d+)$/.exec(name);
  if (constant) return ofValue(lit(Number(constant[2]) * (constant[1] ? -1 : 1)));
  const fixed = plainTypes[name];
  if (fixed) return fixed;
  const numeric: NumericType | undefined = numericTypes.get(name);
  if (numeric && !args) return typeValue({ of: "numeric", type: numeric });
  const gmma = gmmaLayout(name, args ?? []);
  if (gmma) return gmma;
  if (isMmaName(name)) {
    const atom = findMmaAtom(name, (args ?? []).map(textOf));
    if (typeof atom === "string") throw new CuteError(atom);
    return typeValue({ of: "mma-op", atom });
  }
  if (isCopyName(name))
    return isTmaWithoutWidth(name, args) ? typeValue({ of: "copy-op", atom: placeholderTma(name) }) : copyOp(name, args ?? []);
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  return template && args ? template(args, name) : undefined;
}

/** TMA operations name their width only in Copy_Traits. */
const isTmaWithoutWidth = (name: string, args: readonly Value[] | undefined): boolean =>
  /^SM90_(TMA|BULK_COPY_[GS])/.test(name) && (args === undefined || args.length === 0);
function placeholderTma(name: string) {
  const atom = findCopyAtom(name, [128], []);
  if (typeof atom === "string") throw new CuteError(atom);
  return { ...atom, name };
}

/** Whether a name is a class template, so that `Layout{shape, stride}` deduces its arguments. */
export const isTypeTemplate = (name: string): boolean => Object.hasOwn(templates, name);
/** All type names, for suggestions. */
export const typeNames = (): readonly string[] => [...Object.keys(templates), ...Object.keys(plainTypes), ...numericTypes.keys()];
