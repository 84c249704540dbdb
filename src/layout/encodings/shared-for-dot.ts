/** The shared memory encoding from which a dot operand is read without bank conflicts. Source: TritonGPUAttrDefs.td, Dialect.cpp. */
import type { DotOperandParams, SwizzledSharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { isSmallF64 } from "./nvidia-mma.js";
import { swizzledSharedForNvidiaDot, unswizzledShared } from "./swizzled-shared.js";

/** The inputs that decide the swizzling, besides the operand's encoding. */
export interface SharedForDotRequest {
  readonly shape: readonly number[];
  /** Order of dimensions in memory, fastest first. */
  readonly order: readonly number[];
  readonly cga: LinearLayout;
  /** Bits of an element. */
  readonly bitwidth: number;
  /** The operand is read transposed. */
  readonly needTrans: boolean;
}

/** By the parent of the operand: swizzled for matrix instructions, plain rows for the rest. */
export function swizzledSharedForDot(dot: DotOperandParams, request: SharedForDotRequest): SwizzledSharedParams {
  const { shape, order, cga, bitwidth, needTrans } = request;
  const { parent, opIdx, kWidth } = dot;
  const inner = shape[order[0]!]!;
  switch (parent.kind) {
    case "nvidia_mma":
      return swizzledSharedForNvidiaDot({ opIdx, kWidth, smallF64: isSmallF64(parent), ...request });
    case "amd_mfma": {
      const isGfx950 = parent.version === 4;
      const kContig = order[0] === (needTrans ? opIdx : 1 - opIdx);
      // gfx950 transposes while loading, so that swizzling pays across k as well.
      if (opIdx >= 2 || (!kContig && !(isGfx950 && (bitwidth === 8 || bitwidth === 16)))) return unswizzledShared(order, cga);
      const bankRow = ((isGfx950 ? 64 : 32) * 32) / bitwidth;
      const phases = parent.instrShape[0] === 4 ? 4 : undefined;
      return rowsOf(bankRow, 16, kWidth, phases);
    }
    case "amd_wmma":
      if (order[0] !== 1 - opIdx) return unswizzledShared(order, cga);
      return rowsOf((32 * 32) / bitwidth, parent.instrShape[0] ?? 16, Math.trunc(Math.min(kWidth * bitwidth, 128) / bitwidth));
    default:
      return unswizzledShared(order, cga);
  }

  /** `bankRow` elements fill the banks; `lanes` rows are read at once, `vec` elements each. */
  function rowsOf(bankRow: number, lanes: number, vec: number, phases?: number): SwizzledSharedParams {
    const perPhase = Math.max(1, Math.trunc(bankRow / inner));
    const maxPhase = phases ?? Math.max(1, Math.min(Math.trunc(lanes / perPhase), Math.trunc(inner / vec)));
    return { kind: "swizzled_shared", vec, perPhase, maxPhase, order, cga };
  }
}
