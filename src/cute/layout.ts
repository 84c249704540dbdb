/**
 * Layouts and their algebra: a layout `S:D` maps the coordinates of shape S to the sum of coordinate times stride.
 *
 *   (_4,_8):(_8,_1)          4x8 row-major: (1,2) -> 10
 *   coalesce                 same function, fewest modes          (_2,(_1,_6)):(_1,(_6,_2)) -> _12:_1
 *   composition(A, B)        the layout i -> A(B(i))
 *   complement(A, n)         fills what A leaves out up to n      _4:_2, _24 -> (_2,_3):(_1,_8)
 *   rightInverse(A)          A(R(i)) = i;  leftInverse(A): L(A(i)) = i
 *
 * Source: cute/layout.hpp.
 */
import { abs, add, and, asCoordinate, ceilDivInt, div, equal, gcd, min, mod, mul, signum, sub } from "./arithmetic.js";
import {
  append,
  basisLike,
  ceilDiv,
  coalesceShape,
  depth,
  dice,
  evenlyDivides,
  filterZeros as filterZerosOf,
  flatten as flattenTerm,
  flattenToTuple,
  group as groupTerm,
  hasUnderscore,
  innerProduct,
  leaves,
  minOf,
  prepend,
  product,
  productEach,
  remove,
  repeat,
  repeatLike,
  replaceFront,
  select as selectTerm,
  slice as sliceTerm,
  sum,
  take as takeTerm,
  transformLeaf,
  underscores,
  unflatten as unflattenTerm,
  unwrap,
  wrap,
  zip2By,
  zip as zipTerm,
} from "./int-tuple.js";
import { compactMajor, compactOrder, crd2crd, crd2idx, idx2crd, type Major } from "./stride.js";
import {
  asInt,
  CuteError,
  describe,
  get,
  type Int,
  isConstant,
  isIntegral,
  isStatic,
  isTuple,
  itemsOf,
  type Layout,
  lit,
  one,
  rankOf,
  type Term,
  type Tuple,
  tuple,
  underscore,
  zero,
} from "./term.js";

/** A layout of shape and stride. */
export const layout = (shape: Term, stride: Term): Layout => ({ kind: "layout", shape, stride });
/** The compact layout of a shape, column-major unless told otherwise. */
export const compactLayout = (shape: Term, major: Major = "left"): Layout => layout(shape, compactMajor(major, shape));
/** `_1:_0`, the layout with nothing in it. */
export const trivial = layout(one, zero);

/** Puts layouts side by side as the modes of one. */
export const concat = (...parts: readonly Layout[]): Layout =>
  layout(tuple(...parts.map((p) => p.shape)), tuple(...parts.map((p) => p.stride)));
/** The compact layout whose modes are enumerated in the given order. */
export const orderedLayout = (shape: Term, order: Term): Layout => layout(shape, compactOrder(shape, order));
/** A compact layout with the shape and mode order of `l`; static strides 0 stay. */
export const layoutLike = (l: Layout): Layout => layout(l.shape, compactOrder(filterZerosOf(l.stride, l.shape), l.stride));
/** Maps every coordinate to itself. */
export const identityLayout = (shape: Term): Layout => layout(shape, basisLike(shape));

/** As `layoutLike`, but mode 0 (the values of an atom) is column-major from 1 on. Needs a static shape to reorder. */
export function fragmentLike(l: Layout): Layout {
  const r = rankOf(l.shape);
  if (r <= 1 || !isStatic(l.shape)) return compactLayout(l.shape);
  const first = get(l.shape, 0);
  const values = layout(first, compactMajor("left", filterZerosOf(get(l.stride, 0), first)));
  return tiledProduct(values, orderedLayout(takeTerm(l.shape, 1, r), takeTerm(l.stride, 1, r)));
}

/** Mode `path` of a layout as a layout. */
export const mode = (l: Layout, ...path: readonly number[]): Layout => layout(get(l.shape, ...path), get(l.stride, ...path));
/** The modes `[begin, end)`. */
export const take = (l: Layout, begin: number, end: number): Layout =>
  layout(takeTerm(l.shape, begin, end), takeTerm(l.stride, begin, end));
