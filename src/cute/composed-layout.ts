/**
 * The layout operations for plain and composed layouts alike. A composed layout `a o offset o b` takes its coordinates
 * from `b`, so that nearly all operations act on `b`; slicing a swizzled one tries to give back a plain layout:
 *
 *   Sw<3,3,3> o _0 o (_8,_64):(_64,_1) at (_,3) -> rows meet no swizzled column bits -> (_8):(_64 with flips as strides)
 *
 * Source: cute/layout_composed.hpp, cute/swizzle_layout.hpp, cute/pointer_flagged.hpp.
 */
import { add, bitAnd, choose, equal, gcd, min, neg, sub } from "./arithmetic.js";
import { allUnderscore, dice, hasUnderscore, product, repeat } from "./int-tuple.js";
import * as plain from "./layout.js";
import {
  andBits,
  applySwizzle,
  composeSwizzles,
  downcastOffset,
  downcastSwizzle,
  offsetAlignment,
  swizzle,
  swizzleOfMasks,
  toMixedBits,
  upcastOffset,
  upcastSwizzle,
  xorBits,
  yMask,
  zMask,
} from "./swizzle.js";
import {
  type AnyLayout,
  asInt,
  type ComposedLayout,
  CuteError,
  describe,
  get,
  type Int,
  isConstant,
  isLayout,
  isStatic,
  type Layout,
  lit,
  one,
  rankOf,
  type Swizzle,
  type Term,
  tuple,
  zero,
} from "./term.js";

/** A layout that has a domain: plain or composed. */
export type DomainLayout = Layout | ComposedLayout;

/** `a o offset o b`; a swizzle of no bits at offset `_0` is left out. */
export function compose3(a: AnyLayout, offset: Term, b: AnyLayout): AnyLayout {
  if (a.kind === "swizzle" && a.bits === 0 && isConstant(0, offset) && b.kind === "layout") return b;
  return { kind: "composed", a, offset, b };
}

/** The plain layout that gives a composed one its coordinates. */
export function domainOf(l: AnyLayout): Layout {
  while (l.kind === "composed") l = l.b;
  if (l.kind === "swizzle") throw new CuteError("a swizzle alone has no shape");
  return l;
}

/** Applies `f` to the part that carries the coordinates. */
function onDomain(l: AnyLayout, f: (b: DomainLayout) => AnyLayout): AnyLayout {
  return l.kind === "composed" ? compose3(l.a, l.offset, f(asDomain(l.b))) : f(asDomain(l));
}

function asDomain(l: AnyLayout): DomainLayout {
  if (l.kind === "swizzle") throw new CuteError("a swizzle alone has no shape");
  return l;
}

/** The operations that only touch the domain, one for each of the plain ones. */
const lift =
  <A extends readonly unknown[]>(f: (l: Layout, ...args: A) => Layout) =>
  (l: AnyLayout, ...args: A): AnyLayout =>
    onDomain(l, (b) => (b.kind === "layout" ? f(b, ...args) : lift(f)(b, ...args)));

export const mode = lift(plain.mode);
export const take = lift(plain.take);
export const select = lift(plain.select);
export const flatten = lift(plain.flatten);
export const unflatten = lift(plain.unflatten);
export const group = lift(plain.group);
export const appendMode = lift(plain.appendMode);
export const prependMode = lift(plain.prependMode);
export const zip = lift(plain.zip);
export const coalesce = lift(plain.coalesce);
export const filter = lift(plain.filter);
export const filterZeros = lift(plain.filterZeros);
export const logicalDivide = lift(plain.logicalDivide);
export const zippedDivide = lift(plain.zippedDivide);
export const tiledDivide = lift(plain.tiledDivide);
export const flatDivide = lift(plain.flatDivide);
export const tileUnzip = lift(plain.tileUnzip);
export const zippedProduct = lift(plain.zippedProduct);
export const tiledProduct = lift(plain.tiledProduct);
export const flatProduct = lift(plain.flatProduct);
export const blockedProduct = lift(plain.blockedProduct);
export const rakedProduct = lift(plain.rakedProduct);
export const tileToShape = lift(plain.tileToShape);

