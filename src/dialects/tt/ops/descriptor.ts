/** Loads and stores through tensor descriptors (TMA). */
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, type TensorType } from "../../../ir/builtin-types.js";
import { defaultAttr, I32, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { type InterfaceImpl, implement } from "../../../ir/interfaces.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { I32Tensor, Tensor, TensorDesc } from "../constraints.js";
import { CacheModifierAttr, DescriptorReduceKindAttr, EvictionPolicyAttr } from "../enums.js";
import { DescriptorOpInterface, DescriptorStoreLikeOpInterface } from "../op-interfaces.js";
import { readsGlobal, ttTraits, writesGlobal } from "../tt-op.js";
import { signlessBlockType } from "../types.js";

const descriptorOp = implement(DescriptorOpInterface, { desc: (op) => op.operand(0) });
/** Store-like ops whose source is operand `srcIndex`. */
const storeLike = (srcIndex: number): readonly InterfaceImpl[] => [
  descriptorOp,
  implement(DescriptorStoreLikeOpInterface, { desc: (op) => op.operand(0), src: (op) => op.operand(srcIndex), srcIndex: () => srcIndex }),
];
const writesThrough = ({ desc }: { readonly desc: Value }) => [readsGlobal(desc), writesGlobal(desc)];

/** Source: TritonOps.td, TT_DescriptorLoadOp. */
export const DescriptorLoadOp = defineOp("tt.descriptor_load", () => ({
  summary: "Load from descriptor",
  operands: { desc: TensorDesc, indices: variadic(I32) },
  attrs: { cache: defaultAttr(CacheModifierAttr, "none"), evict: defaultAttr(EvictionPolicyAttr, "evict_normal") },
  results: { result: Tensor },
  traits: ttTraits(),
  interfaces: [descriptorOp],
  format: `
    $desc \`[\` $indices \`]\`
    oilist(\`cacheModifier\` \`=\` $cache | \`evictionPolicy\` \`=\` $evict)
    attr-dict \`:\` qualified(type($desc)) \`->\` type($result)`,
  effects: ({ desc }) => [readsGlobal(desc)],
  verifyDependsOn: "types and attributes",
  verify: ({ desc, result }, report) => verifyBlock(desc.type, result.type as TensorType, report),
}));

/** Source: TritonOps.td, TT_DescriptorStoreOp. */
export const DescriptorStoreOp = defineOp("tt.descriptor_store", () => ({
  summary: "store value based on descriptor",
  operands: { desc: TensorDesc, src: Tensor, indices: variadic(I32) },
  traits: ttTraits(),
  interfaces: storeLike(1),
  format: "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)",
  effects: writesThrough,
  verifyDependsOn: "types and attributes",
  verify: ({ desc, src }, report) => verifyBlock(desc.type, src.type as TensorType, report),
}));

/** Source: TritonOps.td, TT_DescriptorReduceOp. */
export const DescriptorReduceOp = defineOp("tt.descriptor_reduce", () => ({
  summary: "performs a reducing store operation based on a descriptor",
  operands: { desc: TensorDesc, src: Tensor, indices: variadic(I32) },
  attrs: { kind: DescriptorReduceKindAttr },
  traits: ttTraits(),
  interfaces: storeLike(1),
  format: "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)",
  effects: writesThrough,
}));

/** Source: TritonOps.td, TT_DescriptorGatherOp. */
export const DescriptorGatherOp = defineOp("tt.descriptor_gather", () => ({
  summary: "gather multiple rows from a descriptor into a single tensor",
  operands: { desc: TensorDesc, x_offsets: I32Tensor, y_offset: I32 },
  results: { result: Tensor },
  traits: ttTraits(),
  interfaces: [descriptorOp],
  format: "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)",
  effects: ({ desc }) => [readsGlobal(desc)],
  verify: ({ desc, result, x_offsets }, report) =>
    verifyGatherScatter(signlessBlockType(desc.type), result.type as TensorType, x_offsets.type as TensorType, report),
}));

/** Source: TritonOps.td, TT_DescriptorScatterOp. */
export const DescriptorScatterOp = defineOp("tt.descriptor_scatter", () => ({
  summary: "scatter multiple rows to a descriptor from a single tensor",
  operands: { desc: TensorDesc, x_offsets: I32Tensor, y_offset: I32, src: Tensor },
  traits: ttTraits(),
  interfaces: storeLike(3),
  format: "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)",
  effects: writesThrough,
  verify: ({ desc, src, x_offsets }, report) =>
    verifyGatherScatter(signlessBlockType(desc.type), src.type as TensorType, x_offsets.type as TensorType, report),
}));

const quoted = (type: Type) => `'${typeText(type)}'`;

interface Shaped {
  readonly params: { readonly shape: readonly number[]; readonly elementType: Type };
}
/** Since 3.8 the tensor may have another shape. */
export function verifySameElements(block: Shaped, tensor: Shaped, report: OpReport): boolean {
  const [from, to] = [block, tensor].map(({ params }) => params.elementType) as [Type, Type];
  const error = (message: string) => (report.error(`descriptor block and tensor ${message}`, "tt.descriptor"), false);
  if (from !== to)
    return error(`element types must match, but got descriptor element type ${quoted(from)} and tensor element type ${quoted(to)}`);
  const [inBlock, inTensor] = [block, tensor].map(({ params }) => params.shape.reduce((n, extent) => n * extent, 1));
  if (inBlock === inTensor) return true;
  return error(`must have the same number of elements, but got descriptor block with ${inBlock} elements tensor with ${inTensor} elements`);
}

/** The tensor is the block, possibly without leading dimensions of extent 1. */
function verifyBlock(desc: Type, tensor: TensorType, report: OpReport): void {
  const block = signlessBlockType(desc);
  const { shape } = tensor.params;
  if (desc.ctx.triton.checksMemory) return void verifySameElements(block, tensor, report);
  const extra = Math.max(0, block.params.shape.length - shape.length);
  if (block.params.shape.slice(0, extra).some((extent) => extent !== 1))
    return void report.error("ranked reduce load only allowed for unit dimension leading dim.", "tt.descriptor");
  const rest = block.params.shape.slice(extra);
  const fits =
    rest.length === shape.length &&
    rest.every((extent, i) => extent === shape[i]) &&
    block.params.elementType === tensor.params.elementType;
  if (!fits) report.error("tensor descriptor block and tensor types must match", "tt.descriptor");
}

/** Verifies TMA's rules for the result of a gather. Returns whether they hold. Source: Ops.cpp, DescriptorGatherOp::verifyResultType. */
export function verifyGatherResultType(result: TensorType, indices: TensorType, report: OpReport): boolean {
  const { shape, elementType } = result.params;
  const error = (message: string) => (report.error(message, "tt.descriptor"), false);
  if (indices.params.shape.length !== 1) return error(`x offsets must be a 1D tensor, but got ${quoted(indices)}`);
  if (shape.length !== 2) return error(`result must be a 2D tensor, but got ${quoted(result)}`);
  const [rows, columns] = shape as [number, number];
  // Since 3.8 scatters have the same message.
  const gather = result.ctx.triton.checksMemory ? "" : "gather ";
  if (rows < 8) return error(`${gather}must have at least 8 rows, but got ${rows}`);
  const width = bitWidth(elementType) ?? 64;
  if (width > 32) return error("TMA dtype cannot be greater than 32 bits");
  const minColumns = Math.trunc(32 / width) * 8;
  if (columns < minColumns)
    return error(
      gather
        ? `gather of ${quoted(elementType)} must have at least ${minColumns} columns, but got ${columns}`
        : `must have at least ${minColumns} columns for ${quoted(elementType)}, but got ${columns}`,
    );
  if (rows !== indices.params.shape[0])
    return error(`result tensor must have as many rows as indices (${indices.params.shape[0]}), but got ${quoted(result)}`);
  return true;
}

export function verifyGatherColumns(block: TensorType, result: TensorType, report: OpReport): boolean {
  const error = (message: string) => (report.error(message, "tt.descriptor"), false);
  const { shape, elementType } = block.params;
  if (result.params.shape[1] !== shape[1])
    return error(`result tensor number of columns must match block (${shape[1]}), but got ${quoted(result)}`);
  const fits = result.params.elementType === elementType;
  return fits || error(`result tensor element type must match block (${quoted(elementType)}), but got ${quoted(result)}`);
}
function verifyGatherScatter(block: TensorType, result: TensorType, indices: TensorType, report: OpReport): void {
  const { shape } = block.params;
  const error = (message: string) => void report.error(message, "tt.descriptor");
  if (shape.length !== 2) return error(`block must be a 2D tensor, but got ${quoted(block)}`);
  if (shape[0] !== 1) return error(`block must have exactly 1 row, but got ${quoted(block)}`);
  if (verifyGatherResultType(result, indices, report)) verifyGatherColumns(block, result, report);
}
