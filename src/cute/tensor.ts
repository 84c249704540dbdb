/**
 * Tensors: a layout over something that can be indexed. Memory keeps values, so that a copy can be carried out; a
 * coordinate tensor gives back where it was asked.
 *
 *   gmem_ptr[16b](nil) o (_64,_128):(128,_1)          ArithTuple(_0,_0) o (_4,_3):(_1@0,_1@1)
 *
 * Source: cute/tensor_impl.hpp, cute/pointer*.hpp.
 */
import { add, asCoordinate } from "./arithmetic.js";
import * as any from "./composed-layout.js";
import { append, dice, hasUnderscore, productEach, underscores } from "./int-tuple.js";
import * as plain from "./layout.js";
import { type NumericType, roundTo } from "./numeric-type.js";
import { printTerm } from "./print-term.js";
import { applySwizzle } from "./swizzle.js";
import { type AnyLayout, CuteError, get, isConstant, isTuple, lit, numberOf, rankOf, type Swizzle, type Term, tuple } from "./term.js";

/** Storage of one array: its elements by index, created when first written. */
export interface Memory {
  /** Byte address of element 0 (0 is the null pointer). */
  readonly address: number;
  readonly values: Map<number, number>;
}

/** A pointer to elements of a memory space; `raw` is a plain C++ pointer or an owning tensor's array. */
export interface MemoryPointer {
  readonly kind: "memory";
  readonly space: "gmem" | "smem" | "rmem" | "raw";
  readonly element: NumericType;
  /** Index of the element pointed to. */
  readonly offset: number;
  /** Applied to the byte address of every access. */
  readonly swizzle: Swizzle | undefined;
  readonly memory: Memory;
}

/** An iterator over coordinates: dereferencing gives the coordinate itself. */
export interface CoordinatePointer {
  readonly kind: "coordinates";
  readonly at: Term;
}

/** An iterator over integers. */
export interface CountingPointer {
  readonly kind: "counting";
  readonly at: number;
}

export type Pointer = MemoryPointer | CoordinatePointer | CountingPointer;

/** Data and how coordinates reach it. */
export interface Tensor {
  readonly kind: "tensor";
  readonly data: Pointer;
  readonly layout: any.DomainLayout;
}

/** A value read from a tensor: a coordinate, or a number of a type. */
export type Element = { readonly kind: "number"; readonly type: NumericType; readonly value: number } | Term;

/** A pointer to fresh memory. */
export const memoryPointer = (element: NumericType, space: MemoryPointer["space"], address = 0): MemoryPointer => ({
  kind: "memory",
  space,
  element,
  offset: 0,
  swizzle: undefined,
  memory: { address, values: new Map() },
});

/** A tensor; a layout waiting for a shared memory pointer hands its swizzle to the pointer. */
export function makeTensor(data: Pointer, layout: any.DomainLayout): Tensor {
  if (layout.kind !== "composed" || layout.offset.kind !== "smem-flag") return { kind: "tensor", data, layout };
  if (data.kind !== "memory" || data.space !== "smem") throw new CuteError("make_tensor: this layout needs a shared memory pointer");
  if (data.element.bits !== layout.offset.bits)
    throw new CuteError(`make_tensor: the layout is for elements of ${layout.offset.bits} bits, the pointer's have ${data.element.bits}`);
  if (layout.a.kind !== "swizzle" || layout.b.kind === "swizzle") throw new CuteError("make_tensor: expected a swizzled layout");
  return { kind: "tensor", data: { ...data, swizzle: layout.a.bits === 0 ? undefined : layout.a }, layout: layout.b };
}

/** Every coordinate of a shape as its own value. */
export const identityTensor = (shape: Term): Tensor => coordinateTensor(plain.identityLayout(shape));
/** A layout of coordinates as a tensor. */
export const coordinateTensor = (l: plain_Layout): Tensor => ({
  kind: "tensor",
  data: { kind: "coordinates", at: asCoordinate(plain.coprofile(l)) },
  layout: l,
});
type plain_Layout = ReturnType<typeof plain.layout>;

/** The pointer `offset` further on. */
export function advance(data: Pointer, offset: Term): Pointer {
  if (data.kind === "coordinates") return { kind: "coordinates", at: add(data.at, offset) };
  const by = numberOf(offset, "an offset in elements");
  return data.kind === "counting" ? { ...data, at: data.at + by } : { ...data, offset: data.offset + by };
}

/** The element a pointer points to after `offset`. */
export function load(data: Pointer, offset: Term): Element {
  if (data.kind === "coordinates") return add(data.at, offset);
  const by = numberOf(offset, "an offset in elements");
  if (data.kind === "counting") return { kind: "int", value: data.at + by, isStatic: false };
  const value = data.memory.values.get(indexOf(data, by)) ?? 0;
  return { kind: "number", type: data.element, value };
}

/** Writes an element, rounded to its type. */
export function store(data: Pointer, offset: Term, value: number): void {
  if (data.kind !== "memory") throw new CuteError("cannot write through an iterator");
  data.memory.values.set(indexOf(data, numberOf(offset)), roundTo(data.element, value));
}

/** Index of an access, swizzled on byte addresses. */
function indexOf(p: MemoryPointer, by: number): number {
  const index = p.offset + by;
  if (!p.swizzle) return index;
  const bytes = p.memory.address + (index * p.element.bits) / 8;
  return ((numberOf(applySwizzle(p.swizzle, lit(bytes))) - p.memory.address) * 8) / p.element.bits;
}