/** Queries about the domain. */
export const shape = (l: AnyLayout): Term => domainOf(l).shape;
export const size = (l: AnyLayout): Term => product(shape(l));
export const rank = (l: AnyLayout): number => rankOf(shape(l));
export const cosize = (l: AnyLayout): Term => plain.cosize(domainOf(l));
/** A composed layout has no strides; asking is an error. */
export function stride(l: AnyLayout): Term {
  if (l.kind !== "layout") throw new CuteError(`${describe(l)} has no strides`);
  return l.stride;
}
export const nullspace = (l: AnyLayout): Layout => (l.kind === "layout" ? plain.nullspace(l) : plain.trivial);
export const complement = (l: AnyLayout, cotarget?: Term): Layout => plain.complement(domainOf(l), cotarget ?? cosize(l));

/** A swizzle alone as a layout of all offsets it can tell apart. */
export const layoutOfSwizzle = (s: Swizzle): AnyLayout => composition(s, plain.compactLayout(lit(s.base + s.bits + Math.abs(s.shift))));

/** The function `i -> lhs(rhs(i))`; tilers are applied mode by mode. */
export function composition(lhs: AnyLayout, rhs: Term): AnyLayout {
  if (lhs.kind === "composed") return compose3(lhs.a, lhs.offset, composition(lhs.b, rhs));
  if (lhs.kind === "swizzle") {
    if (rhs.kind === "swizzle") return composeSwizzles(lhs, rhs);
    if (isLayout(rhs)) return compose3(lhs, zero, rhs);
    throw new CuteError(`composition: cannot compose a swizzle with ${describe(rhs)}`);
  }
  if (rhs.kind === "composed") {
    if (equal(rhs.offset, zero).value === 0) throw new CuteError("composition: the offset must be 0");
    return composition(composition(lhs, rhs.a), rhs.b);
  }
  if (rhs.kind === "swizzle") {
    const at = (mask: number) => asInt(plain.apply(lhs, lit(mask)))?.value ?? 0;
    return compose3(swizzleOfMasks(at(yMask(rhs)), at(zMask(rhs))), zero, lhs);
  }
  return plain.composition(lhs, rhs);
}

/** `composition` with a shape: the same elements in another arrangement. */
export const withShape = (l: AnyLayout, newShape: Term): AnyLayout => composition(l, plain.compactLayout(newShape));

/** The offset at a coordinate, or the sublayout that a coordinate with `_` keeps. */
export function apply(l: AnyLayout, coord: Term): Term {
  if (l.kind === "swizzle") return applySwizzle(l, coord);
  if (hasUnderscore(coord)) return l.kind === "layout" ? plain.slice(coord, l) : sliceAndOffset(coord, l).layout;
  if (l.kind === "layout") return plain.apply(l, coord);
  return apply(l.a, add(l.offset, apply(l.b, coord)));
}

/** The sublayout that a coordinate with `_` selects, and the offset that remains outside of the layout. */
export function sliceAndOffset(coord: Term, l: DomainLayout): { layout: DomainLayout; offset: Term } {
  if (l.kind === "layout") return { layout: plain.slice(coord, l), offset: plain.sliceOffset(coord, l) };
  const b = asDomain(l.b);
  if (l.a.kind === "swizzle" && l.offset.kind !== "smem-flag" && b.kind === "layout") return sliceSwizzled(coord, l.a, l.offset, b);
  const inner = sliceAndOffset(coord, b);
  const offset = isConstant(0, inner.offset) ? l.offset : add(l.offset, inner.offset);
  return { layout: { kind: "composed", a: l.a, offset, b: inner.layout }, offset: zero };
}

