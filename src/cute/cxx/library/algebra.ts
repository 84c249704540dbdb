/** Functions on integers, tuples and layouts, by CuTe's names. */
import * as arith from "../../arithmetic.js";
import * as any from "../../composed-layout.js";
import * as tuples from "../../int-tuple.js";
import * as plain from "../../layout.js";
import { compactMajor, compactOrder, crd2crd, crd2idx, idx2crd } from "../../stride.js";
import { swizzleOfMasks, toMixedBits } from "../../swizzle.js";
import { domainOffset, identityTensor } from "../../tensor.js";
import { asInt, CuteError, get, type Int, isLayout, itemsOf, lit, rankOf, type Term, tuple } from "../../term.js";
import { isTerm, layoutOf, numericOf, plainLayoutOf, termOf, type Value } from "../value.js";
import {
  arg,
  type Library,
  layoutArg,
  number,
  onLayout,
  onLayoutOrTerm,
  optionalTerm,
  path,
  shapeOf,
  templateNumber,
  term,
} from "./define.js";

const tupleOf = (args: readonly Value[]): Term => tuple(...args.map(termOf));
const bool = (b: boolean): Int => lit(Number(b));
const isDomain = (v: Value): boolean => v.kind === "layout" || v.kind === "composed" || v.kind === "tensor";

/** make_layout(shape), (shape, stride), (shape, LayoutRight{}), (layout...), (swizzle). */
export function makeLayout(args: readonly Value[]): Value {
  const [first, second] = args;
  if (!first) throw new CuteError("make_layout needs a shape");
  if (first.kind === "swizzle") return any.layoutOfSwizzle(first);
  if (first.kind === "layout") return plain.concat(...args.map(plainLayoutOf));
  const shape = termOf(first);
  if (!tuples.isShape(shape)) throw new CuteError("make_layout: the shape is not a tuple of integers");
  if (!second) return plain.compactLayout(shape);
  if (second.kind === "major") return plain.compactLayout(shape, second.major);
  const stride = termOf(second);
  if (!tuples.isShape(stride)) throw new CuteError("make_layout: the stride is not a tuple of integers");
  if (!tuples.congruent(shape, stride)) throw new CuteError("make_layout: shape and stride are nested differently");
  return plain.layout(shape, stride);
}

const fold = (call: Parameters<Library[string]>[0], f: (a: Term, b: Term) => Term): Term =>
  call.args.flatMap((v) => tuples.leaves(termOf(v))).reduce(f);

