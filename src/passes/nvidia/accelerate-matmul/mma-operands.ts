/**
 * Which tensor core instruction does a dot, and how its operands get to shared memory.
 * Source: lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp, getMMAVersionSafe, getSharedMemoryMMAOperand.
 */

import { valueLocation } from "../../../dialects/scf/build.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { supportMMA } from "../../../dialects/ttg/support-mma.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import type { GpuTarget, MmaVersion } from "../../../gpu/nvidia.js";
import { bitWidth, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrderForMemory } from "../../../layout/encoding-queries.js";
import { dotOperandFor } from "../../../layout/encodings/dot-operand.js";
import { nvmmaSharedFor } from "../../../layout/encodings/nvmma-shared.js";
import type { PassReport } from "../../../pass/define-pass.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../../ttg/distributed-op-encoding.js";

/** The version of tensor cores that can do a dot: those of the GPU in order of preference. */
export function mmaVersionFor(dot: Operation, gpu: GpuTarget, report: PassReport): MmaVersion | 0 {
  for (const version of gpu.mmaVersions) {
    const supported = supportMMA(dot, version);
    if (supported && version === 5 && !gpu.tcgen05Int8 && isInt8Dot(dot)) continue;
    if (supported) return version;
    if (version !== 2) report.remark(dot, `MMA version ${version} acceleration not applied due to unsupported shapes or data types.`);
  }
  return 0;
}

const isInt8Dot = (dot: Operation): boolean =>
  [dot.operand(0), dot.operand(1)].every(({ type }) => isInteger((type as TensorType).params.elementType, 8));

export interface SharedOperandRequest {
  readonly opIdx: 0 | 1;
  /** The instruction reads buffers of either order. */
  readonly allowTranspose: boolean;
  /** fp4 elements are spread to bytes. */
  readonly fp4Padded?: boolean;
  /** Packed along the other dimension than k. */
  readonly forceTranspose?: boolean;
  readonly dot: Operation;
  /** Hears of an order that costs a transposition in registers; absent where upstream does not warn. */
  readonly report?: PassReport;
}

/** A shared-memory operand, where wgmma and tcgen05 read it; made after the value so that the pipeliner sees load and alloc together. */
export function sharedMMAOperand(rw: Rewriter, value: Value, request: SharedOperandRequest): Value {
  const { opIdx, allowTranspose, fp4Padded = false, forceTranspose = false, dot, report } = request;
  let arg = value;
  for (let cvt = ConvertLayoutOp.match(arg.definingOp); cvt; cvt = ConvertLayoutOp.match(arg.definingOp)) arg = cvt.src;
  const { shape, elementType, encoding } = (arg.type as TensorType).params;
  const params = distributedParams(encoding)!;
  const order = getOrderForMemory(params, shape);
  const wanted = allowTranspose ? order : (opIdx === 1) === forceTranspose ? [1, 0] : [0, 1];
  if (wanted.some((dim, i) => dim !== order[i]))
    report?.warning(
      dot,
      `Warning: Forcing a different order [${wanted.join(", ")}] on SMEM than the register order for the operand ${opIdx}. ` +
        "Registers will be transposed before SMEM store and the pipelined load for this operand will be disabled, so poor performance " +
        "is expected. Recommendation: consider transposing the operand in global memory to remove the need to transpose the tensor in registers.",
    );
  const shared = encodingAttr(rw.ctx, nvmmaSharedFor(shape, wanted, getCTALayout(params)!, bitWidth(elementType)!, fp4Padded));
  const type = memDescType(shape, elementType, shared, SharedMemorySpace.get(rw.ctx, {}));
  return rw.preserving(() => {
    rw.builder.setAfterValue(arg);
    return rw.value(LocalAllocOp, { src: arg }, { loc: valueLocation(arg), types: [type] });
  });
}

/** An operand in registers, as mma takes it; `width` is in bits, of the elements that lie side by side. */
export function dotOperand(rw: Rewriter, value: Value, opIdx: number, width: number, parent: NvidiaMmaParams): Value {
  return convertLayout(rw, value, encodingAttr(rw.ctx, dotOperandFor(opIdx, parent, width)), valueLocation(value));
}
