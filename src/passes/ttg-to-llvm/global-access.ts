/** Accesses of global memory: how wide one is, and which threads and registers repeat others' elements. */
import { PointerType } from "../../dialects/tt/types.js";
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../ir/attribute.js";
import { bitWidth, RankedTensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import type { Lowering } from "./lowering.js";

/** How many elements one access of a tensor of pointers moves, before the mask is looked at. */
export function vectorSize(lo: Lowering, ptr: Value): number {
  const pointer = RankedTensorType.is(ptr.type) ? ptr.type.params.elementType : undefined;
  if (!pointer || !PointerType.is(pointer)) return 1;
  return Math.min(Math.floor(128 / pointeeBits(pointer)), lo.axisInfo.getContiguity(ptr));
}
/** The bits of what a pointer points to; a pointer has 64. */
export function pointeeBits(pointer: Type): number {
  const { pointeeType } = PointerType.params(pointer);
  return bitWidth(pointeeType) ?? 64;
}

/** Index bits that do not change which element is meant, for registers, lanes, warps and CTAs; all of them for a scalar. */
export interface FreeVariableMasks {
  readonly register: number;
  readonly lane: number;
  readonly warp: number;
  readonly block: number;
}
/** Which threads hold the same elements of a tensor: only one of them has to store them. */
export function freeVariableMasks(type: Type): FreeVariableMasks {
  if (!RankedTensorType.is(type)) return { register: -1, lane: -1, warp: -1, block: -1 };
  const masks = toLinearLayout(type.params.shape, type.params.encoding!).getFreeVariableMasks();
  // Upstream asks for "reg", a dimension that no layout has: registers are never taken for redundant in a tensor.
  return { register: 0, lane: masks.get("lane") ?? 0, warp: masks.get("warp") ?? 0, block: masks.get("block") ?? 0 };
}
