/** Buffers in shared and tensor memory. Source: python/triton/experimental/gluon/language/_semantic.py, nvidia/blackwell. */

import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import {
  inferMemDescReshape,
  MemDescIndexOp,
  MemDescReinterpretOp,
  MemDescReshapeOp,
  MemDescSubsliceOp,
  MemDescTransOp,
} from "../../../dialects/ttg/ops/memdesc-views.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp, TMEMSubSliceOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { OpDef } from "../../../ir/define-op.js";
import { inferTransOpEncoding } from "../../../layout/infer/trans.js";
import { check, raise } from "../../language/errors.js";
import { pyStr, typeName } from "../../language/python-text.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emitOp, irType } from "../../language/semantic/emit.js";
import { constexprShape } from "../../language/semantic/memory.js";
import type { Semantic } from "../../language/semantic.js";
import { type BufferType, blockType, bufferIrType, type Dtype, INT32 } from "../../language/types.js";
import {
  type Buffer,
  dtypeOf,
  elementsOf,
  extentsOf,
  isTensor,
  type Layout,
  type PyValue,
  type Tensor,
  tensor,
  unwrap,
} from "../../language/values.js";
import { SHARED_LAYOUT } from "../layouts/define-layout.js";
import { layoutOfAttr } from "../layouts/from-encoding.js";
import { tensorMemoryLayouts } from "../layouts/tensor-memory.js";
import { expect, listText } from "./shape.js";

const derives = (layout: Layout, from: Layout["cls"]): boolean => {
  for (let cls: Layout["cls"] | undefined = layout.cls; cls; cls = cls.base) if (cls === from) return true;
  return false;
};
/** A layout of shared memory; Gluon's error for other values. */
export function sharedLayout(value: PyValue): Layout {
  if (value !== null && typeof value === "object" && value.kind === "layout" && derives(value, SHARED_LAYOUT)) return value;
  return raise("ValueError", `expected 'layout' to be a SharedLayout but got ${pyStr(value)}`);
}
/** A scalar type; Gluon's error for other values. */
export function dtypeArgument(value: PyValue, name: string): Dtype {
  const plain = unwrap(value);
  if (plain !== null && typeof plain === "object" && plain.kind === "dtype") return plain;
  return raise("ValueError", `expected '${name}' to be a dtype but got ${pyStr(plain)}`);
}
/** Numbers that are known while compiling. */
export function intList(value: PyValue, name: string): number[] {
  const list = (elementsOf(value) ?? raise("ValueError", `all elements of '${name}' must be integers but got ${pyStr(unwrap(value))}`)).map(
    unwrap,
  );
  expect(
    list.every((v) => typeof v === "bigint" || typeof v === "boolean"),
    () => `all elements of '${name}' must be integers but got [${list.map((v) => pyStr(v)).join(", ")}]`,
  );
  return list.map(Number);
}
export function constantInt(value: PyValue, message: (text: string) => string): number {
  const plain = unwrap(value);
  if (typeof plain === "bigint" || typeof plain === "boolean") return Number(plain);
  return raise("ValueError", message(pyStr(plain)));
}

/** The type of a buffer in shared memory. `allocShape`: the shape of the allocation that it is part of. */
export const sharedType = (element: Dtype, shape: readonly number[], layout: Layout, allocShape = shape): BufferType => ({
  kind: "buffer_type",
  space: "shared",
  element,
  shape,
  layout,
  allocShape,
});
const emitBuffer = (s: Semantic, def: OpDef, parts: Readonly<Record<string, unknown>>, type: BufferType): Buffer => {
  const op = emitOp(s, def, parts, [bufferIrType(s.ctx, type, s.options)]);
  return { kind: "buffer", handle: op.result(0), type };
};

// --- shared memory --------------------------------------------------------------------------------

export function allocateShared(s: Semantic, type: BufferType, value: Tensor | undefined): Buffer {
  return emitBuffer(s, LocalAllocOp, { src: value?.handle }, type);
}
export function sharedLoad(s: Semantic, buffer: Buffer, layout: Layout): Tensor {
  const type = blockType(buffer.type.element, buffer.type.shape, layout);
  return tensor(emitOp(s, LocalLoadOp, { src: buffer.handle }, [irType(s, type)]).result(0), type);
}
export function sharedStore(s: Semantic, buffer: Buffer, value: PyValue): void {
  if (!isTensor(value)) return raise("ValueError", `expected 'value' to be a tensor, but got a ${pyStr(value, "type")}`);
  checkStored(value, buffer);
  emitOp(s, LocalStoreOp, { src: value.handle, dst: buffer.handle });
}
/** A tensor that is stored fits the buffer. */
export function checkStored(value: Tensor, buffer: Buffer): void {
  const [from, to] = [extentsOf(value), buffer.type.shape];
  expect(listText(from) === listText(to), () => `source shape ${constexprShape(from)} and destination shape ${listText(to)} must match`);
  expect(
    dtypeOf(value) === buffer.type.element,
    () => `source dtype ${typeName(dtypeOf(value))} and destination dtype ${typeName(buffer.type.element)} must match`,
  );
}
export const sharedDealloc = (s: Semantic, buffer: Buffer): void => void emitOp(s, LocalDeallocOp, { src: buffer.handle });

// --- views ----------------------------------------------------------------------------------------