/** Functions that make tuples and integers of tuples and integers. */
const onTuples: Library = {
  make_shape: ({ args }) => tupleOf(args),
  make_stride: ({ args }) => tupleOf(args),
  make_step: ({ args }) => tupleOf(args),
  make_coord: ({ args }) => tupleOf(args),
  make_tile: ({ args }) => tupleOf(args),
  make_tuple: ({ args }) => (args.every(isTerm) ? tupleOf(args) : { kind: "pack", items: args }),
  make_arithmetic_tuple: ({ args }) => tupleOf(args),
  make_int_tuple: ({ args }) => tupleOf(args),
  tuple_cat: ({ args }) => tuple(...args.flatMap((a) => itemsOf(termOf(a)))),
  product: (c) => tuples.product(shapeOf(arg(c, 0))),
  product_each: (c) => tuples.productEach(shapeOf(arg(c, 0))),
  product_like: (c) => tuples.productLike(term(c, 0), term(c, 1)),
  sum: (c) => tuples.sum(term(c, 0)),
  inner_product: (c) => tuples.innerProduct(term(c, 0), term(c, 1)),
  max: (c) => fold(c, arith.max),
  min: (c) => fold(c, arith.min),
  gcd: (c) => fold(c, arith.gcd),
  lcm: (c) => fold(c, arith.lcm),
  abs: (c) => tuples.transformLeaf((x) => arith.abs(x!), term(c, 0)),
  signum: (c) => arith.signum(term(c, 0)),
  ceil_div: (c) => {
    const tiler = arg(c, 1);
    return tiler.kind === "layout" ? any.complement(tiler, shapeOf(arg(c, 0))).shape : tuples.ceilDiv(shapeOf(arg(c, 0)), termOf(tiler));
  },
  round_up: (c) => tuples.roundUp(term(c, 0), term(c, 1)),
  shape_div: (c) => tuples.shapeDiv(term(c, 0), term(c, 1)),
  safe_div: (c) => arith.safeDiv(term(c, 0), term(c, 1)),
  shiftl: (c) => arith.shiftRight(term(c, 0), -number(c, 1)),
  shiftr: (c) => arith.shiftRight(term(c, 0), number(c, 1)),
  elem_scale: (c) => tuples.elemScale(term(c, 0), term(c, 1)),
  congruent: (c) => bool(tuples.congruent(shapeOf(arg(c, 0)), shapeOf(arg(c, 1)))),
  weakly_congruent: (c) => bool(tuples.weaklyCongruent(shapeOf(arg(c, 0)), shapeOf(arg(c, 1)))),
  compatible: (c) => tuples.compatible(shapeOf(arg(c, 0)), shapeOf(arg(c, 1))),
  evenly_divides: (c) => bool(tuples.evenlyDivides(shapeOf(arg(c, 0)), shapeOf(arg(c, 1)))),
  wrap: (c) => tuples.wrap(term(c, 0)),
  unwrap: (c) => tuples.unwrap(term(c, 0)),
  reverse: (c) => tuples.reverse(term(c, 0)),
  front: (c) => tuples.leaves(term(c, 0))[0] ?? tuple(),
  back: (c) => tuples.back(term(c, 0)),
  repeat: (c) => tuples.repeat(templateNumber(c, 0), term(c, 0)),
  tuple_repeat: (c) => tuple(...Array.from({ length: templateNumber(c, 0) }, () => term(c, 0))),
  repeat_like: (c) => tuples.repeatLike(term(c, 0), term(c, 1)),
  flatten_to_tuple: (c) => tuples.flattenToTuple(term(c, 0)),
  insert: (c) => {
    const items = itemsOf(term(c, 0));
    const n = templateNumber(c, 0);
    return tuple(...items.slice(0, n), term(c, 1), ...items.slice(n));
  },
  remove: (c) => tuples.remove(tuples.wrap(term(c, 0)), templateNumber(c, 0)),
  replace_front: (c) => tuples.replaceFront(term(c, 0), term(c, 1)),
  replace_back: (c) => tuples.replaceBack(term(c, 0), term(c, 1)),
  zip2_by: (c) => tuples.zip2By(term(c, 0), term(c, 1)),
  make_basis_like: (c) => tuples.basisLike(term(c, 0), path(c)),
  as_arithmetic_tuple: (c) => arith.asCoordinate(term(c, 0)),
  basis_get: (c) => {
    const basis = term(c, 0);
    return basis.kind === "basis" ? get(term(c, 1), ...basis.modes) : term(c, 1);
  },
  basis_value: (c) => {
    const basis = term(c, 0);
    return basis.kind === "basis" ? basis.value : basis;
  },
  crd2idx: (c) => {
    const second = arg(c, 1);
    return second.kind === "layout" ? any.apply(second, term(c, 0)) : crd2idx(term(c, 0), term(c, 1), optionalTerm(c, 2));
  },
  idx2crd: (c) => idx2crd(term(c, 0), term(c, 1), optionalTerm(c, 2)),
  crd2crd: (c) => crd2crd(term(c, 0), term(c, 1), term(c, 2)),
  compact_col_major: (c) => compactMajor("left", term(c, 0), optionalTerm(c, 1)),
  compact_row_major: (c) => compactMajor("right", term(c, 0), optionalTerm(c, 1)),
  compact_major: (c) => {
    const tag = c.templateArgs[0];
    const major = tag?.kind === "type" && tag.type.of === "value" && tag.type.value.kind === "major" ? tag.type.value.major : "left";
    return compactMajor(major, term(c, 0), optionalTerm(c, 1));
  },
  compact_order: (c) => {
    const order = arg(c, 1);
    return order.kind === "major" ? compactMajor(order.major, term(c, 0)) : compactOrder(term(c, 0), termOf(order));
  },
  transform: (c) => mapTuples(c, false),
  transform_leaf: (c) => mapTuples(c, true),
  for_each: (c) => {
    for (const x of itemsOf(term(c, 0))) c.invoke(arg(c, 1), [x]);
    return { kind: "void" };
  },
  fold: (c) => itemsOf(term(c, 0)).reduce<Value>((acc, x) => c.invoke(arg(c, 2), [acc, x]), arg(c, 1)),
  fold_first: (c) => {
    const [first, ...rest] = itemsOf(term(c, 0));
    return rest.reduce<Value>((acc, x) => c.invoke(arg(c, 1), [acc, x]), first ?? tuple());
  },
  make_seq: (c) => tuple(...Array.from({ length: templateNumber(c, 0) }, (_, i) => lit(i))),
  make_range: (c) => tuple(...Array.from({ length: templateNumber(c, 1) - templateNumber(c, 0) }, (_, i) => lit(i + templateNumber(c, 0)))),
  make_swizzle: (c) => swizzleOfMasks(templateNumber(c, 0), templateNumber(c, 1)),
  to_mixed_bits: (c) =>
    c.args.length === 3 ? toMixedBits(plain.layout(term(c, 0), term(c, 1)), term(c, 2)) : toMixedBits(plainLayoutOf(arg(c, 0)), term(c, 1)),
  is_static: (c) => bool(c.args.every((v) => isTerm(v) && (asInt(v)?.isStatic ?? true))),
};

