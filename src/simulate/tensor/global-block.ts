/** Blocks of tensors in global memory: tensor pointers, and descriptors as TMA has them. */

import { numElements } from "../../ir/builtin-types.js";
import type { Element } from "./elements.js";

/** `!tt.ptr<tensor<...>>`: a block of a tensor, at a place of its own. Strides are in elements. */
export interface BlockPointer {
  readonly form: "block-pointer";
  readonly base: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offsets: readonly number[];
  readonly block: readonly number[];
}
/** `!tt.tensordesc`: where a tensor lies; the place is given at each access. */
export interface TensorDesc {
  readonly form: "tensor-desc";
  readonly base: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly block: readonly number[];
  readonly element: Element;
  readonly padding: "zero" | "nan";
}

/** The addresses of a block's elements, row-major. */
export function addressesOf({ base, strides, offsets, block }: BlockPointer, bytes: number): Float64Array {
  const addresses = new Float64Array(numElements(block));
  forEachPlace(block, offsets, (place, index) => {
    let at = 0;
    for (let d = 0; d < place.length; d++) at += place[d]! * strides[d]!;
    addresses[index] = base + at * bytes;
  });
  return addresses;
}

/** Which elements lie in the tensor along the checked dimensions; undefined when none is checked. */
export function inBounds({ shape, offsets, block }: BlockPointer, checked: readonly number[]): Int8Array | undefined {
  if (checked.length === 0) return undefined;
  const mask = new Int8Array(numElements(block));
  forEachPlace(block, offsets, (place, index) => {
    let inside = -1;
    for (const d of checked) if (place[d]! < 0 || place[d]! >= shape[d]!) inside = 0;
    mask[index] = inside;
  });
  return mask;
}

/** Calls `visit` with every place of a block, in the coordinates of the tensor. */
function forEachPlace(
  block: readonly number[],
  offsets: readonly number[],
  visit: (place: readonly number[], index: number) => void,
): void {
  const rank = block.length;
  const place = [...offsets];
  const total = numElements(block);
  for (let index = 0; index < total; index++) {
    visit(place, index);
    for (let d = rank - 1; d >= 0; d--) {
      if (++place[d]! < offsets[d]! + block[d]!) break;
      place[d] = offsets[d]!;
    }
  }
}

/** The padding value of elements out of bounds, in its stored encoding. */
export function padding(element: Element, kind: "zero" | "nan"): number {
  if (kind === "zero" || element.family !== "float") return 0;
  return element.encode ? element.encode(Number.NaN) : Number.NaN;
}
/** Why TMA refuses a descriptor. Source: PTX ISA, tensor maps; CUDA driver API, cuTensorMapEncodeTiled. */
export function problemOfMap({ base, strides, element }: TensorDesc): string | undefined {
  if (base % 16 !== 0) return `its address 0x${base.toString(16)} is no multiple of 16 bytes`;
  const odd = strides.slice(0, -1).find((stride) => (stride * element.bytes) % 16 !== 0);
  if (odd !== undefined) return `its stride of ${odd} elements is no multiple of 16 bytes`;
  return strides.at(-1) === 1 ? undefined : `its last stride is ${strides.at(-1)}, not 1`;
}
/** The block of a descriptor at a place. Leading dimensions of extent 1 that the tensor leaves out come back by `block`. */
export function blockAt(desc: TensorDesc, offsets: readonly number[]): BlockPointer {
  const { base, shape, strides, block } = desc;
  return { form: "block-pointer", base, shape, strides, offsets, block };
}
