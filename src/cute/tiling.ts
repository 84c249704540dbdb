/**
 * Tiles: dividing a layout by a tiler, repeating a block over one, and changing the size of the elements.
 * Source: cute/layout.hpp.
 */
import { abs, ceilDivInt, div, gcd, mul, signum } from "./arithmetic.js";
import { coalesce, complement, composition } from "./composition.js";
import {
  ceilDiv,
  evenlyDivides,
  filterZeros as filterZerosOf,
  leaves,
  product,
  productEach,
  take as takeTerm,
  transformLeaf,
  underscores,
  zip2By,
} from "./int-tuple.js";
import { rightInverse } from "./inverse.js";
import {
  appendMode,
  compactLayout,
  concat,
  cosize,
  fitsRank,
  layout,
  mode,
  orderedLayout,
  size,
  slice,
  transformLayout,
  trivial,
  zip,
} from "./layout-modes.js";
import { compactMajor, type Major } from "./stride.js";
import {
  asInt,
  CuteError,
  describe,
  get,
  isConstant,
  isIntegral,
  isStatic,
  isTuple,
  type Layout,
  lit,
  one,
  rankOf,
  type Term,
  tuple,
  underscore,
  zero,
} from "./term.js";

/** As `layoutLike`, but mode 0 (the values of an atom) is column-major from 1 on. Needs a static shape to reorder. */
export function fragmentLike(l: Layout): Layout {
  const r = rankOf(l.shape);
  if (r <= 1 || !isStatic(l.shape)) return compactLayout(l.shape);
  const first = get(l.shape, 0);
  const values = layout(first, compactMajor("left", filterZerosOf(get(l.stride, 0), first)));
  return tiledProduct(values, orderedLayout(takeTerm(l.shape, 1, r), takeTerm(l.stride, 1, r)));
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
