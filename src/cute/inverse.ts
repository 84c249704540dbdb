/**
 * Maps backwards: inverses, what two layouts have in common from the start, what a layout maps to 0.
 * Source: cute/layout.hpp.
 */
import { div, gcd, mod, mul } from "./arithmetic.js";
import { coalesce, composition } from "./composition.js";
import { flatten as flattenTerm, flattenToTuple, leaves, product, select as selectTerm, unwrap } from "./int-tuple.js";
import { layout, mode, trivial } from "./layout-modes.js";
import { compactMajor } from "./stride.js";
import { asInt, CuteError, describe, get, isConstant, isStatic, itemsOf, type Layout, one, type Term, tuple, zero } from "./term.js";

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
