/**
 * Divides conversions of layouts in two where the kernel needs more shared memory than there is:
 *
 *     %1 = ttg.convert_layout %0 : #mma -> #blocked          64 KiB
 *     ->
 *     %1 = ttg.convert_layout %0 : #mma -> #between          16 KiB
 *     %2 = ttg.convert_layout %1 : #between -> #blocked      16 KiB, when the first is done
 *
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/OptimizeLDSUsage.cpp, OptimizeLDSUtility.cpp.
 */

import { type Allocation, allocateSharedMemory as allocate } from "../../../analysis/allocation.js";
import { isAliveAt } from "../../../analysis/value-liveness.js";
import { PADDED_SCRATCH } from "../../../dialects/amdg/attrs.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { amdGpuOf } from "../../../gpu/amd.js";
import type { Attribute } from "../../../ir/attribute.js";
import { unitAttr } from "../../../ir/builtin-attrs.js";
import { RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { DistributedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrder } from "../../../layout/encoding-queries.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { warnOfTooMuch } from "../../ttg/allocate-shared-memory.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { amdScratchSize, conversionBytes } from "../padded-conversion.js";

export const optimizeLdsUsage = definePass("optimize-amd-lds-usage", {
  name: "OptimizeAMDLDSUsage",
  summary: "Minimize LDS usage",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/OptimizeLDSUsage.cpp",
  options: {
    targetArch: option.string({ default: "", summary: "gfx target device architecture, e.g., gfx942" }),
    ldsLimit: option.int({ default: 0, summary: "custom limit of LDS consumption, if not provided, maximum LDS size is used" }),
  },
  statistics: { divided: "conversions that became two" },
  run(root, { options: { targetArch, ldsLimit }, listener, report, count, explain }) {
    const limit = ldsLimit || amdGpuOf(targetArch)?.sharedMemoryPerCta;
    if (limit === undefined) return report.error(root, `no LDS size is known of '${targetArch}'`, "pass.shared-memory");
    const allocation = allocate(root, amdScratchSize);
    if (allocation.sharedMemorySize <= limit) return;
    const rw = new Rewriter(root.ctx, listener);
    for (const func of allocation.roots)
      for (const { cvt, most } of bottlenecks(func, allocation.of(func)!, limit)) {
        const between = divide(rw, cvt, most, limit);
        if (!between) continue;
        count("divided");
        explain?.(between, "layout.divided", {
          kind: "applied",
          message: `the conversion is two, {0} the first, so that it takes less than ${most} bytes of shared memory at once`,
          fields: { bytes: most },
        });
      }
    warnOfTooMuch(allocate(root, amdScratchSize), `a workgroup of ${targetArch}`, limit, report);
  },
});

type Conversion = View<typeof ConvertLayoutOp>;

/** The conversions that need more than what is left beside the other buffers alive, if all of those moved down by its size. */
function bottlenecks(
  func: Operation,
  { buffers, bufferOf }: Allocation,
  limit: number,
): { readonly cvt: Conversion; readonly most: number }[] {
  const explicit = buffers.filter(({ kind }) => kind === "explicit");
  const found: { readonly cvt: Conversion; readonly most: number }[] = [];
  func.walk((op) => {
    const cvt = ConvertLayoutOp.match(op);
    const own = cvt && bufferOf(op);
    if (!own) return;
    const alive = [own, ...explicit.filter(({ owner }) => isAliveAt(owner.result(0), op))];
    const top = Math.max(...alive.map(({ offset, size }) => offset + size));
    const most = Math.max(0, own.size - (top - limit));
    if (own.size > most) found.push({ cvt, most });
  });
  return found;
}

/** The layout with other warps; undefined where that says nothing of warps. */
function withWarps(params: DistributedParams, warpsPerCTA: readonly number[]): DistributedParams | undefined {
  switch (params.kind) {
    case "blocked":
    case "amd_mfma":
    case "amd_wmma":
      return { ...params, warpsPerCTA };
    case "dot_op": {
      const parent = withWarps(params.parent, warpsPerCTA);
      return parent && { ...params, parent };
    }
    case "slice": {
      const parent = withWarps(params.parent, warpsPerCTA.toSpliced(params.dim, 0, 1));
      return parent && { ...params, parent };
    }
    default:
      return undefined;
  }
}
/** All ways to write a power of two as a product of `rank` factors. */
function factorizations(value: number, rank: number): number[][] {
  if (rank === 0) return value === 1 ? [[]] : [];
  const found: number[][] = [];
  for (let factor = 1; factor <= value; factor *= 2)
    for (const rest of factorizations(value / factor, rank - 1)) found.push([factor, ...rest]);
  return found;
}

/** The layouts that may come between: those of both sides, and one that is blocked, with any arrangement of the warps. */
function candidates({ op, src, result }: Conversion, threadsPerWarp: number): DistributedParams[] {
  const { shape, encoding } = (src.type as TensorType).params;
  const [from, to] = [distributedParams(encoding)!, distributedParams((result.type as TensorType).params.encoding)!];
  const rank = shape.length;
  const lanes = shape.map((_, dim) => (rank === 1 ? threadsPerWarp : dim === rank - 1 ? threadsPerWarp / 8 : dim === rank - 2 ? 8 : 1));
  const blocked: DistributedParams = {
    kind: "blocked",
    sizePerThread: shape.map(() => 1),
    threadsPerWarp: lanes,
    warpsPerCTA: shape.map(() => 1),
    order: getOrder(from, shape),
    cga: getCTALayout(from)!,
  };
  return factorizations(lookupNumWarps(op), rank).flatMap((warps) =>
    [from, to, blocked].flatMap((params) => withWarps(params, warps) ?? []),
  );
}

/** The layout between, padded or swizzled, that needs the least; swizzled ones are preferred. */
function chooseBetween(
  cvt: Conversion,
  threadsPerWarp: number,
  most: number,
  limit: number,
): { readonly encoding: Attribute; readonly padded: boolean } | undefined {
  const [src, dst] = [(cvt.src.type as TensorType).params, (cvt.result.type as TensorType).params];
  let best: { readonly encoding: Attribute; readonly padded: boolean; readonly bytes: number } | undefined;
  for (const params of candidates(cvt, threadsPerWarp)) {
    const encoding = encodingAttr(cvt.op.ctx, params);
    const between = { ...src, encoding };
    const need = (padding: boolean): number => Math.max(conversionBytes(src, between, padding), conversionBytes(between, dst, padding));
    const [swizzled, withPadding] = [need(false), need(true)];
    const padded = swizzled >= most && swizzled >= withPadding;
    const bytes = padded ? withPadding : swizzled;
    if (bytes >= most) continue;
    const bestPadded = best?.padded ?? true;
    if ((bestPadded === padded && bytes < (best?.bytes ?? 2 * limit)) || (bestPadded && !padded)) best = { encoding, padded, bytes };
  }
  return best && best.bytes <= most ? best : undefined;
}

/** Makes a conversion need at most `most` bytes: by padding alone, or by two; returns the first of the two. */
function divide(rw: Rewriter, cvt: Conversion, most: number, limit: number): Operation | undefined {
  const { op, src, result } = cvt;
  const between = chooseBetween(cvt, getThreadsPerWarp(enclosingModule(op)), most, limit);
  if (!between) return undefined;
  const [from, to] = [(src.type as TensorType).params, (result.type as TensorType).params];
  if (between.padded && !op.hasAttr(PADDED_SCRATCH)) {
    rw.setAttr(op, PADDED_SCRATCH, unitAttr(op.ctx));
    if (conversionBytes(from, to, true) <= most) return undefined;
  } else if (!between.padded) rw.setAttr(op, PADDED_SCRATCH, undefined);
  rw.setBefore(op);
  const convert = (value: typeof src, type: typeof src.type): typeof src => {
    const converted = rw.value(ConvertLayoutOp, { src: value }, { loc: op.locRef, types: [type] });
    converted.definingOp!.setAttrs(op.attrs);
    return converted;
  };
  const first = convert(src, RankedTensorType.get(op.ctx, { ...from, encoding: between.encoding }));
  rw.replace(op, convert(first, result.type));
  return first.definingOp;
}
