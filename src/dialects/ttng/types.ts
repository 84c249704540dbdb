/** Descriptors of tensors that only NVIDIA's GPUs have. Source: TritonNvidiaGPUTypes.td. */
import { defineType, type Type } from "../../ir/attribute.js";
import { type BlockParams, parseBlock, printBlock, TensorDescType } from "../tt/types.js";

/** `!ttng.tensordesc_im2col<64x64xf16, #shared>`: the rows that a convolution multiplies (since 3.7). */
export const TensorDescIm2ColType = defineType<BlockParams>("ttng.tensordesc_im2col", {
  summary: "Im2col tensor descriptor type for NVIDIA TMA operations",
  parse: parseBlock,
  verify({ blockType }, report, { triton }) {
    const { length } = blockType.params.shape;
    if (triton.checksMemory && length !== 2) report(`TensorDescIm2ColType requires rank-2 shape, got rank ${length}`);
  },
  print: printBlock,
});

/** Whether it is a tensor descriptor of either kind. */
export const isAnyTensorDesc = (type: Type | undefined): boolean =>
  type !== undefined && (TensorDescType.is(type) || TensorDescIm2ColType.is(type));
