/**
 * Block pointers since Triton 3.8: no op makes them; loads and stores compute a pointer for each element.
 * Source: python/triton/language/core.py, `_block_ptr`.
 */
import { raise } from "../errors.js";
import { pyStr, pyTypeName } from "../python-text.js";
import type { BlockPointerParts, Semantic } from "../semantic.js";
import { type Dtype, INT64, isBlock, isFloating, isInt, isPtr, type PointerType } from "../types.js";
import {
  constexpr,
  dtypeOf,
  elementsOf,
  isKind,
  type PyClass,
  type PyInstance,
  type PyTuple,
  type PyValue,
  type Tensor,
  tuple,
  unwrap,
} from "../values.js";
import { add, and, mul } from "./arithmetic.js";
import { cast } from "./cast.js";
import { greaterEqual, lessThan } from "./compare.js";
import { makeRange, toTensor } from "./constants.js";
import { type AccessOptions, type LoadOptions, load, store } from "./memory.js";
import { broadcastToShape, expandDims } from "./shape.js";

const BLOCK_POINTER: PyClass = {
  kind: "class",
  name: "_block_ptr",
  module: "triton.language.core",
  qualname: "_block_ptr",
  flavour: "aggregate",
  attrs: new Map(),
  fields: ["base", "shape", "strides", "offsets", "block_shape", "order"].map((name) => [name, null]),
  data: undefined,
};
/** A block pointer of Triton 3.8, which is an object of the language's, not an op's result. */
export const isBlockPointer = (value: PyValue): value is PyInstance => isKind(value, "instance") && value.cls === BLOCK_POINTER;

/** Since 3.9. */
export const noBlockPointers = (): never =>
  raise("NotImplementedError", "Block pointers have been removed in favor of the tensor descriptor API");

const listOf = (value: PyValue): readonly PyValue[] => elementsOf(value) ?? [value];

function constants(given: PyValue, name: string, positive = false): PyTuple {
  const values = listOf(given).map(unwrap);
  for (const value of values) {
    if (typeof value !== "bigint") raise("ValueError", `Expected \`${name}\` to contain only integers`);
    if (positive && value <= 0n) raise("ValueError", `Expected \`${name}\` to contain only positive integers`);
  }
  return tuple(values.map(constexpr));
}

function wideIntegers(s: Semantic, given: PyValue, name: string): PyTuple {
  return tuple(
    listOf(given).map((elem) => {
      const value = toTensor(s, elem);
      if (isBlock(value.type)) raise("ValueError", `Expected \`${name}\` entries to be scalar tensors`);
      if (!isInt(dtypeOf(value))) raise("ValueError", `Expected \`${name}\` entries to be integers`);
      return cast(s, value, INT64);
    }),
  );
}

export function makeBlockPointerOfParts(s: Semantic, base: Tensor, parts: BlockPointerParts): PyInstance {
  if (!isPtr(base.type)) return raise("ValueError", "Expected `base` to be a scalar pointer type");
  if (isBlock(base.type.element)) raise("ValueError", "Expected `base` to point to a scalar element type");
  const shape = wideIntegers(s, parts.shape, "shape");
  const strides = wideIntegers(s, parts.strides, "strides");
  const offsets = wideIntegers(s, parts.offsets, "offsets");
  const block_shape = constants(parts.blockShape, "block_shape", true);
  const order = constants(parts.order, "order");
  const rank = block_shape.values.length;
  if (rank === 0) raise("ValueError", "Expected `make_block_ptr` to describe at least one dimension");
  for (const [name, { values }] of Object.entries({ shape, strides, offsets, order }))
    if (values.length !== rank)
      raise(
        "ValueError",
        "Expected `shape`, `strides`, `offsets`, `block_shape`, and `order` to have the same length; " +
          `\`${name}\` has length ${values.length} but expected ${rank}`,
      );
  const sorted = order.values.map((dim) => Number(unwrap(dim))).sort((a, b) => a - b);
  if (sorted.some((dim, i) => dim !== i)) raise("ValueError", `Expected \`order\` to be a permutation of 0..${rank - 1}`);
  const attrs = new Map<string, PyValue>(Object.entries({ base, shape, strides, offsets, block_shape, order }));
  return { kind: "instance", cls: BLOCK_POINTER, attrs };
}

const partOf = (pointer: PyInstance, name: string): readonly PyValue[] => (pointer.attrs.get(name) as PyTuple).values;
/** The pointer that a block pointer was made of. */
export const blockPointerBase = (pointer: PyInstance): Tensor => pointer.attrs.get("base") as Tensor;