/** The offset of moving the origin of a layout to `coord`. */
export function domainOffset(coord: Term, l: DomainLayout): { layout: DomainLayout; offset: Term } {
  if (l.kind === "layout") return { layout: l, offset: plain.apply(l, coord) };
  return { layout: { ...l, offset: add(l.offset, apply(l.b, coord)) }, offset: zero };
}

/** Slices `sw o offset o b`; the result is plain when what is kept does not touch both bits of any swizzled pair. */
function sliceSwizzled(coord: Term, sw: Swizzle, offset: Term, b: Layout): { layout: DomainLayout; offset: Term } {
  if (allUnderscore(coord)) return { layout: asDomain(compose3(sw, offset, plain.slice(coord, b))), offset: zero };
  const { bits, base, shift } = sw;
  const distance = Math.abs(shift);
  const fields = plain.compactLayout(tuple(lit(1 << base), lit(1 << bits), lit(1 << (distance - bits)), lit(1 << bits), one));
  const at = (i: number) => get(fields.stride, i);
  const outside = plain.layout(fields.shape, tuple(at(0), zero, at(2), zero, plain.size(fields)));
  const swizzled = plain.layout(fields.shape, tuple(zero, at(1), zero, at(3), zero));

  const kept = plain.slice(coord, b);
  const fixed = plain.diceLayout(coord, b);
  const fixedCoord = dice(coord, coord);
  const swizzledOffset = xorBits(offset, toMixedBits(plain.composition(swizzled, fixed), fixedCoord));
  const outsideOffset = plain.apply(plain.composition(outside, fixed), fixedCoord);

  const keptSwizzled = plain.composition(swizzled, kept);
  const active = plain.apply(keptSwizzled, sub(plain.size(keptSwizzled), one));
  const image = asInt(applySwizzle(sw, active));
  const both = image ? bitAnd(active, { ...image, value: ~image.value }) : zero;
  if (isStatic(both) && asInt(both)!.value !== 0) return { layout: asDomain(compose3(sw, swizzledOffset, kept)), offset: outsideOffset };

  const z = zMask(sw) & -zMask(sw);
  const y = yMask(sw) & -yMask(sw);
  const flips = (zLow: boolean): Term =>
    tuple(
      ...Array.from({ length: bits }, (_, i) => {
        const probe = andBits(swizzledOffset, lit((zLow ? y : z) << i));
        const clear = equalsZero(probe);
        const [up, down] = zLow ? [z, -z] : [y + z, y - z];
        return choose(clear, lit(up * (1 << i)), lit(down * (1 << i)));
      }),
    );
  const ones = repeat(bits, lit(2));
  const unrolled = plain.layout(
    tuple(lit(1 << base), ones, lit(1 << (distance - bits)), ones, one),
    tuple(one, flips(z < y), lit(1 << (base + bits)), flips(z > y), lit(1 << (base + bits + distance))),
  );
  return { layout: plain.composition(unrolled, kept), offset: add(applySwizzle(sw, swizzledOffset), outsideOffset) };
}

function equalsZero(t: Term): Int {
  if (t.kind !== "mixed") return equal(t, zero);
  return { kind: "int", value: Number(t.staticBits === 0 && t.dynamic === 0), isStatic: false };
}

/** The nested, flat and linear coordinate at an offset; plain layouts only. */
const plainOnly = (l: AnyLayout, what: string): Layout => {
  if (l.kind !== "layout") throw new CuteError(`${what}: not defined for ${describe(l)}`);
  return l;
};
export const hierCoord = (l: AnyLayout, index: Term): Term => plain.hierCoord(plainOnly(l, "get_hier_coord"), index);
export const flatCoord = (l: AnyLayout, index: Term): Term => plain.flatCoord(plainOnly(l, "get_flat_coord"), index);
export const coord1d = (l: AnyLayout, index: Term): Term => plain.coord1d(plainOnly(l, "get_1d_coord"), index);

