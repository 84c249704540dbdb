/** How many instructions a thread issues for a copy to shared memory. Source: third_party/amd/lib/TritonAMDGPUTransforms/UpdateAsyncWaitCount.cpp. */
import { BufferLoadToLocalOp } from "../dialects/amdg/ops/buffer.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { AsyncCopyGlobalToLocalOp } from "../dialects/ttg/ops/async-copy.js";
import type { MemDesc } from "../dialects/ttg/types.js";
import type { TensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import { vectorSize, vectorSizeAt } from "./amd-vector-size.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";

/** Undefined for an op that is no such copy. */
export function asyncInstructions(op: Operation, axes: ModuleAxisInfo): number | undefined {
  const copy = AsyncCopyGlobalToLocalOp.match(op);
  if (copy) return instructions(axes, copy.src, copy.result, copy.mask, vectorSize(copy.src, axes));
  const load = BufferLoadToLocalOp.match(op);
  return load && instructions(axes, load.offsets, load.dest, load.mask, vectorSizeAt(load.ptr, load.offsets, axes));
}

function instructions(axes: ModuleAxisInfo, from: Value, to: Value, mask: Value | undefined, contiguity: number): number {
  const { shape, encoding } = (from.type as TensorType).params;
  const buffer = (to.type as MemDesc).params;
  const shared = encodingParams(buffer.encoding)!;
  const memory =
    shared.kind === "padded_shared"
      ? shared.linearComponent
      : toLinearLayout(buffer.allocShape.slice(buffer.allocShape.length - buffer.shape.length), shared);
  const layout = toLinearLayout(shape, encodingParams(encoding)!).invertAndCompose(memory);
  const width = Math.min(contiguity, layout.getNumConsecutiveInOut(), mask ? axes.getMaskAlignment(mask) : Infinity);
  return Math.max(1, Math.trunc(layout.getInDimSize("register") / width));
}