/** The part of a tensor that a coordinate with `_` keeps, or the element at a coordinate. */
export function at(t: Tensor, coord: Term): Tensor | Element {
  if (!hasUnderscore(coord)) return load(t.data, any.apply(t.layout, coord));
  const { layout, offset } = any.sliceAndOffset(coord, t.layout);
  return makeTensor(isConstant(0, offset) ? t.data : advance(t.data, offset), layout);
}

/** `at` where the coordinate is known to keep something. */
export function sliceTensor(t: Tensor, coord: Term): Tensor {
  const part = at(t, coord);
  if (part.kind !== "tensor") throw new CuteError("expected a coordinate with _");
  return part;
}

/** The tensor with `f` applied to its layout. */
export const withLayout = (t: Tensor, f: (l: any.DomainLayout) => AnyLayout): Tensor => {
  const l = f(t.layout);
  if (l.kind === "swizzle") throw new CuteError("expected a layout");
  return makeTensor(t.data, l);
};

/** The tile at `coord` of the tiles of a tensor, or with a scalar coordinate the tile of that number. */
export function localTile(t: Tensor, tiler: Term, coord: Term, projection?: Term): Tensor {
  if (projection) return localTile(t, dice(projection, tiler), dice(projection, coord));
  const tiled = withLayout(t, (l) => any.zippedDivide(l, tiler));
  const shape = any.shape(tiled.layout);
  const rest = isTuple(coord) ? append(coord, { kind: "underscore" }, rankOf(get(shape, 1))) : coord;
  return sliceTensor(tiled, tuple(underscores(rankOf(get(shape, 0))), rest));
}

/** The elements at `coord` within every tile: one element per tile. */
export function outerPartition(t: Tensor, tiler: Term, coord: Term): Tensor {
  const tiled = withLayout(t, (l) => any.zippedDivide(l, tiler));
  const shape = any.shape(tiled.layout);
  const inner = isTuple(coord) ? append(coord, { kind: "underscore" }, rankOf(get(shape, 0))) : coord;
  return sliceTensor(tiled, tuple(inner, underscores(rankOf(get(shape, 1)))));
}

/** The elements of thread `index` when a tensor is dealt out to the threads of `threads`. */
export function localPartition(t: Tensor, threads: plain_Layout, index: Term, projection?: Term): Tensor {
  const tile = projection ? plain.diceLayout(projection, threads) : threads;
  return outerPartition(t, productEach(tile.shape), plain.flatCoord(tile, index));
}

/** A tensor whose origin is moved to `coord`. */
export function domainOffset(t: Tensor, coord: Term): Tensor {
  const { layout, offset } = any.domainOffset(coord, t.layout);
  return makeTensor(advance(t.data, offset), layout);
}

/** The tensor seen as elements of another type. */
export function recastTensor(t: Tensor, element: NumericType): Tensor {
  if (t.data.kind !== "memory") throw new CuteError("recast: expected a tensor in memory");
  const old = t.data.element;
  if (old.name === element.name) return t;
  const data: Pointer = { ...t.data, element, offset: (t.data.offset * old.bits) / element.bits };
  return withLayout({ ...t, data }, (l) => any.recast(l, old.bits, element.bits));
}

/** Number of elements; must be known. */
export const sizeOf = (t: Tensor): number => numberOf(any.size(t.layout));

/** Elements from first to last (mode 0 fastest). */
export function* elements(t: Tensor): Generator<Element> {
  const n = sizeOf(t);
  for (let i = 0; i < n; i++) yield load(t.data, any.apply(t.layout, { kind: "int", value: i, isStatic: false }));
}

/** Copies element by element, converting to the destination's type. */
export function copyElements(from: Tensor, to: Tensor): void {
  if (sizeOf(from) !== sizeOf(to)) throw new CuteError(`copy: ${sizeOf(from)} elements do not fit ${sizeOf(to)}`);
  let i = 0;
  for (const value of elements(from)) {
    if (value.kind !== "number" && value.kind !== "int") throw new CuteError("copy: the source has no numbers");
    store(to.data, any.apply(to.layout, { kind: "int", value: i++, isStatic: false }), value.value);
  }
}

/** Fills every element with `f(index)`. */
export function fill(t: Tensor, f: (index: number) => number): void {
  const n = sizeOf(t);
  for (let i = 0; i < n; i++) store(t.data, any.apply(t.layout, { kind: "int", value: i, isStatic: false }), f(i));
}

/** A pointer as CuTe prints it; addresses are those of the evaluator's memory. */
export function printPointer(p: Pointer): string {
  if (p.kind === "coordinates") return `ArithTuple${printTerm(p.at)}`;
  if (p.kind === "counting") return `counting_iter(${p.at})`;
  const bits = p.memory.address * 8 + p.offset * p.element.bits;
  const address = bits === 0 ? "(nil)" : `0x${Math.floor(bits / 8).toString(16)}`;
  const subbyte = p.element.bits % 8 !== 0 || p.element.bits < 8;
  const text = subbyte ? `subptr[${p.element.bits}b](${address}.${bits % 8})` : `ptr[${p.element.bits}b](${address})`;
  return `${p.swizzle ? `${printTerm(p.swizzle)}_` : ""}${p.space === "raw" ? "" : `${p.space}_`}${text}`;
}

/** A tensor as CuTe's `print` writes it. */
export const printTensorLine = (t: Tensor): string => `${printPointer(t.data)} o ${printTerm(t.layout)}`;

/** The linear offset of a tensor's first element, for pointers that count from 0. */
export const offsetOf = (t: Tensor): Term =>
  t.data.kind === "coordinates" ? t.data.at : { kind: "int", value: t.data.kind === "memory" ? t.data.offset : t.data.at, isStatic: false };