function mapTuples(c: Parameters<Library[string]>[0], leafwise: boolean): Term {
  const f = c.args.at(-1)!;
  const [first, ...rest] = c.args.slice(0, -1).map(termOf);
  if (!first) throw new CuteError(`${c.name} needs a tuple and a function`);
  const apply = (...ts: Term[]) => termOf(c.invoke(f, ts));
  return leafwise ? tuples.transformLeaf(apply, first, ...rest) : tuples.transform(apply, first, ...rest);
}

/** Queries that take `<i,j>` to look at one mode. */
const queries: Library = {
  size: (c) => tuples.product(get(shapeOf(arg(c, 0)), ...path(c))),
  rank: (c) => lit(rankOf(get(shapeOf(arg(c, 0)), ...path(c)))),
  depth: (c) => lit(tuples.depth(get(shapeOf(arg(c, 0)), ...path(c)))),
  shape: (c) => get(shapeOf(arg(c, 0)), ...path(c)),
  stride: (c) => get(any.stride(layoutArg(c, 0)), ...path(c)),
  layout: onLayout((l, c) => (c.templateArgs.length > 0 ? any.mode(l, ...path(c)) : l)),
  cosize: (c) => any.cosize(any.mode(layoutArg(c, 0), ...path(c))),
  coshape: (c) => plain.coshape(plainLayoutOf(any.mode(layoutArg(c, 0), ...path(c)))),
  coprofile: (c) => plain.coprofile(plainLayoutOf(any.mode(layoutArg(c, 0), ...path(c)))),
  get: (c) => {
    const v = arg(c, 0);
    if (isDomain(v)) return any.mode(layoutOf(v), ...path(c));
    if (v.kind === "pack") return v.items[templateNumber(c, 0)] ?? { kind: "void" };
    return path(c).reduce<Term>((t, i) => (isLayout(t) ? any.mode(t, i) : get(t, i)), termOf(v));
  },
};

