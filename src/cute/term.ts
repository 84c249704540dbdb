/**
 * The values CuTe computes with. `_8` is a static integer (part of a C++ type), `8` a dynamic one; a shape or stride is
 * an integer or a tuple of shapes; a tile is a tuple whose leaves may be layouts; `_1@0` is a unit of coordinate 0.
 *
 *   ((_4,8),_):   tuple(tuple(static 4, dynamic 8), underscore)
 *
 * Whether an integer is static decides which simplifications CuTe can make, so it is part of every result.
 * Source: cute/numeric/integral_constant.hpp, cute/underscore.hpp, cute/numeric/arithmetic_tuple.hpp, cute/swizzle.hpp.
 */

/** An integer; `isStatic` says whether C++ knows it at compile time. Booleans are the integers 0 and 1. */
export interface Int {
  readonly kind: "int";
  readonly value: number;
  readonly isStatic: boolean;
}

/** `_`: keep this mode when slicing, leave it alone when tiling. It counts as a static 0 in arithmetic. */
export interface Underscore {
  readonly kind: "underscore";
}

/** `value@modes`: an integer in one place of a (nested) coordinate; modes outermost first. */
export interface ScaledBasis {
  readonly kind: "basis";
  readonly value: Int;
  readonly modes: readonly number[];
}

/** A 32-bit offset of which some bits are static: `staticBits | (dynamic & flags)`. */
export interface MixedBits {
  readonly kind: "mixed";
  readonly staticBits: number;
  readonly flags: number;
  readonly dynamic: number;
}

/** The stand-in for a shared memory pointer of `bits`-wide (sparse: `sparsity` elements stored as one) values. */
export interface SmemFlag {
  readonly kind: "smem-flag";
  readonly bits: number;
  readonly sparsity: number | undefined;
}

/** A (nested) tuple: shapes, strides, coordinates, tiles. */
export interface Tuple {
  readonly kind: "tuple";
  readonly items: readonly Term[];
}

/** A function from coordinates of `shape` to integers or coordinates: the sum of coordinate times stride. */
export interface Layout {
  readonly kind: "layout";
  readonly shape: Term;
  readonly stride: Term;
}

/** Exclusive-or of `bits` bits at `base` with those `shift` above (below when negative). */
export interface Swizzle {
  readonly kind: "swizzle";
  readonly bits: number;
  readonly base: number;
  readonly shift: number;
}

/** `a o offset o b`: coordinates go through `b`, `offset` is added, `a` comes last. */
export interface ComposedLayout {
  readonly kind: "composed";
  readonly a: AnyLayout;
  readonly offset: Term;
  readonly b: AnyLayout;
}

/** Anything that maps coordinates to offsets. */
export type AnyLayout = Layout | ComposedLayout | Swizzle;

/** Every value of the algebra. */
export type Term = Int | Underscore | ScaledBasis | MixedBits | SmemFlag | Tuple | AnyLayout;

/** CuTe would not compile: what does not hold, in one sentence. The evaluator adds where. */
export class CuteError extends Error {
  override readonly name = "CuteError";
}

/** A static integer, `_v`. */
export const lit = (value: number): Int => ({ kind: "int", value, isStatic: true });
/** A dynamic integer, `v`. */
export const dyn = (value: number): Int => ({ kind: "int", value, isStatic: false });
/** An integer, static or dynamic. */
export const int = (value: number, isStatic: boolean): Int => ({ kind: "int", value, isStatic });
/** A tuple of terms. */
export const tuple = (...items: readonly Term[]): Tuple => ({ kind: "tuple", items });
/** `_`. */
export const underscore: Underscore = { kind: "underscore" };
/** `_0` and `_1`, used everywhere. */
export const zero = lit(0);
export const one = lit(1);

/** Whether `t` is a tuple; everything else is a leaf. */
export const isTuple = (t: Term): t is Tuple => t.kind === "tuple";
/** Whether CuTe calls it integral: integers, `_`, scaled bases and pointer flags. */
export const isIntegral = (t: Term): boolean => t.kind === "int" || t.kind === "underscore" || t.kind === "basis" || t.kind === "smem-flag";
/** Whether `t` is the static integer `value` itself (neither `_` nor a flag count). */
export const isConstant = (value: number, t: Term): boolean => t.kind === "int" && t.isStatic && t.value === value;
/** Whether it is a layout of any kind. */
export const isLayout = (t: Term): t is Layout | ComposedLayout => t.kind === "layout" || t.kind === "composed";

/** Whether the value is known from its C++ type alone. */
export function isStatic(t: Term): boolean {
  switch (t.kind) {
    case "int":
      return t.isStatic;
    case "underscore":
    case "smem-flag":
    case "swizzle":
      return true;
    case "basis":
      return t.value.isStatic;
    case "mixed":
      return false;
    case "tuple":
      return t.items.every(isStatic);
    case "layout":
      return isStatic(t.shape) && isStatic(t.stride);
    case "composed":
      return isStatic(t.a) && isStatic(t.offset) && isStatic(t.b);
  }
}

/** The integer a leaf stands for in arithmetic; undefined when it is not a plain number. */
export function asInt(t: Term): Int | undefined {
  if (t.kind === "int") return t;
  if (t.kind === "underscore" || t.kind === "smem-flag") return zero;
  if (t.kind === "mixed") return dyn((t.staticBits | t.dynamic) >>> 0);
  if (t.kind === "basis" && t.modes.length === 0) return t.value;
  return undefined;
}

/** The number a leaf stands for; an error names `what` was expected. */
export function numberOf(t: Term, what = "an integer"): number {
  const v = asInt(t);
  if (!v) throw new CuteError(`expected ${what}, found ${describe(t)}`);
  return v.value;
}

/** The name of a term's kind, for error messages. */
export function describe(t: Term): string {
  const names = {
    int: "an integer",
    underscore: "_",
    basis: "a scaled basis",
    mixed: "mixed bits",
    "smem-flag": "a pointer flag",
    tuple: "a tuple",
    layout: "a layout",
    composed: "a composed layout",
    swizzle: "a swizzle",
  };
  return names[t.kind];
}

/** `get<i>`: an element of a tuple; an integer is its own element 0. */
export function get(t: Term, ...path: readonly number[]): Term {
  for (const i of path) {
    if (t.kind === "tuple") {
      const item = t.items[i];
      if (!item) throw new CuteError(`index ${i} is out of range: the tuple has ${t.items.length} elements`);
      t = item;
    } else if (isIntegral(t)) {
      if (i !== 0) throw new CuteError(`index ${i} is out of range: an integer has one mode`);
    } else throw new CuteError(`cannot take element ${i} of ${describe(t)}`);
  }
  return t;
}

/** The modes of a tuple, or the leaf alone. */
export const itemsOf = (t: Term): readonly Term[] => (t.kind === "tuple" ? t.items : [t]);
/** Number of modes; a leaf has one. */
export const rankOf = (t: Term): number => (t.kind === "tuple" ? t.items.length : 1);