/** Inverses; a swizzle is its own, an offset's is its negative. */
export const rightInverse = (t: Term): Term => inverse(t, plain.rightInverse);
export const leftInverse = (t: Term): Term => inverse(t, plain.leftInverse);

function inverse(t: Term, ofPlain: (l: Layout) => Layout): Term {
  if (t.kind === "layout") return ofPlain(t);
  if (t.kind === "swizzle" || t.kind === "underscore") return t;
  if (t.kind !== "composed") return neg(t);
  const [a, b] = [inverse(t.a, ofPlain) as AnyLayout, inverse(t.b, ofPlain) as AnyLayout];
  if (t.a.kind === "swizzle" && isConstant(0, t.offset)) return composition(b, a);
  return compose3(b, inverse(t.offset, ofPlain), a);
}

/** Layouts in elements `n` times as large, or an n-th; swizzle and offset follow. */
export function upcast(l: AnyLayout, n: number): AnyLayout {
  if (l.kind === "layout") return plain.upcast(l, n);
  if (l.kind === "swizzle") return upcastSwizzle(l, n);
  if (l.offset.kind === "smem-flag") return compose3(l.a, { ...l.offset, bits: l.offset.bits * n }, upcast(l.b, n));
  // Even a swizzle of no bits stays: its offset is an unsigned 0, which CuTe does not take for `_0`.
  return { kind: "composed", a: upcast(l.a, n), offset: upcastOffset(l.offset, n), b: upcast(l.b, n) };
}
export function downcast(l: AnyLayout, n: number): AnyLayout {
  if (l.kind === "layout") return plain.downcast(l, n);
  if (l.kind === "swizzle") return downcastSwizzle(l, n);
  if (l.offset.kind === "smem-flag") return compose3(l.a, { ...l.offset, bits: Math.trunc(l.offset.bits / n) }, downcast(l.b, n));
  return { kind: "composed", a: downcast(l.a, n), offset: downcastOffset(l.offset, n), b: downcast(l.b, n) };
}

/** A layout of elements of `oldBits` as one of elements of `newBits`. */
export function recast(l: AnyLayout, oldBits: number, newBits: number): AnyLayout {
  const common = gcdNumber(oldBits, newBits);
  const [num, den] = [newBits / common, oldBits / common];
  if (num === 1 && den === 1) return l;
  if (num === 1) return downcast(l, den);
  if (den === 1) return upcast(l, num);
  return downcast(upcast(l, num), den);
}

const gcdNumber = (a: number, b: number): number => (b === 0 ? a : gcdNumber(b, a % b));

/** The longest common prefix of two layouts; a swizzle keeps `1 << base` elements together. */
export function maxCommonLayout(a: AnyLayout, b: AnyLayout): AnyLayout {
  if (a.kind === "layout" && b.kind === "layout") return plain.maxCommonLayout(a, b);
  const [composed, other] = a.kind === "composed" ? [a, b] : [b as ComposedLayout, a];
  if (composed.kind !== "composed" || composed.a.kind !== "swizzle" || other.kind !== "layout" || composed.b.kind !== "layout")
    throw new CuteError("max_common_layout: needs a plain layout and at most one swizzled one");
  const common = plain.maxCommonLayout(composed.b, other);
  const limit = lit(1 << composed.a.base);
  return limit.value < (asInt(plain.size(common))?.value ?? 0) ? plain.composition(common, limit) : common;
}

export function maxCommonVector(a: AnyLayout, b: AnyLayout): Term {
  if (a.kind === "layout" && b.kind === "layout") return plain.maxCommonVector(a, b);
  const swizzleOf = (l: AnyLayout) => (l.kind === "composed" && l.a.kind === "swizzle" ? l.a : undefined);
  const vector = plain.maxCommonVector(domainOf(a.kind === "composed" ? a : b), domainOf(a.kind === "composed" ? b : a));
  const [sa, sb] = [swizzleOf(a), swizzleOf(b)];
  if (sa && sb && sa.bits === sb.bits && sa.base === sb.base && sa.shift === sb.shift) return vector;
  return [sa, sb].reduce<Term>((v, s) => (s ? min(v, lit(1 << s.base)) : v), vector);
}

