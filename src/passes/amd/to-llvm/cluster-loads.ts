/**
 * Loads that CTAs of a cluster share: the data goes to all of them that a mask names.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp, emitCtaMulticastMask; MaskedOpsToLLVM.cpp.
 */
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, i32, shapedParams } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "./amd-lowering.js";

/** The CTAs that need the same data as CTA `id`, as bits; undefined where no two do. */
export function multicastMask({ b }: Lowering, id: Value, layout: LinearLayout): Value | undefined {
  const free = layout.getFreeVariableMasks().get("block") ?? 0;
  if (free === 0) return undefined;
  const size = layout.getInDimSize("block");
  let group = 1;
  for (let bit = 1; bit < size; bit *= 2) if (free & bit) group |= group << bit;
  if (free === size - 1) return b.i32(group);
  const shift = b.and(id, b.i32(~free));
  return b.shl(b.i32(group), shift);
}

/** A load of `type` by all CTAs of the mask; undefined where no instruction loads so many bits so. */
export function clusterLoad({ b, ctx, target }: Lowering, pointer: Value, type: Type, aux: number, mask: Value): (() => Value) | undefined {
  const bits = scalarBits(elementTypeOrSelf(type)) * shapedParams(type).shape[0]!;
  if (target.family !== "GFX1250" || ![32, 64, 128].includes(bits)) return undefined;
  const moved = bits === 32 ? i32(ctx) : vecType(i32(ctx), bits / 32);
  return () => b.bitcast(b.intrinsic(`llvm.amdgcn.cluster.load.b${bits}`, moved, [pointer, b.i32(aux), mask])!, type);
}
