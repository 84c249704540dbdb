/**
 * Buffers in shared memory: allocating, filling, reading and viewing them.
 * Source: lib/Conversion/TritonGPUToLLVM/MemoryOpToLLVM.cpp, ViewOpToLLVM.cpp.
 */

import { ptrType, structType } from "../../dialects/llvm/types/types.js";
import { encodingParams, sharedParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp } from "../../dialects/ttg/ops/local-memory.js";
import {
  MemDescIndexOp,
  MemDescReinterpretOp,
  MemDescReshapeOp,
  MemDescSubsliceOp,
  MemDescTransOp,
} from "../../dialects/ttg/ops/memdesc-views.js";
import { GlobalScratchAllocOp } from "../../dialects/ttg/ops/misc.js";
import type { MemDescParams } from "../../dialects/ttg/types.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { TensorType } from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../layout/column-action.js";
import { composeBlockLocal } from "../../layout/conversion.js";
import { getAllocationShapePerCTA, linearComponentOf, paddingsOf } from "../../layout/encoding-queries.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { standardOutDimNames } from "../../layout/standard-dims.js";
import { unrealizedCast } from "../../rewrite/unrealized-casts.js";
import { globalScratchPtr, profileScratchPtr, sharedMemoryBases } from "./control-flow.js";
import { delinearize, linearize } from "./index-math.js";
import { scalarBits } from "./ll-builder.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { lowerLdStShared } from "./shared-access.js";
import type { Padding, SharedPlace } from "./target-code.js";
import { applyLinearLayout } from "./thread-indices.js";
import { convertType } from "./type-converter.js";

/** A buffer as a thread knows it: where its allocation (or the part of it that was picked by an index) begins, and offsets into that. */
export interface SharedMemoryObject {
  readonly base: Value;
  /** One for each dimension, in elements. */
  readonly offsets: readonly Value[];
}
export const memDescOf = (value: Value): MemDescParams => MemDescType.params(value.type);
/** The base pointer and the offsets of a memory descriptor after its lowering. */
export function sharedMemoryObject(lo: Lowering, memdesc: Value): SharedMemoryObject {
  const [base, ...offsets] = lo.elements(memdesc);
  return { base: base!, offsets };
}
const setObject = (lo: Lowering, result: Value, { base, offsets }: SharedMemoryObject): void => lo.setElements(result, [base, ...offsets]);

/** The layout of the whole buffer that a memdesc is a part of, paddings not counted. */
export function linearLayoutOf({ shape, allocShape, encoding }: MemDescParams): LinearLayout {
  return componentOf(encoding) ?? toLinearLayout(allocShape.slice(-shape.length), encoding);
}
/** The layout that a padded encoding holds in full. */
function componentOf(encoding: Attribute): LinearLayout | undefined {
  const params = sharedParams(encoding);
  return params && linearComponentOf(params);
}

/** The offset bits that views of parts of this allocation may set; 0 when it is no part. All of them for padded layouts whose views are not padded apart. */
export function maskSpanOffsets({ forms }: Lowering, type: MemDescParams): number {
  const { shape, allocShape, encoding } = type;
  const alloc = allocShape.slice(-shape.length);
  if (alloc.every((extent, d) => extent === shape[d])) return 0;
  if (componentOf(encoding) && !forms.padsViewsApart) return -1;
  const inverse = linearLayoutOf(type).sublayout(["offset"], standardOutDimNames(shape.length)).invert();
  const dims = standardOutDimNames(shape.length);
  let mask = 0;
  shape.forEach((extent, d) => {
    for (let bit = Math.log2(extent); bit < Math.log2(alloc[d]!); bit++)
      mask |= inverse.applyPacked(Object.fromEntries(dims.map((dim, i) => [dim, i === d ? 1 << bit : 0])));
  });
  return mask;
}
/** Where a view begins, in elements. */
export function shmemOffset(lo: Lowering, { offsets }: SharedMemoryObject, type: MemDescParams): Value {
  if (maskSpanOffsets(lo, type) === 0) return lo.b.i32(0);
  const dims = standardOutDimNames(offsets.length);
  const inverse = linearLayoutOf(type).sublayout(["offset"], dims).invert();
  return applyLinearLayout(
    lo,
    inverse,
    dims.map((dim, d) => [dim, offsets[d]!]),
  )[0]!;
}
/** The address at which a view begins. */
export function shmemAffineBase(lo: Lowering, object: SharedMemoryObject, type: MemDescParams): Value {
  const offset = shmemOffset(lo, object, type);
  return lo.b.gep(object.base.type, convertType(type.elementType), object.base, [offset]);
}

