import type { Attribute } from "../../ir/attribute.js";
import { bitWidth } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import type { TensorMemoryParams } from "../../layout/encoding-params.js";
import { getCTALayout, getCTASplitNumOf } from "../../layout/encoding-queries.js";
import { getCTASplitNum, isDefaultCga } from "../../layout/encodings/cga.js";
import { LayoutError } from "../../layout/layout-error.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { encodingAttr, encodingParams, toLinearLayout } from "../ttg/encodings/define-encoding.js";
import type { MemDesc } from "../ttg/types.js";
import { registerLayoutFor } from "./ops/tensor-memory.js";

/**
 * The layout in which `numWarps` warps move a tensor to or from a buffer in tensor memory, a row for each thread (32x32b) unless others are preferred;
 * `cga` is how CTAs share the tensor. Throws LayoutError where there is none.
 * Source: lib/Dialect/TritonNvidiaGPU/IR/Dialect.cpp, getDefaultLayoutForTmemLdSt.
 */
export function getDefaultLayoutForTmemLdSt(buffer: MemDesc, numWarps: number, cga: LinearLayout): Attribute {
  const preferred = buffer.ctx.preferTmem16x256 ? registerLayoutFor(buffer, "16x256b", numWarps, cga) : undefined;
  const layout = preferred ?? registerLayoutFor(buffer, "32x32b", numWarps, cga);
  if (!layout) throw new LayoutError("no instruction moves whole rows of this buffer");
  return encodingAttr(buffer.ctx, { kind: "linear", layout });
}

/** The fields of a layout in tensor memory that say that CTAs share it by `cga`. */
export function tmemSharing(ctx: Context, cga: LinearLayout): Pick<TensorMemoryParams, "CTASplitM" | "CTASplitN" | "cga"> {
  const [CTASplitM = 1, CTASplitN = 1] = getCTASplitNum(cga);
  return { CTASplitM, CTASplitN, cga: ctx.triton.blocksInTmem && !isDefaultCga(cga) ? cga : undefined };
}

/**
 * How many columns of 32 bits a buffer takes in tensor memory, all copies of a multi-buffer together.
 * Source: lib/Dialect/TritonNvidiaGPU/IR/Dialect.cpp, getTmemAllocSizes.
 */
export function tmemColumns({ params: { shape, elementType, encoding } }: MemDesc): number {
  const columns = toLinearLayout(shape.slice(-2), encoding).getInDimSize("col");
  const perColumn = 32 / (bitWidth(elementType) ?? 32);
  const params = encodingParams(encoding)!;
  const [splitM, splitN] = getCTALayout(params) ? [1, 1] : getCTASplitNumOf(params);
  const copies = shape.length > 2 ? shape[0]! : 1;
  return Math.trunc(Math.trunc(columns / perColumn) / (splitM! * splitN!)) * copies;
}
