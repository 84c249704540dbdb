/** Elements of a buffer by index. Source: python/triton/experimental/gluon/language/_semantic.py, shared_gather and others. */
import { LocalAtomicScatterRMWOp, LocalGatherOp, LocalScatterOp } from "../../../dialects/ttg/ops/local-scatter.js";
import { raise } from "../../language/errors.js";
import { pyStr, sameLayout, typeName } from "../../language/python-text.js";
import { emit, emitOp } from "../../language/semantic/emit.js";
import { broadcastTensors, listText } from "../../language/semantic/shape.js";
import type { Semantic } from "../../language/semantic.js";
import { blockType, type Dtype, INT1, isBlock, isFloating, isInt, isIntUnsigned } from "../../language/types.js";
import { type Buffer, dtypeOf, extentsOf, isTensor, type PyValue, type Tensor } from "../../language/values.js";
import { expect } from "./shape.js";

export const ATOMIC_KINDS = ["add", "max", "min", "and", "or", "xor", "xchg"] as const;
type AtomicKind = (typeof ATOMIC_KINDS)[number];

interface Indexed {
  readonly indices: Tensor;
  readonly axis: number;
}
function indexed(buffer: Buffer, indices: PyValue, axis: PyValue): Indexed {
  if (!isTensor(indices)) return raise("ValueError", `expected 'indices' to be a tensor, but got a ${pyStr(indices, "type")}`);
  if (typeof axis !== "bigint" && typeof axis !== "boolean")
    return raise("ValueError", `expected 'axis' to be an int, but got a ${pyStr(axis, "type")}`);
  const rank = buffer.type.shape.length;
  const given = extentsOf(indices).length;
  expect(given === rank, () => `indices rank must match memdesc rank: got ${given} and ${rank}`);
  const dimension = Number(axis);
  expect(0 <= dimension && dimension < rank, () => `axis ${dimension} is out of bounds for memdesc rank ${rank}`);
  expect(isInt(dtypeOf(indices)), () => `indices must have integer dtype, got ${typeName(dtypeOf(indices))}`);
  return { indices, axis: dimension };
}
function checkElements(buffer: Buffer, values: Tensor): void {
  expect(
    dtypeOf(values) === buffer.type.element,
    () => `values element type must match destination element type: got ${typeName(dtypeOf(values))} and ${typeName(buffer.type.element)}`,
  );
}
const tensorOf = (values: PyValue): Tensor =>
  isTensor(values) ? values : raise("ValueError", `expected 'values' to be a tensor, but got a ${pyStr(values, "type")}`);

export function gather(s: Semantic, buffer: Buffer, at: PyValue, dim: PyValue): Tensor {
  const { indices, axis } = indexed(buffer, at, dim);
  const layout = isBlock(indices.type) ? indices.type.layout : undefined;
  const type = blockType(buffer.type.element, extentsOf(indices), layout);
  return emit(s, LocalGatherOp, { src: buffer.handle, indices: indices.handle, axis }, type);
}

export function scatter(s: Semantic, buffer: Buffer, given: PyValue, at: PyValue, dim: PyValue): void {
  const where = indexed(buffer, at, dim);
  const values = tensorOf(given);
  const operands = s.rules.broadcastsScattered ? broadcastScattered(s, buffer, values, where.indices) : [values, where.indices];
  if (!s.rules.broadcastsScattered) checkSame(buffer, values, where.indices);
  const [from, indices] = operands as [Tensor, Tensor];
  emitOp(s, LocalScatterOp, { dst: buffer.handle, values: from.handle, indices: indices.handle, axis: where.axis });
}
function broadcastScattered(s: Semantic, buffer: Buffer, values: Tensor, ...rest: readonly Tensor[]): readonly Tensor[] {
  checkElements(buffer, values);
  return broadcastTensors(s, values, ...rest);
}
/** Before 3.8 nothing is broadcast. */
function checkSame(buffer: Buffer, values: Tensor, indices: Tensor): void {
  const [a, b] = [extentsOf(values), extentsOf(indices)];
  expect(listText(a) === listText(b), () => `values must have the same shape as indices: got ${listText(a)} and ${listText(b)}`);
  const layouts = [values, indices].map(({ type }) => (isBlock(type) ? type.layout : undefined));
  expect(
    layouts[0] !== undefined && layouts[1] !== undefined && sameLayout(layouts[0], layouts[1]),
    () => "values must have the same layout as indices",
  );
  checkElements(buffer, values);
}

export function atomicScatter(
  s: Semantic,
  kind: AtomicKind,
  buffer: Buffer,
  given: PyValue,
  at: PyValue,
  dim: PyValue,
  asked: Tensor | undefined,
): Tensor {
  const where = indexed(buffer, at, dim);
  const operands = [where.indices, ...(asked ? [asked] : [])];
  const [values, indices, mask] = broadcastScattered(s, buffer, tensorOf(given), ...operands) as [Tensor, Tensor, Tensor?];
  if (mask) expect(dtypeOf(mask) === INT1, () => `mask must have boolean dtype, got ${typeName(dtypeOf(mask))}`);
  const parts = { dst: buffer.handle, values: values.handle, indices: indices.handle, mask: mask?.handle, axis: where.axis };
  const type = dtypeOf(values) as Dtype;
  return emit(s, LocalAtomicScatterRMWOp, { ...parts, atomic_rmw_op: operation(kind, type) }, values.type);
}
function operation(kind: AtomicKind, type: Dtype): string {
  expect(
    isInt(type) || ((kind === "add" || kind === "xchg") && isFloating(type)),
    () => `atomic_scatter_${kind} does not support dtype ${typeName(type)}`,
  );
  if (kind === "xchg") return "exch";
  if (kind === "add") return isFloating(type) ? "fadd" : "add";
  return isIntUnsigned(type) && (kind === "max" || kind === "min") ? `u${kind}` : kind;
}