/** The map from offsets to padded ones, which count elements or, as `scale` says, bytes; undefined for a layout without padding. */
export function paddingOf({ b, forms }: Lowering, type: MemDescParams, scale: number): Padding | undefined {
  const params = sharedParams(type.encoding);
  const shifts = (params ? paddingsOf(params) : []).map(([every, adds]) => [Math.log2(scale * every), Math.log2(scale * adds)] as const);
  if (shifts.length === 0) return undefined;
  return {
    value(offset) {
      let sum = b.i32(0);
      for (const [down, up] of shifts) {
        const [by, back] = [b.i32(down), b.i32(up)];
        const units = forms.padsConstantsApart ? b.lshr(offset, by) : b.ashr(offset, by);
        sum = b.add(sum, b.shl(units, back));
      }
      return b.add(offset, sum);
    },
    constant: (offset) => shifts.reduce((sum, [down, up]) => sum + ((offset >>> down) << up), offset),
  };
}

/** Moves a tensor between registers and a buffer: a store of `values`, a load when there are none. Undefined where no layout allows it. */
export function accessBuffer(
  lo: Lowering,
  tensor: TensorType,
  type: MemDescParams,
  object: SharedMemoryObject,
  values: readonly Value[],
): readonly Value[] | undefined {
  const isStore = values.length > 0;
  const registers = toLinearLayout(tensor.params.shape, tensor.params.encoding!);
  const unique = actionRemoveBroadcastedRegs(registers);
  const again = (vals: readonly Value[]) => (isStore ? vals : broadcastAs(vals, registers));
  const vals = isStore ? unique.applyToValues(values) : values;
  const matrix = byMatrices(lo, unique.apply(registers), type, object, vals);
  if (matrix) return again(matrix);

  const total = registers.invertAndCompose(linearLayoutOf(type));
  if (total.isTrivialOver(["block"])) return byWords(lo, total.sublayout(["register", "lane", "warp"], ["offset"]), type, object, values);
  // Where several CTAs have the same elements, each takes its own.
  return lo.ctx.triton.convertsAcrossCTAs
    ? byWords(lo, composeBlockLocal(linearLayoutOf(type), registers), type, object, values)
    : undefined;
}

function byMatrices(
  lo: Lowering,
  registers: LinearLayout,
  type: MemDescParams,
  object: SharedMemoryObject,
  values: readonly Value[],
): readonly Value[] | undefined {
  if (componentOf(type.encoding)) return undefined;
  const layout = registers.invertAndCompose(linearLayoutOf(type)).quotient(["block"]);
  if (!layout) return undefined;
  const place = {
    layout,
    element: convertType(type.elementType),
    base: object.base,
    affineOffset: () => shmemOffset(lo, object, type),
    maskSpan: maskSpanOffsets(lo, type),
  };
  return lo.code.moveMatrices(lo, place, values, [false, true]);
}

function byWords(
  lo: Lowering,
  layout: LinearLayout,
  type: MemDescParams,
  object: SharedMemoryObject,
  values: readonly Value[],
): readonly Value[] {
  const isStore = values.length > 0;
  const unique = actionRemoveBroadcastedRegs(layout);
  if (!unique.isIdentity) {
    const out = byWords(lo, unique.apply(layout), type, object, isStore ? unique.applyToValues(values) : values);
    return isStore ? out : broadcastAs(out, layout);
  }
  return lowerLdStShared(lo, placeOf(lo, layout, type, object), values);
}

/** Where the registers of a layout (register, lane, warp -> offset) lie in a buffer. */
export function placeOf(lo: Lowering, layout: LinearLayout, type: MemDescParams, object: SharedMemoryObject): SharedPlace {
  const element: Type = convertType(type.elementType);
  const params = sharedParams(type.encoding);
  const pad = paddingOf(lo, type, scalarBits(element) / 8);
  const affineOffset = shmemOffset(lo, object, type);
  return {
    layout,
    element,
    base: object.base,
    affineOffset,
    maskSpan: maskSpanOffsets(lo, type),
    maxVecElems: pad && Math.min(...paddingsOf(params!).map(([every]) => every)),
    pad,
  };
}

/** Whether elements have an address of their own; reports an error at `op` when they have none. */
export function isAddressable(lo: Lowering, op: Operation, { elementType }: MemDescParams): boolean {
  if (scalarBits(convertType(elementType)) >= 8) return true;
  return lo.fail(
    op,
    `elements of ${typeText(elementType)} cannot lie in shared memory, whose smallest have 8 bits`,
    "lower.shared-element",
  );
}

