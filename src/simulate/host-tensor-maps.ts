/** Tensor maps that the host makes of a kernel's tensor descriptors, in the layouts that the compiler chose for them. Source: third_party/nvidia, get_tensordesc_metadata. */
import { kernelOf } from "../dialects/builtin/function-op.js";
import { signlessBlockType, TensorDescType } from "../dialects/tt/types.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import type { Operation } from "../ir/operation.js";
import { getShapePerCTAOf } from "../layout/encoding-queries.js";
import { getTMABlockShape } from "../layout/encodings/nvmma-shared.js";
import { elementTypeNumber, type HostTensorMap, PADDED_FP4 } from "./ptx/tensor-map.js";
import { elementOfType } from "./tensor/elements.js";

/** The properties that do not depend on the tensor's shape: the box, its swizzle, its elements. */
export type TensorMapForm = Omit<HostTensorMap, "shape" | "strides">;

/** By argument; undefined where a descriptor has no layout yet, or there is none. */
export function tensorMapForms(module: Operation): ReadonlyMap<number, TensorMapForm> | undefined {
  const forms = new Map<number, TensorMapForm>();
  const args = kernelOf(module)?.regions[0]?.firstBlock?.args ?? [];
  for (const [i, { type }] of args.entries()) {
    if (!TensorDescType.is(type)) continue;
    const { shape, encoding, elementType } = signlessBlockType(type).params;
    const params = encodingParams(encoding);
    const element = elementOfType(elementType);
    if (params?.kind !== "nvmma_shared" || element === undefined) return undefined;
    forms.set(i, {
      box: getTMABlockShape(getShapePerCTAOf(params, shape), params, false),
      elementType: params.fp4Padded ? PADDED_FP4 : elementTypeNumber(element.name, element.bytes),
      elementBytes: element.bytes,
      swizzle: [0, 32, 64, 128].indexOf(params.swizzlingByteWidth),
      padded: params.fp4Padded,
    });
  }
  return forms.size > 0 ? forms : undefined;
}
