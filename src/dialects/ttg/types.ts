/** The types of ttg. Source: TritonGPUTypes.td, lib/Dialect/TritonGPU/IR/Types.cpp. */
import { type Attribute, defineType, type ReportText, type Type, type TypeOf } from "../../ir/attribute.js";
import { bitWidth } from "../../ir/builtin-types.js";
import { typeConstraint } from "../../ir/constraints.js";
import type { Context } from "../../ir/context.js";
import { attrText } from "../../ir/text-hook.js";
import { isShared, type TensorMemoryParams } from "../../layout/encoding-params.js";
import { getRank, linearComponentOf } from "../../layout/encoding-queries.js";
import { isPowerOf2 } from "../../layout/encodings/matrix-order.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { encodingParams, firstProblem } from "./encodings/define-encoding.js";
import { SharedMemorySpace } from "./encodings/shared-memory.js";

/** `!ttg.async.token`: ties asynchronous ops to those that wait for them. */
export const AsyncTokenType = defineType<Record<string, never>>("ttg.async.token", { summary: "async token type" });
export const AsyncToken = typeConstraint(
  AsyncTokenType.summary!,
  (t) => AsyncTokenType.is(t),
  (ctx) => AsyncTokenType.get(ctx, {}),
);

export interface MemDescParams {
  readonly shape: readonly number[];
  readonly elementType: Type;
  readonly encoding: Attribute;
  readonly memorySpace: Attribute;
  readonly mutableMemory: boolean;
  /** The shape of the whole allocation, which this may be a part of. */
  readonly allocShape: readonly number[];
}

/** `!ttg.memdesc<64x16xf16, #shared, #smem, mutable, 2x64x16>`: a buffer in shared or tensor memory, or a view of a part. */
export const MemDescType = defineType<MemDescParams>("ttg.memdesc", {
  summary: "memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system",
  shaped: true,
  parse(p) {
    const at = p.pos;
    p.punct("<");
    const shape = p.dimensionList({ allowDynamic: false });
    const elementType = p.type();
    p.punct(",");
    const encoding = p.attribute();
    p.punct(",");
    const memorySpace = p.attribute();
    let mutableMemory = false;
    let allocShape: readonly number[] = [];
    if (p.optPunct(",")) {
      mutableMemory = p.optKeyword("mutable");
      if (!mutableMemory || p.optPunct(",")) allocShape = p.dimensionList({ allowDynamic: false, trailingX: false });
    }
    p.punct(">");
    const params = { shape, elementType, encoding, memorySpace, mutableMemory, allocShape: allocShape.length > 0 ? allocShape : shape };
    // Upstream points after the mnemonic here.
    verifyMemDesc(params, (message) => p.fail(message, at, "parse.type-params"), p.ctx);
    return params;
  },
  print({ shape, elementType, encoding, memorySpace, mutableMemory, allocShape }, p) {
    const alloc = sameShape(shape, allocShape) ? "" : `, ${allocShape.join("x")}`;
    return `<${shape.map((extent) => `${extent}x`).join("")}${p.type(elementType)}, ${p.attr(encoding)}, ${p.attr(memorySpace)}${mutableMemory ? ", mutable" : ""}${alloc}>`;
  },
  verify: verifyMemDesc,
});
export type MemDesc = TypeOf<typeof MemDescType>;
export const MemDescOperand = { ...typeConstraint(MemDescType.summary!, (t) => MemDescType.is(t)), stripped: MemDescType.name };

/** The descriptor of a buffer; the whole allocation unless `allocShape` is larger. */
export function memDescType(
  shape: readonly number[],
  elementType: Type,
  encoding: Attribute,
  memorySpace: Attribute,
  mutableMemory = false,
  allocShape: readonly number[] = shape,
): MemDesc {
  return MemDescType.get(elementType.ctx, { shape, elementType, encoding, memorySpace, mutableMemory, allocShape });
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((extent, i) => extent === b[i]);
}

/** Tensor memory is ttng's, which comes later: recognized by name. */
const isTensorMemorySpace = (attr: Attribute): boolean => attr.def.name === "ttng.tensor_memory";

