/**
 * Functions of layouts as maps: fewest modes for the same map, one map after the other, what a map leaves out.
 * Source: cute/layout.hpp.
 */
import { abs, ceilDivInt, div, equal, min, mul, signum } from "./arithmetic.js";
import {
  ceilDiv,
  coalesceShape,
  filterZeros as filterZerosOf,
  leaves,
  minOf,
  prepend,
  remove,
  replaceFront,
  unwrap,
  wrap,
} from "./int-tuple.js";
import { compactLayout, concat, coprofile, cosize, fitsRank, layout, mode, transformLayout, trivial } from "./layout-modes.js";
import { compactMajor } from "./stride.js";
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
  type Tuple,
  tuple,
} from "./term.js";

/** Fewest modes for the same function on its domain; with a tuple profile, at the leaves of the profile. */
export function coalesce(l: Layout, profile?: Term): Layout {
  if (profile && isTuple(profile)) {
    fitsRank(profile, l, "coalesce");
    return transformLayout(l, profile, coalesce);
  }
  return mergeModes(l, (last) => last);
}

/** As `coalesce`, but the last mode stays open-ended: the function is the same beyond its domain too. */
function coalesceBeyond(l: Layout, profile?: Term): Layout {
  if (profile && isTuple(profile)) {
    fitsRank(profile, l, "composition");
    return transformLayout(l, profile, coalesceBeyond);
  }
  return mergeModes(l, (last) => (isConstant(1, last) ? lit(2) : last));
}

/** Walks from the last mode, with `shapeOf` its shape, to the first, merging a mode into the one after it where shape times stride meets its stride. */
function mergeModes(l: Layout, shapeOf: (last: Term) => Term): Layout {
  const [shapes, strides] = [leaves(l.shape), leaves(l.stride)];
  if (shapes.length === 0) throw new CuteError("coalesce: the layout has no modes");
  let shape = shapeOf(shapes.at(-1)!);
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

/** The layout of the indices in `[0, cotarget)` that a layout skips, in ascending order; the default target is its own cosize. */
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
