/** Encodings as Triton 3.6 prints them; keys at their defaults vanish. Source: Dialect.cpp, the `print` of each attribute. */
import { assertNever } from "../support/assert.js";
import type { EncodingParams } from "./encoding-params.js";
import { isDefaultCga } from "./encodings/cga.js";
import { isPaddedIdentity } from "./encodings/padded-shared.js";
import { offsetOrder } from "./encodings/shared-linear.js";
import type { LinearLayout } from "./linear-layout.js";

/** `#ttg.blocked<{...}>`. */
export function encodingText(params: EncodingParams): string {
  const dialect = params.kind === "tensor_memory_encoding" || params.kind === "tensor_memory_scales_encoding" ? "ttng" : "ttg";
  return `#${dialect}.${params.kind}<${encodingBody(params)}>`;
}

/** What stands between the angle brackets. */
export function encodingBody(params: EncodingParams): string {
  switch (params.kind) {
    case "blocked": {
      const boxes = `sizePerThread = ${list(params.sizePerThread)}, threadsPerWarp = ${list(params.threadsPerWarp)}, warpsPerCTA = ${list(params.warpsPerCTA)}`;
      return `{${boxes}, order = ${list(params.order)}${cgaText(params.cga)}}`;
    }
    case "slice":
      return `{dim = ${params.dim}, parent = ${encodingText(params.parent)}}`;
    case "linear":
      return `{${basesText(params.layout)}}`;
    case "nvidia_mma": {
      const version = `versionMajor = ${params.versionMajor}, versionMinor = ${params.versionMinor}`;
      return `{${version}, warpsPerCTA = ${list(params.warpsPerCTA)}${cgaText(params.cga)}, instrShape = ${list(params.instrShape)}}`;
    }
    case "amd_mfma": {
      const head = `version = ${params.version}, warpsPerCTA = ${list(params.warpsPerCTA)}, instrShape = ${list(params.instrShape)}`;
      const width = params.elementBitWidth === 32 ? "" : `, elementBitWidth = ${params.elementBitWidth}`;
      return `{${head}, isTransposed = ${params.isTransposed}${cgaText(params.cga)}${tilesText(params.tilesPerWarp)}${width}}`;
    }
    case "amd_wmma": {
      const head = `version = ${params.version}, isTranspose = ${params.isTransposed}, warpsPerCTA = ${list(params.warpsPerCTA)}`;
      const instr = params.instrShape.join() === "16,16,16" ? "" : `, instrShape = ${list(params.instrShape)}`;
      return `{${head}${cgaText(params.cga)}${tilesText(params.tilesPerWarp)}${instr}}`;
    }
    case "dot_op":
      return `{opIdx = ${params.opIdx}, parent = ${encodingText(params.parent)}${params.kWidth === 0 ? "" : `, kWidth = ${params.kWidth}`}}`;
    case "swizzled_shared":
    case "amd_rotating_shared": {
      const swizzle = `vec = ${params.vec}, perPhase = ${params.perPhase}, maxPhase = ${params.maxPhase}`;
      return `{${swizzle}, order = ${list(params.order)}${cgaText(params.cga)}}`;
    }
    case "nvmma_shared": {
      const head = `swizzlingByteWidth = ${params.swizzlingByteWidth}, transposed = ${params.transposed}, elementBitWidth = ${params.elementBitWidth}`;
      const rank = params.cga.getNumOutDims();
      const cga = isDefaultCga(params.cga) && rank !== 2 ? `, rank = ${rank}` : cgaText(params.cga);
      return `{${head}${params.fp4Padded ? ", fp4Padded = true" : ""}${cga}}`;
    }
    case "shared_linear": {
      const oneBlock = params.layout.hasInDim("block") && params.layout.getInDimSizeLog2("block") === 0;
      const layout = oneBlock ? params.layout.sublayout(["offset"], params.layout.outDimNames) : params.layout;
      return `{${basesText(layout)}}, alignment = ${params.alignment}`;
    }
    case "padded_shared": {
      const layout = params.linearComponent;
      const pads = params.intervals.map((interval, i) => `${interval}:+${params.paddings[i]}`).join(", ");
      const component = isPaddedIdentity(layout)
        ? `order = ${list(offsetOrder(layout))}, shape = ${list(layout.getOutDimSizes())}`
        : basesText(layout);
      return `[${pads}] {${component}}`;
    }
    case "tensor_memory_encoding": {
      const block = `blockM = ${params.blockM}, blockN = ${params.blockN}, colStride = ${params.colStride}`;
      return [block, ...splitText(params), ...(params.twoCTAs ? ["twoCTAs = true"] : [])].join(", ");
    }
    case "tensor_memory_scales_encoding":
      return splitText(params).join(", ");
    default:
      return assertNever(params);
  }
}

/** Do two encodings print, and so mean, the same? */
export function encodingsEqual(a: EncodingParams, b: EncodingParams): boolean {
  return a === b || (a.kind === b.kind && encodingText(a) === encodingText(b));
}

/** `, CGALayout = [[1, 0]]`, or nothing for a single CTA. */
function cgaText(cga: LinearLayout): string {
  if (isDefaultCga(cga)) return "";
  return `, CGALayout = [${cga.getInDimBases("block").map(list).join(", ")}]`;
}

function tilesText(tilesPerWarp: readonly number[]): string {
  return tilesPerWarp.every((tiles) => tiles === 1) ? "" : `, tilesPerWarp = ${list(tilesPerWarp)}`;
}

function splitText({ CTASplitM, CTASplitN }: { readonly CTASplitM: number; readonly CTASplitN: number }): string[] {
  return [...(CTASplitM === 1 ? [] : [`CTASplitM = ${CTASplitM}`]), ...(CTASplitN === 1 ? [] : [`CTASplitN = ${CTASplitN}`])];
}

/** `register = [[0, 1]], lane = [], ...`. */
function basesText(layout: LinearLayout): string {
  return layout
    .getBases()
    .map(([inDim, vectors]) => `${inDim} = [${vectors.map(list).join(", ")}]`)
    .join(", ");
}

function list(values: readonly number[]): string {
  return `[${values.join(", ")}]`;
}