/** One of several buffers that follow each other. */
export function indexBuffer(lo: Lowering, { src, index, result }: View<typeof MemDescIndexOp>): void {
  const { b } = lo;
  const type = memDescOf(result);
  const stride = getAllocationShapePerCTA(encodingParams(type.encoding)!, type.shape).reduce((n, extent) => n * extent, 1);
  let offset = b.mul(lo.value(index), b.i32(stride));
  const { base, offsets } = sharedMemoryObject(lo, src);
  offset = paddingOf(lo, type, 1)?.value(offset) ?? offset;
  const element = convertType(type.elementType);
  setObject(lo, result, { base: b.gep(ptrType(lo.ctx, 3), element, base, [offset]), offsets: offsets.slice(-type.shape.length) });
}
/** The same memory with another shape, element or layout. */
export function reinterpretBuffer(lo: Lowering, { src, result }: View<typeof MemDescReinterpretOp>): void {
  const base = shmemAffineBase(lo, sharedMemoryObject(lo, src), memDescOf(src));
  const zero = lo.b.i32(0);
  setObject(lo, result, { base, offsets: memDescOf(result).shape.map(() => zero) });
}

const NOT_LOCAL = "an access that reaches another CTA's shared memory cannot be lowered";

export const LOCAL_LOAD: LoweringRule = rule(LocalLoadOp, ({ op, src, result }, lo) => {
  if (!isAddressable(lo, op, memDescOf(src))) return false;
  const values = accessBuffer(lo, result.type as TensorType, memDescOf(src), sharedMemoryObject(lo, src), []);
  if (!values) return lo.fail(op, NOT_LOCAL);
  return lo.setElements(result, values);
});

export const LOCAL_MEMORY: readonly LoweringRule[] = [
  rule(LocalAllocOp, ({ op, src, result }, lo) => {
    const { b } = lo;
    const type = memDescOf(result);
    const bases = sharedMemoryBases(lo, op);
    const object: SharedMemoryObject = { base: bases[0]!, offsets: type.shape.map(() => b.i32(0)) };
    if (bases.length > 1) {
      // No layout here divides a buffer: others take the parts for one, by a cast.
      if (src) return lo.fail(op, "a tensor cannot be stored into a buffer of several parts");
      const values = [...bases, ...object.offsets];
      const struct = structType(
        lo.ctx,
        values.map((v) => v.type),
      );
      const cast = unrealizedCast(lo.ctx, b.loc, [b.packStruct(struct, values)], [lo.typeOf(result.type)]);
      return lo.setValue(result, b.insert(cast).result(0));
    }
    if (src && !isAddressable(lo, op, type)) return false;
    if (src && !accessBuffer(lo, src.type as TensorType, type, object, lo.elements(src))) return lo.fail(op, NOT_LOCAL);
    return setObject(lo, result, object);
  }),
  rule(LocalDeallocOp, () => {}),
  LOCAL_LOAD,
  rule(LocalStoreOp, ({ op, src, dst }, lo) => {
    if (!isAddressable(lo, op, memDescOf(dst))) return false;
    const object = sharedMemoryObject(lo, dst);
    return accessBuffer(lo, src.type as TensorType, memDescOf(dst), object, lo.elements(src)) ? undefined : lo.fail(op, NOT_LOCAL);
  }),
  rule(GlobalScratchAllocOp, ({ op, result, third_party_allocation, shared_cluster_state }, lo) => {
    const offset = lo.b.i32(intOf(op.attr("ttg.global_scratch_memory_offset")) ?? 0);
    lo.setValue(result, third_party_allocation ? profileScratchPtr(lo, offset, !shared_cluster_state) : globalScratchPtr(lo, offset));
  }),
  rule(MemDescTransOp, ({ src, order, result }, lo) => {
    const { base, offsets } = sharedMemoryObject(lo, src);
    setObject(lo, result, { base, offsets: order.map((d) => offsets[d]!) });
  }),
  rule(MemDescReshapeOp, ({ src, result }, lo) => {
    const { base, offsets } = sharedMemoryObject(lo, src);
    const linear = linearize(lo.b, offsets, memDescOf(src).shape);
    setObject(lo, result, { base, offsets: delinearize(lo.b, linear, memDescOf(result).shape) });
  }),
  rule(MemDescIndexOp, (view, lo) => indexBuffer(lo, view)),
  rule(MemDescSubsliceOp, ({ src, offsets, result }, lo) => {
    const { b } = lo;
    const object = sharedMemoryObject(lo, src);
    setObject(lo, result, { base: object.base, offsets: object.offsets.map((offset, d) => b.add(offset, b.i32(offsets[d]!))) });
  }),
  rule(MemDescReinterpretOp, (view, lo) => reinterpretBuffer(lo, view)),
];
