/** The runtime representation of SSA values. */
import type { Type } from "../../ir/attribute.js";
import type { DenseAttr } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, isShaped, numElements } from "../../ir/builtin-types.js";
import { Bug } from "../../support/assert.js";
import type { Aref, ChannelToken } from "./channels.js";
import { type Data, type Element, elementOfType } from "./elements.js";
import type { BlockPointer, TensorDesc } from "./global-block.js";
import type { AsyncOp, MemDescValue } from "./shared-memory.js";

/** A tensor, or a scalar: a tensor of rank 0. Never changed after it is made. */
export interface Tensor {
  readonly form: "tensor";
  readonly element: Element;
  readonly shape: readonly number[];
  readonly data: Data;
  /** The asynchronous op that is still computing it (wgmma), as far as the program may know. */
  readonly pending?: AsyncOp | undefined;
}
/** A token: only says that something came before. */
export interface Token {
  readonly form: "token";
}
export const TOKEN: Token = { form: "token" };

export type Val = Tensor | Token | MemDescValue | BlockPointer | TensorDesc | Aref | ChannelToken;

export function tensor(element: Element, shape: readonly number[], data: Data): Tensor {
  return { form: "tensor", element, shape, data, pending: undefined };
}
const SCALAR: readonly number[] = [];
export function scalar(element: Element, value: number | bigint): Tensor {
  const data = element.alloc(1);
  data[0] = value as never;
  return tensor(element, SCALAR, data);
}
/** `count` elements of the same value. */
export function filled(element: Element, shape: readonly number[], value: number | bigint): Tensor {
  const data = element.alloc(numElements(shape));
  // A NaN and -0 are no more true than 0 is.
  if (!Object.is(value, 0) && value !== 0n) data.fill(value as never);
  return tensor(element, shape, data);
}

/** The element and shape of a tensor or scalar type. */
export function tensorSpec(type: Type): { readonly element: Element; readonly shape: readonly number[] } {
  const element = elementOfType(elementTypeOrSelf(type));
  if (!element) throw new Bug(`${type.def.name} has no elements`);
  return { element, shape: isShaped(type) ? type.params.shape : SCALAR };
}

/** The raw value of element `i`: an integer, an address, a float's value. */
export function numberAt(value: Tensor, i = 0): number {
  const raw = value.data[i]!;
  return value.element.decode ? value.element.decode[raw as number]! : Number(raw);
}
export const isTrue = (value: Tensor, i = 0): boolean => Boolean(value.data[i]);

/** The integer or float bits of an attribute as what is kept of them. */
export function rawOfBits(element: Element, bits: bigint): number | bigint {
  if (element.big || element.family === "ptr") return element.big ? bits : Number(bits);
  if (element.family === "int" || element.encode) return Number(bits);
  scratch.setBigUint64(0, element.width === 64 ? bits : bits << 32n);
  return element.width === 64 ? scratch.getFloat64(0) : scratch.getFloat32(0);
}
/** A number as it is kept. */
export function rawOfNumber(element: Element, value: number | bigint): number | bigint {
  if (element.big) return BigInt(value);
  return element.encode ? element.encode(Number(value)) : Number(value);
}
const scratch = new DataView(new ArrayBuffer(8));

/** The tensor of a dense attribute. */
export function tensorOfDense({ params: { type, elements, splat } }: DenseAttr): Tensor {
  const { element, shape } = tensorSpec(type);
  if (splat) return filled(element, shape, rawOfBits(element, elements[0]!));
  const data = element.alloc(numElements(shape));
  elements.forEach((bits, i) => {
    data[i] = rawOfBits(element, bits) as never;
  });
  return tensor(element, shape, data);
}

/** The same bits as elements of another kind, of the same width or of a part or multiple of it. */
export function reinterpreted(data: Data, from: Element, to: Element): Data {
  if (from === to || (from.family === "ptr" && to.family === "ptr")) return data;
  if (from.family === "ptr" || to.family === "ptr") return converted(data, to);
  if (from.width === 1 || to.width === 1) throw new Bug("booleans have no bits to reinterpret");
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const result = to.alloc(data.byteLength / to.bytes);
  new Uint8Array(result.buffer).set(bytes);
  return result;
}
function converted(data: Data, to: Element): Data {
  const result = to.alloc(data.length);
  for (let i = 0; i < data.length; i++) result[i] = (to.big ? BigInt(data[i]!) : Number(data[i]!)) as never;
  return result;
}

/** Steps between neighbours along each dimension of a row-major tensor. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= shape[d]!;
  }
  return strides;
}

/** Calls `visit(index, position)` for every place of a row-major `shape`, `position` following `strides` from `start`. */
export function strided(
  shape: readonly number[],
  strides: readonly number[],
  start: number,
  visit: (index: number, position: number) => void,
): void {
  const rank = shape.length;
  if (rank === 0) return visit(0, start);
  const place = new Array<number>(rank).fill(0);
  const inner = shape[rank - 1]!;
  const step = strides[rank - 1]!;
  const total = numElements(shape);
  let position = start;
  for (let index = 0; index < total; ) {
    for (let k = 0, at = position; k < inner; k++, at += step) visit(index++, at);
    for (let d = rank - 2; ; d--) {
      if (d < 0) return;
      position += strides[d]!;
      if (++place[d]! < shape[d]!) break;
      position -= strides[d]! * shape[d]!;
      place[d] = 0;
    }
  }
}

/** The positions that `strided` visits, as an array: for gathering with a plain loop. */
export function positions(shape: readonly number[], strides: readonly number[], start = 0): Int32Array {
  const result = new Int32Array(numElements(shape));
  strided(shape, strides, start, (index, position) => {
    result[index] = position;
  });
  return result;
}
/** `data` at `positions`. */
export function gathered(element: Element, data: Data, at: Int32Array): Data {
  const result = element.alloc(at.length);
  switch (true) {
    case data instanceof Float32Array:
      return gatherF32(result as Float32Array, data, at);
    case data instanceof Uint16Array:
      return gatherU16(result as Uint16Array, data, at);
    case data instanceof Int32Array:
      return gatherI32(result as Int32Array, data, at);
    case data instanceof Float64Array:
      return gatherF64(result as Float64Array, data, at);
  }
  for (let i = 0; i < at.length; i++) result[i] = data[at[i]!] as never;
  return result;
}
// One function each, so that each loop sees one kind of array.
function gatherF32(out: Float32Array, data: Float32Array, at: Int32Array): Float32Array {
  for (let i = 0; i < at.length; i++) out[i] = data[at[i]!]!;
  return out;
}
function gatherU16(out: Uint16Array, data: Uint16Array, at: Int32Array): Uint16Array {
  for (let i = 0; i < at.length; i++) out[i] = data[at[i]!]!;
  return out;
}
function gatherI32(out: Int32Array, data: Int32Array, at: Int32Array): Int32Array {
  for (let i = 0; i < at.length; i++) out[i] = data[at[i]!]!;
  return out;
}
function gatherF64(out: Float64Array, data: Float64Array, at: Int32Array): Float64Array {
  for (let i = 0; i < at.length; i++) out[i] = data[at[i]!]!;
  return out;
}
