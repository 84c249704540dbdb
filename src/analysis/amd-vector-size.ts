/** How many elements one access of a thread takes. Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp, getVectorSize. */

import { PointerType } from "../dialects/tt/types.js";
import { bitWidth, elementTypeOrSelf } from "../ir/builtin-types.js";
import type { Value } from "../ir/value.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";

function pointeeWidth(ptr: Value): number {
  const type = elementTypeOrSelf(ptr.type);
  return (PointerType.is(type) ? bitWidth(type.params.pointeeType) : undefined) ?? 8;
}
/** At a tensor of pointers; at most 128 bits. */
export const vectorSize = (ptr: Value, axes: ModuleAxisInfo): number =>
  Math.min(Math.trunc(128 / pointeeWidth(ptr)), axes.getContiguity(ptr));
/** At offsets from one pointer; at most 128 bits. */
export function vectorSizeAt(ptr: Value, offsets: Value, axes: ModuleAxisInfo): number {
  const bits = pointeeWidth(ptr);
  const aligned = Math.max(Math.trunc(axes.getOrWorst(ptr).divisibility[0]! / Math.max(bits / 8, 1)), 1);
  return Math.min(Math.trunc(128 / bits), aligned, axes.getContiguity(offsets));
}