/** Functions that keep working when a layout becomes a tensor. */
const onLayouts: Library = {
  make_layout: ({ args }) => makeLayout(args),
  make_ordered_layout: (c) => {
    const order = arg(c, 1);
    return order.kind === "major" ? plain.compactLayout(term(c, 0), order.major) : plain.orderedLayout(term(c, 0), termOf(order));
  },
  make_layout_like: (c) => plain.layoutLike(any.domainOf(layoutArg(c, 0))),
  make_identity_layout: (c) => plain.identityLayout(term(c, 0)),
  make_identity_tensor: (c) => identityTensor(term(c, 0)),
  make_composed_layout: (c) => ({ kind: "composed", a: layoutArg(c, 0), offset: term(c, 1), b: layoutArg(c, 2) }),
  take: onLayoutOrTerm(
    (l, c) => any.take(l, templateNumber(c, 0), templateNumber(c, 1)),
    (t, c) => tuples.take(t, templateNumber(c, 0), templateNumber(c, 1)),
  ),
  select: onLayoutOrTerm(
    (l, c) => any.select(l, path(c)),
    (t, c) => tuples.select(t, path(c)),
  ),
  flatten: onLayoutOrTerm((l) => any.flatten(l), tuples.flatten),
  unflatten: onLayoutOrTerm(
    (l, c) => any.unflatten(l, term(c, 1)),
    (t, c) => tuples.unflatten(t, term(c, 1)),
  ),
  group: onLayoutOrTerm(
    (l, c) => any.group(l, templateNumber(c, 0), templateNumber(c, 1)),
    (t, c) => tuples.group(t, templateNumber(c, 0), templateNumber(c, 1)),
  ),
  group_modes: onLayoutOrTerm(
    (l, c) => any.group(l, templateNumber(c, 0), templateNumber(c, 1)),
    (t, c) => tuples.group(t, templateNumber(c, 0), templateNumber(c, 1)),
  ),
  append: onLayoutOrTerm(
    (l, c) => any.appendMode(l, c.args[1] ? plainLayoutOf(arg(c, 1)) : plain.trivial, path(c)[0]),
    (t, c) => tuples.append(t, term(c, 1), path(c)[0]),
  ),
  prepend: onLayoutOrTerm(
    (l, c) => any.prependMode(l, c.args[1] ? plainLayoutOf(arg(c, 1)) : plain.trivial, path(c)[0]),
    (t, c) => tuples.prepend(t, term(c, 1), path(c)[0]),
  ),
  replace: (c) => {
    const v = arg(c, 0);
    const n = templateNumber(c, 0);
    if (v.kind !== "layout") return tuples.replace(termOf(v), n, term(c, 1));
    const x = plainLayoutOf(arg(c, 1));
    return plain.layout(tuples.replace(v.shape, n, x.shape), tuples.replace(v.stride, n, x.stride));
  },
  zip: (c) => {
    const [a, b] = c.args;
    if (a?.kind === "layout" && b?.kind === "layout") return plain.zip(plain.concat(a, b));
    if (b) return tuples.zip(tupleOf(c.args));
    return onLayoutOrTerm((l) => any.zip(l), tuples.zip)(c);
  },
  coalesce: onLayoutOrTerm((l, c) => any.coalesce(l, optionalTerm(c, 1)), tuples.coalesceShape),
  filter: onLayout((l, c) => any.filter(l, optionalTerm(c, 1))),
  filter_zeros: onLayoutOrTerm(
    (l, c) => any.filterZeros(l, optionalTerm(c, 1)),
    (t, c) => tuples.filterZeros(t, optionalTerm(c, 1) ?? t),
  ),
  composition: (c) => {
    if (c.args.length === 3) return any.compose3(layoutArg(c, 0), term(c, 1), layoutArg(c, 2));
    return onLayout((l) => any.composition(l, term(c, 1)))(c);
  },
  complement: (c) => any.complement(layoutArg(c, 0), c.args[1] && shapeOf(arg(c, 1))),
  right_inverse: (c) => any.rightInverse(term(c, 0)),
  left_inverse: (c) => any.leftInverse(term(c, 0)),
  logical_divide: onLayout((l, c) => any.logicalDivide(l, term(c, 1))),
  zipped_divide: onLayout((l, c) => any.zippedDivide(l, term(c, 1))),
  tiled_divide: onLayout((l, c) => any.tiledDivide(l, term(c, 1))),
  flat_divide: onLayout((l, c) => any.flatDivide(l, term(c, 1))),
  tile_unzip: onLayout((l, c) => any.tileUnzip(l, term(c, 1))),
  logical_product: (c) => any.logicalProduct(layoutArg(c, 0), term(c, 1)),
  zipped_product: (c) => any.zippedProduct(layoutArg(c, 0), term(c, 1)),
  tiled_product: (c) => any.tiledProduct(layoutArg(c, 0), term(c, 1)),
  flat_product: (c) => any.flatProduct(layoutArg(c, 0), term(c, 1)),
  blocked_product: (c) => any.blockedProduct(layoutArg(c, 0), plainLayoutOf(arg(c, 1))),
  raked_product: (c) => any.rakedProduct(layoutArg(c, 0), plainLayoutOf(arg(c, 1))),
  tile_to_shape: (c) => {
    const order = c.args[2];
    const how = order === undefined ? "left" : order.kind === "major" ? order.major : termOf(order);
    return any.tileToShape(layoutArg(c, 0), term(c, 1), how);
  },
  upcast: (c) => any.upcast(layoutArg(c, 0), templateNumber(c, 0)),
  downcast: (c) => any.downcast(layoutArg(c, 0), templateNumber(c, 0)),
  recast_layout: (c) => any.recast(layoutArg(c, 0), numericOf(c.templateArgs[0]).bits, numericOf(c.templateArgs[1]).bits),
  max_common_layout: (c) => any.maxCommonLayout(layoutArg(c, 0), layoutArg(c, 1)),
  max_common_vector: (c) => any.maxCommonVector(layoutArg(c, 0), layoutArg(c, 1)),
  max_alignment: (c) => any.maxAlignment(layoutArg(c, 0)),
  nullspace: (c) => any.nullspace(layoutArg(c, 0)),
  domain_distribute: (c) => plain.domainDistribute(shapeOf(arg(c, 0)), term(c, 1)),
  slice: (c) => {
    const v = arg(c, 1);
    return isDomain(v) ? any.sliceAndOffset(term(c, 0), layoutOf(v) as any.DomainLayout).layout : tuples.slice(term(c, 0), termOf(v));
  },
  dice: (c) => {
    const v = arg(c, 1);
    return v.kind === "layout" ? plain.diceLayout(term(c, 0), v) : tuples.dice(term(c, 0), termOf(v));
  },
  slice_and_offset: (c) => {
    const { layout, offset } = any.sliceAndOffset(term(c, 0), layoutArg(c, 1) as any.DomainLayout);
    return { kind: "pack", items: [layout, offset] };
  },
  domain_offset: (c) => {
    const v = arg(c, 1);
    if (v.kind === "tensor") return domainOffset(v, term(c, 0));
    const { layout, offset } = any.domainOffset(term(c, 0), layoutOf(v) as any.DomainLayout);
    return { kind: "pack", items: [layout, offset] };
  },
  get_swizzle_portion: (c) => any.swizzlePortion(layoutArg(c, 0)),
  get_nonswizzle_portion: (c) => any.nonSwizzlePortion(layoutArg(c, 0)),
  as_position_independent_swizzle_layout: (c) => any.positionIndependent(layoutArg(c, 0)),
};