/** The modes at the given places. */
export const select = (l: Layout, modes: readonly number[]): Layout => layout(selectTerm(l.shape, modes), selectTerm(l.stride, modes));
/** Depth at most one. */
export const flatten = (l: Layout): Layout => layout(flattenTerm(l.shape), flattenTerm(l.stride));
/** The nesting of `profile`. */
export const unflatten = (l: Layout, profile: Term): Layout => layout(unflattenTerm(l.shape, profile), unflattenTerm(l.stride, profile));
/** Makes one mode of the modes `[begin, end)`. */
export const group = (l: Layout, begin: number, end: number): Layout =>
  layout(groupTerm(l.shape, begin, end), groupTerm(l.stride, begin, end));
/** Appends, prepends, replaces modes. */
export const appendMode = (l: Layout, x: Layout = trivial, rank?: number): Layout =>
  layout(append(l.shape, x.shape, rank), append(l.stride, x.stride, rank));
export const prependMode = (l: Layout, x: Layout = trivial, rank?: number): Layout =>
  layout(prepend(l.shape, x.shape, rank), prepend(l.stride, x.stride, rank));
/** Transposes the two outer levels of modes. */
export const zip = (l: Layout): Layout => layout(zipTerm(l.shape), zipTerm(l.stride));

/** Number of coordinates. */
export const size = (l: Layout): Term => product(l.shape);
/** The smallest coordinate beyond all values, or the number beyond them. */
export function coshape(l: Layout): Term {
  const last = transformLeaf((s) => sub(s!, one), l.shape);
  const strides = transformLeaf((d) => abs(d!), l.stride);
  return transformLeaf((c) => add(c!, one), asCoordinate(innerProduct(last, strides)));
}
/** Size of the range. */
export const cosize = (l: Layout): Term => product(coshape(l));
/** Zeros in the form of the layout's values. */
export const coprofile = (l: Layout): Term => repeatLike(asCoordinate(sum(l.stride)), zero);
/** Nesting depth of the shape. */
export const depthOf = (l: Layout): number => depth(l.shape);

/** The value at a coordinate, or the sublayout kept by a coordinate with `_`. */
export function apply(l: Layout, coord: Term): Term {
  return hasUnderscore(coord) ? slice(coord, l) : crd2idx(coord, l.shape, l.stride);
}
/** The modes kept by `_`. */
export const slice = (coord: Term, l: Layout): Layout => layout(sliceTerm(coord, l.shape), sliceTerm(coord, l.stride));
/** The modes fixed by the coordinate. */
export const diceLayout = (coord: Term, l: Layout): Layout => layout(dice(coord, l.shape), dice(coord, l.stride));
/** The offset that a coordinate with `_` leaves behind. */
export const sliceOffset = (coord: Term, l: Layout): Term => crd2idx(coord, l.shape, l.stride);

/** The coordinate at an offset of a compact layout: nested, flat, or as one index. */
export const hierCoord = (l: Layout, index: Term): Term => idx2crd(index, l.shape, l.stride);
export const flatCoord = (l: Layout, index: Term): Term => crd2crd(hierCoord(l, index), l.shape, repeat(rankOf(l.shape), one));
export const coord1d = (l: Layout, index: Term): Term => crd2idx(hierCoord(l, index), l.shape);

/** Applies `f` to matching modes of a layout and a tuple; modes beyond the shorter one stay. */
export function transformLayout(l: Layout, t: Term, f: (mode: Layout, item: Term) => Layout): Layout {
  const n = Math.min(rankOf(l.shape), rankOf(t));
  const parts = Array.from({ length: n }, (_, i) => f(mode(l, i), get(t, i)));
  const rest = Array.from({ length: rankOf(l.shape) - n }, (_, i) => mode(l, n + i));
  return concat(...parts, ...rest);
}

/** Fewest modes for the same function on its domain; with a tuple profile, at the leaves of the profile. */
export function coalesce(l: Layout, profile?: Term): Layout {
  if (profile && isTuple(profile)) {
    fitsRank(profile, l, "coalesce");
    return transformLayout(l, profile, coalesce);
  }
  const shapes = leaves(l.shape);
  return mergeModes(shapes, leaves(l.stride), shapes.at(-1)!);
}

/** As `coalesce`, but the last mode stays open-ended: the function is the same beyond its domain too. */
function coalesceBeyond(l: Layout, profile?: Term): Layout {
  if (profile && isTuple(profile)) {
    fitsRank(profile, l, "composition");
    return transformLayout(l, profile, coalesceBeyond);
  }
  const shapes = leaves(l.shape);
  const last = shapes.at(-1)!;
  return mergeModes(shapes, leaves(l.stride), isConstant(1, last) ? lit(2) : last);
}