function verifyMemDesc(params: MemDescParams, report: ReportText, { triton }: Context): void {
  const { shape, encoding, memorySpace, allocShape } = params;
  if (shape.length === 0) return report("rank 0 memdesc is not allowed");
  // The first dimension may be any number: that of pipelined buffers.
  if (!shape.slice(1).every(isPowerOf2)) return report(`shape must have power-of-2 and non-zero dimensions; got ${shape.join(", ")}`);
  if (allocShape.length < shape.length) return report("alloc shape must have at least as many dimensions as shape");
  const skipped = allocShape.length - shape.length;
  if (shape.some((extent, i) => extent > allocShape[skipped + i]!))
    return report(`shape must be less than or equal to allocShape. shape = ${shape.join(", ")}, allocShape = ${allocShape.join(", ")}`);

  const layout = encodingParams(encoding);
  if (layout?.kind === "tensor_memory_encoding") return verifyTensorMemory(params, layout, report);
  if (layout?.kind === "tensor_memory_scales_encoding") {
    if (!isTensorMemorySpace(memorySpace)) return report("memorySpace must be TensorMemorySpace");
    if (allocShape.length !== 2) return report("Scales don't currently support multibuffering");
    if (bitWidth(params.elementType) !== 8) return report("bitwidth must be 8");
    return;
  }
  if (!layout || !isShared(layout)) return report(`${attrText(encoding)} is not a valid encoding`);
  if (!SharedMemorySpace.is(memorySpace))
    return report(`memorySpace must be SharedMemorySpace for shared encoding. Got ${attrText(memorySpace)}`);
  const rank = getRank(layout);
  if (rank !== shape.length && rank !== shape.length - 1)
    return report(`rank must be equal to or one less than the shape size. Got ${rank} and ${shape.length}`);
  const component = layout.kind === "shared_linear" && triton.checksMemory ? layout.layout : linearComponentOf(layout);
  if (!component) return;
  const expected = rank === allocShape.length - 1 ? allocShape.slice(1) : allocShape;
  const sizes = component.getOutDimSizes();
  for (let d = 0; d < rank; d++)
    if (sizes[d] !== expected[d])
      return report(`Mismatch in expected shape for dimension ${d}. Expected: ${expected[d]}, got: ${sizes[d]}`);
}

function verifyTensorMemory(
  { shape, elementType, memorySpace, allocShape }: MemDescParams,
  layout: TensorMemoryParams,
  report: ReportText,
): void {
  if (!isTensorMemorySpace(memorySpace)) return report("memorySpace must be TensorMemorySpace");
  if (shape.length !== 2 && shape.length !== 3) return report("rank must be 2 or 3");
  const width = bitWidth(elementType);
  if (width === undefined) return report("the elements must be integers or floats");
  if (width * layout.colStride > 32)
    return report(`bitwidth * colStride must be less than or equal to 32. Got ${width} and ${layout.colStride}`);
  const matrix = allocShape.slice(-2);
  const [rows = 0, cols = 0] = matrix;
  const minRows = layout.blockM * layout.CTASplitM;
  const blockN = elementType.ctx.triton.slicesKeepBlocks ? Math.min(layout.blockN, shape.at(-1)!) : layout.blockN;
  const minCols = blockN * layout.CTASplitN;
  if (rows < minRows || cols < minCols)
    return report(`the allocation shape must be at least ${minRows}x${minCols}. Got ${matrix.join(", ")}`);
  const problem = firstProblem(() => {
    const linear = toLinearLayout(matrix, layout);
    const [m = 0, n = 0] = linear.getOutDimSizes();
    if (m !== rows || n !== cols) return [`allocation shape must be equal to ${m}x${n}`];
    const numCols = layout.cga
      ? linear.getInDimSize("col")
      : Math.trunc(linear.getInDimSize("col") / (layout.CTASplitM * layout.CTASplitN));
    if (numCols > Math.trunc((512 * 32) / width))
      return [`nCol / (CTASplitM * CTASplitN) must be less than or equal to 512 * 32 / bitwidth but got ${numCols}`];
    return [];
  });
  if (problem !== undefined) report(problem);
}
