/** An encoding as the layout object that Gluon's front end makes of it. Source: python/src/gluon_ir.cc, layoutToGluon. */
import { AutoEncoding, CoalescedEncoding } from "../../../dialects/gluon/attrs.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { EncodingParams, TensorMemoryParams, TensorMemoryScalesParams } from "../../../layout/encoding-params.js";
import { TRITON_VERSIONS, type TritonVersion } from "../../../support/triton-version.js";
import { raise } from "../../language/errors.js";
import type { Layout, PyValue } from "../../language/values.js";
import { basesList, cgaBases, numbers } from "./define-layout.js";
import { AUTO, BLOCKED, COALESCED, DISTRIBUTED_LINEAR, DOT_OPERAND, NVMMA_DISTRIBUTED, SLICE } from "./distributed.js";
import { NVMMA_SHARED, PADDED_SHARED, SHARED_LINEAR, SWIZZLED_SHARED } from "./shared.js";
import { tensorMemoryLayouts } from "./tensor-memory.js";

/** The Gluon layout that an encoding of the IR is made from. */
export function layoutOfAttr(attr: Attribute): Layout {
  if (AutoEncoding.is(attr)) return AUTO.make([]);
  if (CoalescedEncoding.is(attr)) return COALESCED.make([]);
  const params = encodingParams(attr);
  return (params && layoutOfEncoding(params, attr.ctx.triton)) ?? raise("ValueError", "Unhandled encoding encountered");
}

/** Undefined for an encoding that Gluon has no class for here. The default version is the oldest that has the layout. */
export function layoutOfEncoding(params: EncodingParams, triton = versionOf(params)): Layout | undefined {
  const int = BigInt;
  switch (params.kind) {
    case "blocked": {
      const { sizePerThread, threadsPerWarp, warpsPerCTA, order } = params;
      return BLOCKED.make([...[sizePerThread, threadsPerWarp, warpsPerCTA, order].map(numbers), cgaBases(params.cga)]);
    }
    case "slice":
      return within(params.parent, (parent) => SLICE.make([int(params.dim), parent]));
    case "linear": {
      const { layout } = params;
      const fields: PyValue[] = ["register", "lane", "warp", "block"].map((dim) => basesList(layout.getInDimBases(dim)));
      return DISTRIBUTED_LINEAR.make([...fields, numbers(layout.getOutDimSizes())]);
    }
    case "dot_op":
      return within(params.parent, (parent) => DOT_OPERAND.make([int(params.opIdx), parent, int(params.kWidth)]));
    case "nvidia_mma": {
      const lists = [[params.versionMajor, params.versionMinor], params.warpsPerCTA, params.instrShape];
      return NVMMA_DISTRIBUTED.make([...lists.map(numbers), cgaBases(params.cga)]);
    }
    case "nvmma_shared": {
      const { swizzlingByteWidth, elementBitWidth, transposed, fp4Padded, cga } = params;
      const rank = int(cga.getNumOutDims());
      return NVMMA_SHARED.make([int(swizzlingByteWidth), int(elementBitWidth), rank, transposed, fp4Padded, cgaBases(cga)]);
    }
    case "swizzled_shared":
      return SWIZZLED_SHARED.make([
        ...[params.vec, params.perPhase, params.maxPhase].map(int),
        numbers(params.order),
        cgaBases(params.cga),
      ]);
    case "shared_linear": {
      const [offset, block] = ["offset", "block"].map((dim) => basesList(params.layout.getInDimBases(dim)));
      return SHARED_LINEAR.make([offset!, block!, int(params.alignment)]);
    }
    case "padded_shared": {
      const { intervals, paddings, linearComponent } = params;
      const pairs = basesList(intervals.map((interval, i) => [interval, paddings[i]!]));
      const [offset, block] = ["offset", "block"].map((dim) => basesList(linearComponent.getInDimBases(dim)));
      return PADDED_SHARED.make([pairs, offset!, block!, numbers(linearComponent.getOutDimSizes())]);
    }
    case "tensor_memory_encoding": {
      const { blockM, blockN, colStride, twoCTAs, fp4Padded = false } = params;
      const flags = triton.blocksInTmem ? [twoCTAs, fp4Padded] : [];
      return tensorMemoryLayouts(triton).data.make([numbers([blockM, blockN]), int(colStride), sharing(params, triton), ...flags]);
    }
    case "tensor_memory_scales_encoding":
      return tensorMemoryLayouts(triton).scales.make([sharing(params, triton)]);
    default:
      return undefined;
  }
}

/** How CTAs share a buffer in tensor memory. */
function sharing({ CTASplitM, CTASplitN, cga }: TensorMemoryParams | TensorMemoryScalesParams, { blocksInTmem }: TritonVersion): PyValue {
  if (!blocksInTmem) return numbers([CTASplitM, CTASplitN]);
  return cga ? cgaBases(cga) : numbers([]);
}

/** The oldest version whose layouts of tensor memory can say it. */
function versionOf(params: EncodingParams): TritonVersion {
  const isOfTmem = params.kind === "tensor_memory_encoding" || params.kind === "tensor_memory_scales_encoding";
  const needsBases = isOfTmem && (params.cga !== undefined || ("fp4Padded" in params && params.fp4Padded === true));
  return TRITON_VERSIONS.find(({ blocksInTmem }) => blocksInTmem || !needsBases)!;
}

const within = (params: EncodingParams, make: (parent: Layout) => Layout): Layout | undefined => {
  const parent = layoutOfEncoding(params);
  return parent && make(parent);
};