/** Walks from the last mode to the first, merging a mode into the one behind it where shape times stride meets its stride. */
function mergeModes(shapes: readonly Term[], strides: readonly Term[], lastShape: Term): Layout {
  let shape = lastShape;
  let stride = strides.at(-1)!;
  for (let i = shapes.length - 2; i >= 0; i--) {
    const s = shapes[i]!;
    const d = strides[i]!;
    if (isConstant(1, s)) continue;
    if (isConstant(1, shape)) {
      shape = s;
      stride = d;
    } else if (isStatic(get(shape, 0)) && isConstant(1, equal(mul(s, d), get(stride, 0)))) {
      shape = replaceFront(shape, mul(s, get(shape, 0)));
      stride = replaceFront(stride, d);
    } else {
      shape = prepend(shape, s);
      stride = prepend(stride, d);
    }
  }
  return isConstant(1, shape) ? trivial : layout(shape, stride);
}

/** Modes of stride 0 become size 1; with a profile, the modes opposite its zeros. */
export const filterZeros = (l: Layout, profile: Term = l.stride): Layout => layout(filterZerosOf(profile, l.shape), l.stride);

/** Drops modes of stride 0 and size 1. */
export function filter(l: Layout, profile?: Term): Layout {
  if (profile && isTuple(profile)) {
    fitsRank(profile, l, "filter");
    return transformLayout(l, profile, filter);
  }
  return coalesce(filterZeros(l));
}

/** The layout `i -> lhs(rhs(i))` of a layout; a tiler (tuple of layouts, sizes and `_`) is composed mode by mode. */
export function composition(lhs: Layout, rhs: Term): Layout {
  if (rhs.kind === "layout") {
    const flat = coalesceBeyond(lhs, coprofile(rhs));
    return composeModes(flat.shape, flat.stride, rhs.shape, rhs.stride);
  }
  if (isTuple(rhs)) {
    fitsRank(rhs, lhs, "composition");
    return concat(...rhs.items.map((r, i) => composition(mode(lhs, i), r)));
  }
  if (rhs.kind === "underscore") return lhs;
  if (!isIntegral(rhs)) throw new CuteError(`composition: the right side is ${describe(rhs)}`);
  const flat = coalesceBeyond(lhs);
  return composeModes(flat.shape, flat.stride, rhs, one);
}

function composeModes(lShape: Term, lStride: Term, rShape: Term, rStride: Term): Layout {
  if (isTuple(rShape)) return concat(...rShape.items.map((s, i) => composeModes(lShape, lStride, s, get(rStride, i))));
  if (rStride.kind === "basis") return composeModes(get(lShape, ...rStride.modes), get(lStride, ...rStride.modes), rShape, rStride.value);
  if (isConstant(0, rStride)) return layout(rShape, rStride);
  if (!isTuple(lShape)) return layout(rShape, mul(rStride, lStride));
  return composeThrough(lShape, lStride, rShape, rStride);
}

/** Takes `rShape` steps of `rStride` through the modes of the left side, first mode fastest. */
function composeThrough(lShape: Tuple, lStride: Term, rShape: Term, rStride: Term): Layout {
  const r = lShape.items.length;
  const shapes: Term[] = [];
  const strides: Term[] = [];
  let restShape = rShape;
  let restStride = rStride;
  for (let i = 0; i < r - 1; i++) {
    const currShape = lShape.items[i]!;
    if (isStatic(currShape) && isStatic(restStride)) {
      const [d, s] = [asInt(restStride)!.value, asInt(currShape)!.value];
      if (d % s !== 0 && d >= s)
        throw new CuteError(`composition: stride ${d} is neither a multiple of nor smaller than mode ${s} (stride divisibility condition)`);
    }
    const nextShape = ceilDivInt(currShape, abs(restStride));
    const nextStride = mul(ceilDivInt(abs(restStride), currShape), signum(restStride));
    if (!isConstant(1, nextShape) && !isConstant(1, restShape)) {
      const newShape = min(nextShape, restShape);
      if (newShape.isStatic && isStatic(restShape) && asInt(restShape)!.value % newShape.value !== 0)
        throw new CuteError(`composition: ${newShape.value} does not divide ${asInt(restShape)!.value} (shape divisibility condition)`);
      shapes.push(newShape);
      strides.push(mul(restStride, get(lStride, i)));
      restShape = div(restShape, newShape);
    }
    restStride = nextStride;
  }
  const lastStride = mul(restStride, get(lStride, r - 1));
  if (shapes.length === 0) return layout(restShape, lastStride);
  if (isConstant(1, restShape)) return layout(unwrap(tuple(...shapes)), unwrap(tuple(...strides)));
  return layout(tuple(...shapes, restShape), tuple(...strides, lastStride));
}