export function sliceBuffer(s: Semantic, buffer: Buffer, start: number, length: number, dim: number): Buffer {
  const { type } = buffer;
  const at = dim < 0 ? dim + type.shape.length : dim;
  if (!(at in type.shape)) return raise("IndexError", "list assignment index out of range");
  const offsets = type.shape.map((_, d) => (d === at ? start : 0));
  const shape = type.shape.map((extent, d) => (d === at ? length : extent));
  return emitBuffer(s, MemDescSubsliceOp, { src: buffer.handle, offsets }, { ...type, shape });
}
export function indexBuffer(s: Semantic, buffer: Buffer, given: PyValue): Buffer {
  const index = toTensor(s, given);
  if (buffer.type.space === "shared") expect(index.type === INT32, () => `expected 'index' to be int32 but got ${typeName(index.type)}`);
  const shape = buffer.type.shape.slice(1);
  return emitBuffer(s, MemDescIndexOp, { src: buffer.handle, index: index.handle }, { ...buffer.type, shape, allocShape: shape });
}
export function permuteBuffer(s: Semantic, buffer: Buffer, order: readonly number[]): Buffer {
  const { type } = buffer;
  const rank = type.shape.length;
  expect(order.length === rank, () => `source rank (${rank}) and order length (${order.length}) must match`);
  const permuted = (sizes: readonly number[]): number[] => order.map((d) => sizes[d] ?? raise("IndexError", "list index out of range"));
  const outer = type.allocShape.length - rank;
  const allocShape = [...type.allocShape.slice(0, outer), ...permuted(type.allocShape.slice(outer))];
  const params = type.layout.encoding()!;
  const inferred = inferTransOpEncoding(params, type.shape, order);
  if ("error" in inferred) return raise("RuntimeError", inferred.error);
  const layout = layoutOfAttr(encodingAttr(s.ctx, inferred.encoding));
  return emitBuffer(s, MemDescTransOp, { src: buffer.handle, order }, { ...type, shape: permuted(type.shape), layout, allocShape });
}
export function reshapeBuffer(s: Semantic, buffer: Buffer, shape: readonly number[]): Buffer {
  const { type } = buffer;
  const count = (sizes: readonly number[]) => sizes.reduce((a, b) => a * b, 1);
  expect(
    count(shape) === count(type.shape),
    () => `memdesc_reshape total elements mismatch: ${listText(type.shape)} -> ${listText(shape)}`,
  );
  const result = inferMemDescReshape(buffer.handle.type as MemDesc, shape);
  if (typeof result === "string") return raise("RuntimeError", result);
  const handle = emitOp(s, MemDescReshapeOp, { src: buffer.handle }, [result]).result(0);
  const { encoding, allocShape } = result.params;
  return { kind: "buffer", handle, type: { ...type, shape, layout: layoutOfAttr(encoding), allocShape } };
}
export function reinterpretBuffer(s: Semantic, buffer: Buffer, element: Dtype, shape: readonly number[], layout: Layout): Buffer {
  return emitBuffer(
    s,
    MemDescReinterpretOp,
    { src: buffer.handle },
    {
      kind: "buffer_type",
      space: buffer.type.space,
      element,
      shape,
      layout,
      allocShape: shape,
    },
  );
}

// --- tensor memory --------------------------------------------------------------------------------

export function allocateTensorMemory(s: Semantic, type: BufferType, value: Tensor | undefined): Buffer {
  return emitBuffer(s, TMEMAllocOp, { src: value?.handle }, type);
}
export function loadTensorMemory(s: Semantic, buffer: Buffer, layout: Layout): Tensor {
  const type = blockType(buffer.type.element, buffer.type.shape, layout);
  return tensor(emitOp(s, TMEMLoadOp, { src: buffer.handle }, [irType(s, type)]).result(0), type);
}
export function storeTensorMemory(s: Semantic, buffer: Buffer, value: Tensor, pred: Tensor): void {
  const [from, to] = [extentsOf(value), buffer.type.shape];
  check(listText(from) === listText(to), `source shape ${constexprShape(from)} does not match destination shape ${listText(to)}`);
  check(
    dtypeOf(value) === buffer.type.element,
    `source dtype ${typeName(dtypeOf(value))} does not match destination dtype ${typeName(buffer.type.element)}`,
  );
  emitOp(s, TMEMStoreOp, { dst: buffer.handle, src: value.handle, pred: pred.handle }, []);
}
export function sliceTensorMemory(s: Semantic, buffer: Buffer, start: number, length: number): Buffer {
  const { type } = buffer;
  if (s.rules.sliceKeepsLayout)
    return emitBuffer(s, TMEMSubSliceOp, { src: buffer.handle, N: start }, { ...type, shape: [...type.shape.slice(0, -1), length] });
  const params = type.layout.encoding();
  if (params?.kind !== "tensor_memory_encoding")
    return raise("AttributeError", `'${type.layout.cls.name}' object has no attribute 'block'`);
  const { fields } = type.layout;
  const block: PyValue = { kind: "tuple", values: [BigInt(params.blockM), BigInt(Math.min(params.blockN, length))], isPython: true };
  const layout = tensorMemoryLayouts(s.ctx.triton).data.make([
    block,
    fields.get("col_stride")!,
    fields.get("cta_split_num")!,
    fields.get("two_ctas")!,
  ]);
  const shape = [...type.shape.slice(0, -1), length];
  return emitBuffer(s, TMEMSubSliceOp, { src: buffer.handle, N: start }, { ...type, shape, layout });
}