/** The block pointer moved by offsets. */
export function advanceBlockPointer(s: Semantic, pointer: PyInstance, given: PyValue): PyInstance {
  const old = partOf(pointer, "offsets");
  const deltas = wideIntegers(s, given, "offsets").values;
  if (deltas.length !== old.length) raise("ValueError", `Expected \`offsets\` to have length ${old.length} but received ${deltas.length}`);
  const offsets = tuple(old.map((offset, i) => add(s, offset, deltas[i]!, true)));
  return { ...pointer, attrs: new Map(pointer.attrs).set("offsets", offsets) };
}

/** A pointer for each element, and which of them are within bounds; no mask where none is asked for. */
function pointersOf(s: Semantic, pointer: PyInstance, boundaryCheck: PyValue): readonly [Tensor, Tensor | undefined] {
  const tile = partOf(pointer, "block_shape").map((extent) => Number(unwrap(extent)));
  const [shape, strides, offsets] = ["shape", "strides", "offsets"].map((name) => partOf(pointer, name)) as [
    PyValue[],
    PyValue[],
    PyValue[],
  ];
  const checked = checkedDims(boundaryCheck, tile.length);
  let pointers = blockPointerBase(pointer);
  let mask: Tensor | undefined;
  tile.forEach((extent, dim) => {
    let at = add(s, offsets[dim]!, makeRange(s, 0n, BigInt(extent)), true);
    for (let i = 0; i < dim; i++) at = expandDims(s, at, 0);
    for (let i = dim + 1; i < tile.length; i++) at = expandDims(s, at, i);
    at = broadcastToShape(s, at, tile);
    pointers = add(s, pointers, mul(s, at, strides[dim]!, true), true);
    if (!checked.has(dim)) return;
    const notBelow = greaterEqual(s, at, 0n);
    const within = and(s, notBelow, lessThan(s, at, shape[dim]!));
    mask = mask ? and(s, mask, within) : within;
  });
  return [pointers, mask];
}

function checkedDims(given: PyValue, rank: number): ReadonlySet<number> {
  if (given === null) return new Set();
  const dims = listOf(given).map(unwrap);
  for (const dim of dims)
    if (typeof dim !== "bigint" || dim < 0n || dim >= BigInt(rank))
      raise("ValueError", `Expected \`boundary_check\` to contain dimensions in [0, ${rank})`);
  const checked = new Set(dims.map(Number));
  if (!elementsOf(given)) raise("TypeError", `object of type '${pyTypeName(given)}' has no len()`);
  if (checked.size !== dims.length) raise("ValueError", "Duplicate dimension in `boundary_check`");
  return checked;
}

/** Loads through a block pointer, by a tensor of pointers. */
export function loadBlock(
  s: Semantic,
  pointer: PyInstance,
  options: LoadOptions & { readonly mask: PyValue; readonly other: PyValue },
): Tensor {
  if (options.mask !== null || options.other !== null)
    raise("ValueError", "`mask` and `other` arguments cannot be specified for loading block pointers");
  const [pointers, mask] = pointersOf(s, pointer, options.boundaryCheck);
  const other = outOfBounds(blockPointerBase(pointer), options.paddingOption);
  const plain = { ...options, boundaryCheck: tuple([]), paddingOption: "" };
  return load(s, pointers, mask, other === undefined ? undefined : toTensor(s, other), plain);
}
/** The value of elements out of bounds, as Python writes it; undefined where it is not said. */
function outOfBounds(base: Tensor, padding: PyValue): PyValue | undefined {
  const element = (base.type as PointerType).element as Dtype;
  if (padding === null || padding === "") return undefined;
  if (padding === "zero") return isFloating(element) ? 0 : 0n;
  if (padding !== "nan") return raise("ValueError", `Padding option ${pyStr(padding)} not supported`);
  if (isInt(element)) raise("ValueError", "Padding option `nan` is not supported for integer block pointers");
  return Number.NaN;
}

/** Stores through a block pointer, by a tensor of pointers. */
export function storeBlock(s: Semantic, pointer: PyInstance, value: PyValue, options: AccessOptions & { readonly mask: PyValue }): void {
  if (options.mask !== null) raise("ValueError", "`mask` argument cannot be specified for storing block pointers");
  const [pointers, mask] = pointersOf(s, pointer, options.boundaryCheck);
  store(s, pointers, toTensor(s, value), mask, { ...options, boundaryCheck: tuple([]) });
}