/** What a layout leaves out of `[0, cotarget)`, in ascending order; the default target is its own cosize. */
export function complement(l: Layout, cotarget?: Term): Layout {
  const filtered = filter(l);
  const target = cotarget ?? cosize(filtered);
  if (isConstant(0, filtered.stride)) return compactLayout(coalesceShape(target));
  const r = rankOf(filtered.shape);
  if (r > 1 && !isStatic(filtered.stride)) throw new CuteError("complement: dynamic strides are possible in one mode only");
  let shape = wrap(filtered.shape);
  let stride = wrap(filtered.stride);
  const resultShape: Term[] = [];
  const resultStride: Term[] = [one];
  for (let i = 0; i < r; i++) {
    const last = i === r - 1;
    const minStride = last ? stride.items[0]! : minOf(stride);
    const at = last ? 0 : stride.items.findIndex((d) => equal(d, minStride).value !== 0);
    const newShape = div(minStride, resultStride[i]!);
    if (isConstant(0, newShape)) throw new CuteError("complement: the layout maps two coordinates to one offset");
    resultShape.push(newShape);
    const next = mul(minStride, shape.items[at]!);
    if (last) {
      const restShape = coalesceShape(ceilDiv(target, next));
      return coalesce(
        layout(tuple(tuple(...resultShape), restShape), tuple(tuple(...resultStride), compactMajor("left", restShape, next))),
      );
    }
    resultStride.push(next);
    shape = remove(shape, at);
    stride = remove(stride, at);
  }
  throw new CuteError("complement: a layout without modes");
}

/** Sorts by key as CuTe does: by exchanges, which is not stable for equal keys but always the same. */
function exchangeSort(pairs: { key: number; value: number }[]): number[] {
  const a = [...pairs];
  for (let i = 0; i < a.length; i++) for (let j = i + 1; j < a.length; j++) if (a[j]!.key < a[i]!.key) [a[i], a[j]] = [a[j]!, a[i]!];
  return a.map((p) => p.value);
}

function staticStride(d: Term): number {
  if (d.kind !== "int") throw new CuteError(`the inverse of a layout of coordinates is not defined (stride is ${describe(d)})`);
  return d.value;
}

function exclusiveProducts(shapes: readonly Term[]): Term[] {
  const out: Term[] = [one];
  for (const s of shapes) out.push(mul(s, out.at(-1)!));
  return out;
}

/** The longest layout R with `l(R(i)) = i`. Modes of dynamic stride take no part. */
export function rightInverse(l: Layout): Layout {
  const flat = coalesce(l);
  const shapes = itemsOf(flat.shape);
  const strides = itemsOf(flat.stride);
  const before = exclusiveProducts(shapes);
  const known = strides.flatMap((d, i) => (isStatic(d) ? [{ key: staticStride(d), value: i }] : []));
  const resultShape: Term[] = [one];
  const resultStride: Term[] = [zero];
  let next: Term = one;
  for (const i of exchangeSort(known)) {
    if (!isConstant(staticStride(strides[i]!), next)) continue;
    resultShape.push(shapes[i]!);
    resultStride.push(before[i]!);
    next = mul(shapes[i]!, strides[i]!);
  }
  return coalesce(layout(tuple(...resultShape), tuple(...resultStride)));
}

/** A layout L with `L(l(i)) = i` where `l` is injective. */
export function leftInverse(l: Layout): Layout {
  const flat = coalesce(l);
  const shapes = itemsOf(flat.shape);
  const strides = itemsOf(flat.stride);
  if (!strides.every(isStatic)) throw new CuteError("left_inverse: needs static strides");
  const before = exclusiveProducts(shapes);
  const sorted = exchangeSort(strides.map((d, i) => ({ key: staticStride(d), value: i })));
  const resultShape: Term[] = [];
  const resultStride: Term[] = [zero];
  for (const i of sorted) {
    const d = strides[i]!;
    if (isConstant(0, d)) continue;
    const covered = product(tuple(...resultShape));
    if (mod(d, covered).value !== 0)
      throw new CuteError(`left_inverse: ${asInt(covered)!.value} does not divide stride ${asInt(d)!.value}`);
    resultShape.push(div(d, covered));
    resultStride.push(before[i]!);
  }
  resultShape.push(shapes[sorted.at(-1)!]!);
  return coalesce(layout(tuple(...resultShape), tuple(...resultStride)));
}