/** The largest n for which `upcast` by n is possible. */
export function maxAlignment(l: AnyLayout): Term {
  if (l.kind === "layout") return plain.maxAlignment(l);
  if (l.kind === "swizzle") return lit(1 << l.base);
  if (l.a.kind !== "swizzle") return one;
  return gcd(gcd(maxAlignment(l.a), offsetAlignment(l.offset)), maxAlignment(l.b));
}

/** Repeats a block; a swizzled tiler passes its swizzle on to the result. */
export function logicalProduct(block: AnyLayout, tiler: Term): AnyLayout {
  if (tiler.kind !== "composed")
    return onDomain(block, (b) => (b.kind === "layout" ? plain.logicalProduct(b, tiler) : (logicalProduct(b, tiler) as DomainLayout)));
  if (block.kind !== "layout" || tiler.a.kind !== "swizzle" || tiler.b.kind !== "layout")
    throw new CuteError("logical_product: a composed tiler must be a swizzled layout, the block a plain one");
  if (equal(tiler.offset, zero).value === 0) throw new CuteError("logical_product: the tiler's offset must be 0");
  const sw = tiler.a;
  const result = plain.logicalProduct(block, tiler.b);
  const active = activeBits(sw, tiler.b);
  const image = (mask: number) =>
    asInt(plain.apply(result, tuple(zero, plain.apply(tiler.b as Layout, bitAnd(active, lit(mask))))))?.value ?? 0;
  return composition(swizzleOfMasks(image(yMask(sw)), image(zMask(sw))), result);
}

/** The swizzled bits that a layout reaches. */
function activeBits(sw: Swizzle, l: Layout): Term {
  const distance = Math.abs(sw.shift);
  const only = plain.layout(
    tuple(lit(1 << sw.base), lit(1 << sw.bits), lit(1 << (distance - sw.bits)), lit(1 << sw.bits), one),
    tuple(zero, lit(1 << sw.base), zero, lit(1 << (sw.base + distance)), zero),
  );
  const seen = plain.composition(only, l);
  return plain.apply(seen, sub(plain.size(seen), one));
}

/** The swizzle and the layout that a swizzled layout consists of; no swizzle is `Sw<0,4,3>`. */
export const swizzlePortion = (l: AnyLayout): Swizzle => (l.kind === "composed" && l.a.kind === "swizzle" ? l.a : swizzle(0, 4, 3));
export const nonSwizzlePortion = (l: AnyLayout): AnyLayout => (l.kind === "composed" && l.a.kind === "swizzle" ? l.b : l);

/** A layout with a pointer flag as one of offset 0, for printing its table. */
export function positionIndependent(l: AnyLayout): AnyLayout {
  if (l.kind !== "composed" || l.offset.kind !== "smem-flag") return l;
  return compose3(recast(l.a, 8, l.offset.bits), zero, l.b);
}

/** A fragment (registers) for a layout; the swizzle is dropped. */
export const fragmentLike = (l: AnyLayout): Layout => plain.fragmentLike(domainOf(l));

/** Whether two layouts are equal as pairs of shape and stride. */
export function equalLayouts(a: AnyLayout, b: AnyLayout): Int {
  if (a.kind === "layout" && b.kind === "layout") return plain.equalLayouts(a, b);
  if (a.kind === "swizzle" && b.kind === "swizzle") return lit(Number(a.bits === b.bits && a.base === b.base && a.shift === b.shift));
  if (a.kind !== "composed" || b.kind !== "composed") return zero;
  const parts = [equalLayouts(a.a, b.a), equal(a.offset, b.offset), equalLayouts(a.b, b.b)];
  return parts.every((p) => p.value !== 0) ? { ...one, isStatic: parts.every(isStatic) } : zero;
}