/** Methods of layouts (a tensor's act on its layout). */
export const layoutMethods: Library = {
  ...queries,
  compose: onLayout((l, c) => any.composition(l, c.args.length === 2 ? term(c, 1) : tupleOf(c.args.slice(1)))),
  with_shape: onLayout((l, c) => any.withShape(l, c.args.length === 2 ? term(c, 1) : tupleOf(c.args.slice(1)))),
  tile: onLayout((l, c) => any.tiledDivide(l, c.args.length === 2 ? term(c, 1) : tupleOf(c.args.slice(1)))),
  get_hier_coord: (c) => any.hierCoord(layoutArg(c, 0), term(c, 1)),
  get_flat_coord: (c) => any.flatCoord(layoutArg(c, 0), term(c, 1)),
  get_1d_coord: (c) => any.coord1d(layoutArg(c, 0), term(c, 1)),
  layout: (c) => layoutArg(c, 0),
  layout_a: (c) => composed(arg(c, 0)).a,
  layout_b: (c) => composed(arg(c, 0)).b,
  offset: (c) => composed(arg(c, 0)).offset,
};

function composed(v: Value) {
  if (v.kind !== "composed") throw new CuteError("only a composed layout has parts");
  return v;
}

/** All functions of this file. */
export const algebraLibrary: Library = { ...onTuples, ...queries, ...onLayouts };