/** The longest layout on which both `a` and `b` are the identity. */
export function maxCommonLayout(a: Layout, b: Layout): Layout {
  const inverse = rightInverse(b);
  const common = coalesce(composition(a, inverse));
  return isIdentityStart(common) ? composition(inverse, mode(common, 0)) : trivial;
}

/** The number of elements that both layouts keep contiguous in the same order. */
export function maxCommonVector(a: Layout, b: Layout): Term {
  const common = coalesce(composition(a, rightInverse(b)));
  return isIdentityStart(common) ? get(common.shape, 0) : one;
}

const isIdentityStart = (l: Layout): boolean => isStatic(get(l.shape, 0)) && isConstant(1, get(l.stride, 0));

/** A layout of `b` coordinates of `a`, taken evenly from its modes. */
export function domainDistribute(a: Term, b: Term): Layout {
  const flat = flattenToTuple(a);
  let rest = product(b);
  const shape = flat.items.map((s) => {
    const g = gcd(s, rest);
    rest = div(rest, g);
    return g;
  });
  return coalesce(layout(tuple(...shape), compactMajor("left", flat)));
}

/** The coordinates that a layout maps to 0 through strides 0. */
export function nullspace(l: Layout): Layout {
  const strides = leaves(l.stride);
  const zeros = strides.flatMap((d, i) => (isConstant(0, d) ? [i] : []));
  if (zeros.length === 0) return trivial;
  const shape = flattenTerm(l.shape);
  const compact = compactMajor("left", shape);
  return layout(unwrap(selectTerm(shape, zeros)), unwrap(selectTerm(compact, zeros)));
}

/** Splits every mode into what the tiler takes and the rest. */
export function logicalDivide(l: Layout, tiler: Term): Layout {
  if (tiler.kind === "layout") return composition(l, concat(tiler, complement(tiler, coalesce(l).shape)));
  if (isTuple(tiler)) {
    fitsRank(tiler, l, "logical_divide");
    return transformLayout(l, tiler, logicalDivide);
  }
  if (tiler.kind === "underscore") return l;
  if (!isIntegral(tiler)) throw new CuteError(`logical_divide: the tiler is ${describe(tiler)}`);
  return logicalDivide(l, compactLayout(tiler));
}

/** Gathers tiles in mode 0 and rests in mode 1, along the leaves of the tiler. */
export const tileUnzip = (l: Layout, tiler: Term): Layout => layout(zip2By(l.shape, tiler), zip2By(l.stride, tiler));
/** ((tile modes), (rest modes)). */
export const zippedDivide = (l: Layout, tiler: Term): Layout => tileUnzip(logicalDivide(l, tiler), tiler);
/** ((tile modes), rest mode, ...). */
export const tiledDivide = (l: Layout, tiler: Term): Layout => unpackRest(zippedDivide(l, tiler));
/** (tile mode, ..., rest mode, ...). */
export const flatDivide = (l: Layout, tiler: Term): Layout => unpackBoth(zippedDivide(l, tiler));

/** Repeats `block` over the offsets of `tiler`: (block, repetitions). */
export function logicalProduct(block: Layout, tiler: Term): Layout {
  if (tiler.kind === "layout") {
    const room = complement(block, mul(size(block), cosize(tiler)));
    return concat(block, composition(room, tiler));
  }
  if (isTuple(tiler)) {
    fitsRank(tiler, block, "logical_product");
    return transformLayout(block, tiler, logicalProduct);
  }
  if (tiler.kind === "underscore") return block;
  if (!isIntegral(tiler)) throw new CuteError(`logical_product: the tiler is ${describe(tiler)}`);
  return logicalProduct(block, compactLayout(tiler));
}

/** The product's counterparts of the divides. */
export const zippedProduct = (block: Layout, tiler: Term): Layout => tileUnzip(logicalProduct(block, tiler), tiler);
export const tiledProduct = (block: Layout, tiler: Term): Layout => unpackRest(zippedProduct(block, tiler));
export const flatProduct = (block: Layout, tiler: Term): Layout => unpackBoth(zippedProduct(block, tiler));

