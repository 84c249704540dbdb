/**
 * Elements of a buffer that indices name: gathered, scattered, or changed by atomics.
 * Source: lib/Conversion/TritonGPUToLLVM/MemoryOpToLLVM.cpp, lowerLocalScGt; Utility.cpp, computeBlockLocalOffsets, materializeLocalAddrs.
 */
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { LocalGatherOp, LocalScatterOp } from "../../dialects/ttg/ops/local-scatter.js";
import type { MemDescParams } from "../../dialects/ttg/types.js";
import { i8, i32, type TensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { composeBlockLocal } from "../../layout/conversion.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { standardOutDimNames } from "../../layout/standard-dims.js";
import { scalarBits } from "./ll-builder.js";
import { linearLayoutOf, memDescOf, paddingOf, type SharedMemoryObject, sharedMemoryObject, shmemOffset } from "./local-memory.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { applyLinearLayout, emitIndicesOf, laneAndWarpId } from "./thread-indices.js";
import { convertType } from "./type-converter.js";

/** Where an element is: its address, and the CTA that has it where that may be another one. */
export interface SharedElement {
  readonly address: Value;
  readonly ctaId: Value | undefined;
}

/** Indices are never negative. */
function asI32(lo: Lowering, index: Value): Value {
  const bits = scalarBits(index.type);
  if (bits === 32) return index;
  return bits > 32 ? lo.b.trunc(index, i32(lo.ctx)) : lo.b.zext(index, i32(lo.ctx));
}

/**
 * The elements of the buffer that each register's index along `axis` names. `registers` is the layout of the indices. Before 3.8 an
 * element's address is computed when it is asked for.
 */
export function* indexedElements(
  lo: Lowering,
  type: MemDescParams,
  object: SharedMemoryObject,
  registers: LinearLayout,
  indices: readonly Value[],
  axis: number,
): Iterable<SharedElement> {
  const { b } = lo;
  const element = convertType(type.elementType);
  const bytes = scalarBits(element) / 8;
  const affine = shmemOffset(lo, object, type);
  const place = ({ offset, ctaId }: Offset): SharedElement => {
    const at = b.xor(offset, affine);
    const padding = paddingOf(lo, type, bytes);
    const address = padding
      ? b.gep(object.base.type, i8(lo.ctx), object.base, [padding.value(b.mul(at, b.i32(bytes)))])
      : b.gep(object.base.type, element, object.base, [at]);
    return { address, ctaId };
  };
  if (lo.forms.indexesByBits) yield* offsetsByBits(lo, type, registers, indices, axis).map(place);
  else for (const offset of offsetsByCoordinates(lo, type, registers, indices, axis)) yield place(offset);
}
interface Offset {
  readonly offset: Value;
  readonly ctaId: Value | undefined;
}

/** Since 3.8: the bits of the index go to their places in the offset, beside those of the registers' other coordinates. */
function offsetsByBits(
  lo: Lowering,
  type: MemDescParams,
  registers: LinearLayout,
  indices: readonly Value[],
  axis: number,
): readonly Offset[] {
  const { b } = lo;
  const dims = standardOutDimNames(type.shape.length);
  const along = dims[axis]!;
  const shared = linearLayoutOf(type);
  const ordered = registers.transposeOuts(dims);
  const { lane, warp } = laneAndWarpId(lo);
  const indexed = ordered
    .sublayout(
      ordered.inDimNames,
      dims.filter((dim) => dim !== along),
    )
    .multiply(LinearLayout.identity1D(shared.getOutDimSize(along), along, along))
    .transposeOuts(dims);
  const conversion = composeBlockLocal(shared, indexed);
  const crossesCTAs = !conversion.isIdentityOnOutDim("block");
  const needsBlock = crossesCTAs || !conversion.sublayoutIsZero(["block"], ["offset"]);
  const block = needsBlock ? lo.code.clusterCTAId(lo) : 0;
  const base = applyLinearLayout(lo, conversion, [
    ["register", 0],
    ["lane", lane],
    ["warp", warp],
    ["block", block],
    [along, 0],
  ]);
  const ofIndex = conversion.sublayout([along], ["offset", "block"]);
  const outs = conversion.outDimNames;
  const places = indices.map((_, register) => {
    const constants = conversion.apply({ register, lane: 0, warp: 0, block: 0, [along]: 0 });
    return base.map((value, i) => b.xor(value, b.i32(constants[outs[i]!]!)));
  });
  return indices.map((index, register) => {
    const own = places[register]!;
    const [offset, cta] = applyLinearLayout(lo, ofIndex, [[along, asI32(lo, index)]]) as [Value, Value];
    const at = { offset: b.xor(own[0]!, offset), ctaId: b.xor(own[1]!, cta) };
    return crossesCTAs ? at : { ...at, ctaId: undefined };
  });
}

/** Before: the coordinates of each register, with the index in place of one of them. */
function* offsetsByCoordinates(
  lo: Lowering,
  type: MemDescParams,
  registers: LinearLayout,
  indices: readonly Value[],
  axis: number,
): Iterable<Offset> {
  const dims = standardOutDimNames(type.shape.length);
  const inverse = linearLayoutOf(type).sublayout(["offset"], dims).invert();
  const coordinates = emitIndicesOf(lo, registers, true);
  for (const [register, index] of indices.entries()) {
    const at = coordinates[register]!.map((coordinate, d) => (d === axis ? asI32(lo, index) : coordinate));
    const [offset] = applyLinearLayout(
      lo,
      inverse,
      dims.map((dim, d) => [dim, at[d]!]),
    );
    yield { offset: offset!, ctaId: undefined };
  }
}

const layoutOf = (value: Value): LinearLayout => {
  const { shape, encoding } = (value.type as TensorType).params;
  return toLinearLayout(shape, encoding!);
};

export const INDEXED_MEMORY: readonly LoweringRule[] = [
  rule(LocalGatherOp, ({ src, indices, axis, result }, lo) => {
    const type = memDescOf(src);
    const elements = indexedElements(lo, type, sharedMemoryObject(lo, src), layoutOf(result), lo.elements(indices), axis);
    const element = convertType(type.elementType);
    const values = Array.from(elements, ({ address, ctaId }) =>
      lo.forms.indexesByBits ? lo.code.loadShared(lo, address, element, { ctaId }) : lo.b.load(element, address),
    );
    lo.setElements(result, values);
  }),
  rule(LocalScatterOp, ({ dst, values, indices, axis }, lo) => {
    const object = sharedMemoryObject(lo, dst);
    const from = lo.elements(values);
    const elements = indexedElements(lo, memDescOf(dst), object, layoutOf(values), lo.elements(indices), axis);
    let i = 0;
    for (const { address, ctaId } of elements) {
      const value = from[i++]!;
      if (lo.forms.indexesByBits) lo.code.storeShared(lo, address, value, { ctaId });
      else lo.b.store(value, address);
    }
  }),
];
