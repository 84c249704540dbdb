/** Block pointers and tensor descriptors. Source: python/triton/language/semantic.py. */

import {
  DescriptorGatherOp,
  DescriptorLoadOp,
  DescriptorReduceOp,
  DescriptorScatterOp,
  DescriptorStoreOp,
} from "../../../dialects/tt/ops/descriptor.js";
import { AdvanceOp, MakeTensorDescOp, MakeTensorPtrOp } from "../../../dialects/tt/ops/pointer.js";
import { intAttr } from "../../../ir/builtin-attrs.js";
import { i1, i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { shapeArgument } from "../builtins/arguments.js";
import { check, raise } from "../errors.js";
import { pyRepr, pyStr, pyTypeName, typeName } from "../python-text.js";
import type { BlockPointerParts, Semantic } from "../semantic.js";
import {
  BFLOAT16,
  blockType,
  type DescriptorType,
  type Dtype,
  descriptorIrType,
  FLOAT16,
  FLOAT32,
  INT1,
  INT8,
  INT32,
  INT64,
  isBlock,
  isInt,
  isIntSigned,
  isPtr,
  pointerType,
  UINT32,
  UINT64,
} from "../types.js";
import {
  type Descriptor,
  dtypeOf,
  elementsOf,
  extentsOf,
  isBlockTensor,
  isConstexpr,
  isTensor,
  type PyTuple,
  type PyValue,
  type Tensor,
  tuple,
  typeOf,
  unwrap,
} from "../values.js";
import { cast, intCast } from "./cast.js";
import { makeScalar } from "./constants.js";
import { constantValue, emit, emitOp } from "./emit.js";
import { constexprShape, paddingOption } from "./memory.js";
import { listText, shapeText } from "./shape.js";

/** Extents, strides or offsets as IR values: i64 where `wide`, else i32 (or what narrower integer they are). */
export function indexValues(s: Semantic, given: PyValue, wide: boolean): readonly Value[] {
  return listOf(given).map((elem) => indexValue(s, elem, wide));
}
/** The elements of a list, or the one value that is given in its place; Python's iteration over a constant fails. */
const listOf = (given: PyValue): readonly PyValue[] =>
  elementsOf(given) ?? (isConstexpr(given) ? raise("TypeError", `'${pyTypeName(unwrap(given))}' object is not iterable`) : [given]);
function indexValue(s: Semantic, elem: PyValue, wide: boolean): Value {
  if (isTensor(elem)) {
    check(!isBlockTensor(elem) || elem.type.numel === 1, "Expected a scalar in shape/strides/offsets");
    const type = dtypeOf(elem);
    check(isInt(type), "Expected an integer scalar type in shape/strides/offsets");
    if (type !== INT64 && wide) return intCast(s, elem, INT64, isIntSigned(type)).handle;
    check(
      type !== INT64 || wide,
      "Block pointers only support 32 bit `offsets/block_shape`, add a `.to(tl.int32)` or use regular indexing for 64 bit support",
    );
    return elem.handle;
  }
  const value = unwrap(elem);
  if (typeof value === "boolean") return constantValue(s, intAttr(i1(s.ctx), value ? 1 : 0));
  check(typeof value === "bigint", `Unsupported element type in shape/strides/offsets: ${pyStr(value, "type")}`);
  const bound = wide ? 2n ** 63n : 2n ** 31n;
  check(
    -bound <= value && value < bound,
    `Block pointers only support ${wide ? "64 bit `shape/strides`" : "32 bit `offsets/block_shape`"}, ` +
      `got a value ${value} which is out of the range`,
  );
  return constantValue(s, intAttr(wide ? i64(s.ctx) : i32(s.ctx), value));
}

export function makeBlockPointer(s: Semantic, given: Tensor, parts: BlockPointerParts): Tensor {
  const shape = indexValues(s, parts.shape, true);
  const strides = indexValues(s, parts.strides, true);
  const offsets = indexValues(s, parts.offsets, false);
  let base = given;
  if (!isPtr(base.type) || isBlock(base.type.element))
    return raise("ValueError", "Expected `base` to be a pointer type (but not a block pointer type or others)");
  if (base.type.element === INT1) base = cast(s, base, pointerType(INT8, base.type.addressSpace));
  const blockShape = listOf(parts.blockShape).map(unwrap);
  check(
    blockShape.every((extent) => typeof extent === "bigint" && -(2n ** 31n) <= extent && extent < 2n ** 31n),
    "Expected a list of constant integers (`int32_t` range) in `block_shape`",
  );
  const order = listOf(parts.order).map((dim) => Number(unwrap(dim)));
  check(
    [...order].sort((a, b) => a - b).every((dim, i) => dim === i),
    "Expected a permutation of (0, 1, ..., len(order)-1) in order",
  );
  check(
    [shape, strides, offsets, order].every((list) => list.length === blockShape.length),
    "Expected shape/strides/offsets/block_shape to have the same length",
  );
  const element = (base.type as { readonly element: Dtype }).element;
  const type = pointerType(blockType(element, blockShape.map(Number)));
  return emit(s, MakeTensorPtrOp, { base: base.handle, shape, strides, offsets, order }, type);
}

export const advance = (s: Semantic, base: Tensor, offsets: PyValue): Tensor =>
  emit(s, AdvanceOp, { ptr: base.handle, offsets: indexValues(s, offsets, false) }, base.type);

// --- tensor descriptors --------------------------------------------------------------------------

export interface DescriptorParts {
  readonly shape: PyValue;
  readonly strides: PyValue;
  readonly blockShape: PyValue;
  readonly paddingOption: PyValue;
}
export function makeTensorDescriptor(s: Semantic, base: Tensor, parts: DescriptorParts): Descriptor {
  const list = (value: PyValue) => elementsOf(value) ?? raise("TypeError", `object of type '${pyTypeName(value)}' has no len()`);
  const [givenShape, givenStrides, givenBlock] = [list(parts.shape), list(parts.strides), list(parts.blockShape)];
  const rank = givenShape.length;
  if (!(1 <= rank && rank <= 5)) raise("ValueError", `Expected 1 <= ndim <= 5 but got ${rank} dimensions`);
  if (givenStrides.length !== rank) raise("ValueError", `Expected ${rank} strides but got ${givenStrides.length}`);
  if (givenBlock.length !== rank) raise("ValueError", `Expected block_shape to have ${rank} dimensions but got ${givenStrides.length}`);
  check(isPtr(dtypeOf(base)), `a descriptor is made of a pointer, not of ${typeName(base.type)}`);
  const element = (dtypeOf(base) as unknown as { readonly element: Dtype }).element;
  const size = Math.trunc(element.bits / 8);
  const contiguous = Number(unwrap(givenBlock.at(-1)!));
  if (contiguous * size < 16)
    raise(
      "ValueError",
      "Descriptor block shape must have at least 16 bytes in the last dimension, " +
        `but got ${contiguous} * ${size} = ${contiguous * size} bytes`,
    );
  const lastStride = unwrap(givenStrides.at(-1)!);
  if (lastStride !== 1n) raise("ValueError", `Tensor descriptor last dim must be 1 but got ${pyStr(lastStride)}`);
  const shape = givenShape.map((x) => makeScalar(s, unwrap(x), INT32));
  const strides = givenStrides.map((x) => makeScalar(s, unwrap(x), INT64));
  const block = blockType(element, shapeArgument(givenBlock));
  check(isPtr(base.type), `a descriptor is made of a pointer, not of ${typeName(base.type)}`);
  const padding = paddingOption(parts.paddingOption);
  if (isInt(element) && padding === "nan") raise("ValueError", "Padding option `nan` is not supported for integer blocks");
  if (!padding)
    raise("TypeError", `create_make_tensor_descriptor(): padding_option must be "zero" or "nan", got ${pyRepr(parts.paddingOption)}`);
  const handles = (values: readonly Tensor[]) => values.map((v) => v.handle);
  const op = emitOp(s, MakeTensorDescOp, { base: base.handle, shape: handles(shape), strides: handles(strides), padding }, [
    descriptorIrType(s.ctx, { block }, s.options),
  ]);
  return descriptor(op.result(0), block, tuple(shape), tuple(strides));
}

function descriptor(handle: Value, block: DescriptorType["block"], shape: PyTuple, strides: PyTuple): Descriptor {
  const type: DescriptorType = {
    kind: "descriptor_type",
    block,
    shapeType: typeOf(shape) as DescriptorType["shapeType"],
    stridesType: typeOf(strides) as DescriptorType["stridesType"],
  };
  return { kind: "descriptor", handle, type, shape, strides };
}

const elementOf = (desc: Descriptor): Dtype => desc.type.block.element as Dtype;

function offsetsOf(s: Semantic, desc: Descriptor, offsets: PyValue): () => readonly Value[] {
  const count = elementsOf(offsets)?.length;
  if (count === undefined) return raise("TypeError", `object of type '${pyTypeName(offsets)}' has no len()`);
  const rank = desc.type.block.shape.length;
  check(count === rank, `expected ${rank} offsets, but got ${count}`);
  return () => indexValues(s, offsets, false);
}

export function descriptorLoad(s: Semantic, desc: Descriptor, offsets: PyValue): Tensor {
  const indices = offsetsOf(s, desc, offsets);
  return emit(s, DescriptorLoadOp, { desc: desc.handle, indices: indices() }, desc.type.block);
}

/** The offsets of a store, once the value is found to have the block's shape. */
function storeOffsets(s: Semantic, desc: Descriptor, value: Tensor, offsets: PyValue): () => readonly Value[] {
  const indices = offsetsOf(s, desc, offsets);
  check(
    listText(extentsOf(value)) === listText(desc.type.block.shape),
    `the descriptor's blocks are ${typeName(desc.type.block)}, but a ${typeName(value.type)} is stored`,
  );
  return indices;
}
export function descriptorStore(s: Semantic, desc: Descriptor, given: Tensor, offsets: PyValue): void {
  const indices = storeOffsets(s, desc, given, offsets);
  const value = cast(s, given, elementOf(desc));
  emitOp(s, DescriptorStoreOp, { desc: desc.handle, src: value.handle, indices: indices() });
}

export type DescriptorReduction = "add" | "min" | "max" | "and" | "or" | "xor";
const REDUCIBLE: Readonly<Record<"add" | "extremum" | "bits", readonly Dtype[]>> = {
  add: [UINT32, INT32, UINT64, FLOAT32, FLOAT16, BFLOAT16],
  extremum: [UINT32, INT32, UINT64, INT64, FLOAT16, BFLOAT16],
  bits: [UINT32, INT32, UINT64, INT64],
};
export function descriptorReduce(s: Semantic, kind: DescriptorReduction, desc: Descriptor, value: Tensor, offsets: PyValue): void {
  const indices = storeOffsets(s, desc, value, offsets);
  const family = kind === "add" ? "add" : kind === "min" || kind === "max" ? "extremum" : "bits";
  const element = elementOf(desc);
  check(REDUCIBLE[family].includes(element), "Unsupported dtype");
  if (family === "extremum" && element.bits === 16)
    check(s.options.gpu.cuda?.tma ?? false, "16-bit float types require native tma support");
  emitOp(s, DescriptorReduceOp, { kind, desc: desc.handle, src: value.handle, indices: indices() });
}

/** Checks the descriptor and the row numbers of a gather or scatter of rows. */
function checkRows(desc: Descriptor, xOffsets: Tensor, what: "gather" | "scatter"): void {
  const { shape } = desc.type.block;
  const text = shapeText(shape);
  check(shape.length === 2, `descriptor must be 2D, but got ${text}`);
  check(shape[0] === 1, `descriptor block must have 1 row, but got ${text}`);
  const rows = extentsOf(xOffsets);
  check(rows.length === 1, `x offsets must be 1D, but got ${constexprShape(rows)}`);
  check(rows[0]! >= 8, `descriptor ${what} must have at least 8 rows, but got ${constexprShape(rows)}`);
  const element = elementOf(desc);
  const minColumns = Math.trunc(32 / element.bits) * 8;
  check(
    shape[1]! >= minColumns,
    `descriptor ${what} of ${typeName(element)} must have at least ${minColumns} columns, but got ${shape[1]}`,
  );
}
export function descriptorGather(s: Semantic, desc: Descriptor, xOffsets: Tensor, yOffset: PyValue): Tensor {
  checkRows(desc, xOffsets, "gather");
  const type = blockType(elementOf(desc), [extentsOf(xOffsets)[0]!, desc.type.block.shape[1]!]);
  const y_offset = indexValue(s, yOffset, false);
  return emit(s, DescriptorGatherOp, { desc: desc.handle, x_offsets: xOffsets.handle, y_offset }, type);
}
export function descriptorScatter(s: Semantic, desc: Descriptor, value: Tensor, xOffsets: Tensor, yOffset: PyValue): void {
  checkRows(desc, xOffsets, "scatter");
  const y_offset = indexValue(s, yOffset, false);
  emitOp(s, DescriptorScatterOp, { desc: desc.handle, x_offsets: xOffsets.handle, y_offset, src: value.handle });
}