const unpackRest = (l: Layout): Layout => slice(tuple(underscore, underscores(rankOf(get(l.shape, 1)))), l);
const unpackBoth = (l: Layout): Layout => slice(tuple(underscores(rankOf(get(l.shape, 0))), underscores(rankOf(get(l.shape, 1)))), l);

/** Every element of `tiler` is a block, mode by mode: ((block, tiler), ...). */
export const blockedProduct = (block: Layout, tiler: Layout): Layout => {
  const p = rankedProduct(block, tiler);
  return zip(concat(mode(p, 0), mode(p, 1)));
};
/** As `blockedProduct`, the blocks interleaved: ((tiler, block), ...). */
export const rakedProduct = (block: Layout, tiler: Layout): Layout => {
  const p = rankedProduct(block, tiler);
  return zip(concat(mode(p, 1), mode(p, 0)));
};

function rankedProduct(block: Layout, tiler: Layout): Layout {
  const r = Math.max(rankOf(block.shape), rankOf(tiler.shape));
  return logicalProduct(appendMode(block, trivial, r), appendMode(tiler, trivial, r));
}

/** Repeats `block` to the shape `target`, over its modes in the given order (default: first mode first). */
export function tileToShape(block: Layout, target: Term, order: Term | Major = "left"): Layout {
  const r = rankOf(target);
  if (rankOf(block.shape) > r) throw new CuteError(`tile_to_shape: the layout has ${rankOf(block.shape)} modes, the target shape ${r}`);
  const padded = appendMode(block, trivial, r);
  const blockShape = productEach(padded.shape);
  const targetShape = productEach(target);
  if (isStatic(targetShape) && isStatic(blockShape) && !evenlyDivides(targetShape, blockShape))
    throw new CuteError("tile_to_shape: the layout's shape does not divide the target shape");
  const repeats = ceilDiv(targetShape, blockShape);
  const repeatLayout = order === "left" || order === "right" ? compactLayout(repeats, order) : orderedLayout(repeats, order);
  return blockedProduct(padded, repeatLayout);
}

/** Elements of `n` old ones: sizes along stride 1 and other strides are divided by `n`. */
export function upcast(l: Layout, n: number): Layout {
  const { shape, stride } = l;
  if (isTuple(shape)) return concat(...shape.items.map((_, i) => upcast(mode(l, i), n)));
  if (isConstant(0, stride)) return l;
  if (!isStatic(stride)) return layout(shape, stride.kind === "int" ? div(stride, lit(n)) : stride);
  const d = asInt(stride)?.value;
  if (d !== undefined && d % n !== 0 && n % d !== 0) throw new CuteError(`upcast: neither of stride ${d} and ${n} divides the other`);
  const sizeStep = ceilDivInt(lit(n), abs(stride));
  return layout(ceilDiv(shape, sizeStep), mul(signum(stride), ceilDivInt(abs(stride), lit(n))));
}

/** Elements of one n-th: sizes along stride 1 and other strides are multiplied by `n`. */
export function downcast(l: Layout, n: number): Layout {
  if (!leaves(l.stride).some((d) => isConstant(1, d))) throw new CuteError("downcast: needs adjacent elements (a static stride 1)");
  const visit = (m: Layout): Layout => {
    if (isTuple(m.shape)) return concat(...m.shape.items.map((_, i) => visit(mode(m, i))));
    const unit = isConstant(1, m.stride) || isConstant(-1, m.stride);
    return unit ? layout(mul(m.shape, lit(n)), m.stride) : layout(m.shape, mul(m.stride, lit(n)));
  };
  return visit(l);
}

/** The largest n for which `upcast` by n is possible, as far as static strides tell. */
export function maxAlignment(l: Layout): Term {
  const flat = coalesce(l);
  const known = layout(
    transformLeaf((s) => (isStatic(s!) ? s! : one), flat.shape),
    transformLeaf((d) => (isStatic(d!) ? d! : zero), flat.stride),
  );
  const permuted = logicalDivide(known, rightInverse(known));
  return gcd(product(get(permuted.shape, 0)), leaves(get(permuted.stride, 1)).reduce(gcd));
}

/** Whether two layouts are the same pair of shape and stride. */
export const equalLayouts = (a: Layout, b: Layout): Int => and(equal(a.shape, b.shape), equal(a.stride, b.stride));

function fitsRank(t: Tuple, l: Layout, what: string): void {
  if (t.items.length > rankOf(l.shape)) throw new CuteError(`${what}: ${t.items.length} modes for a layout of ${rankOf(l.shape)}`);
}
