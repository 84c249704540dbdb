/**
 * Buffers in tensor memory are known by their address, `row << 16 | column`; views of them by another one.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TensorMemoryToLLVM.cpp.
 */
import { ptrType } from "../../../dialects/llvm/types/types.js";
import { MemDescIndexOp, MemDescReinterpretOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { TensorMemoryEncoding, TensorMemorySpace } from "../../../dialects/ttng/attrs.js";
import { TMEMSubSliceOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { tmemColumns } from "../../../dialects/ttng/tmem-layout.js";
import { descOf, runsOnTwoCTAs } from "../../../dialects/ttng/ttng-op.js";
import { bitWidth, i32 } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { indexBuffer, reinterpretBuffer } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

/** How many CTAs a tcgen05 instruction is for, as it is written. */
export const ctaGroup = (lo: Lowering): string => `cta_group::${runsOnTwoCTAs(lo.module) ? 2 : 1}`;
/** The address of a buffer as an integer. */
export function tmemAddress(lo: Lowering, buffer: Value): Value {
  return lo.b.ptrtoint(lo.value(buffer), i32(lo.ctx));
}
/** The address is kept as a pointer to shared memory, as other buffers have one. */
export function setTmemAddress(lo: Lowering, result: Value, address: Value): void {
  lo.setValue(result, lo.b.inttoptr(address, ptrType(lo.ctx, 3)));
}
const isInTensorMemory = (buffer: Value): boolean => TensorMemorySpace.is(descOf(buffer).params.memorySpace);

/** One of several buffers: they lie side by side. */
function indexTensorMemory(lo: Lowering, { src, index, result }: View<typeof MemDescIndexOp>): void {
  const { b } = lo;
  const address = tmemAddress(lo, src);
  setTmemAddress(lo, result, b.add(address, b.mul(lo.value(index), b.i32(tmemColumns(descOf(result))))));
}

/** Where a slice begins: blocks of 64 rows lie by twos one above the other. */
function sliceOffset({ params }: MemDesc, column: number): number | undefined {
  if (!TensorMemoryEncoding.is(params.encoding)) return undefined;
  const { blockM, blockN, colStride } = params.encoding.params;
  let [row, col] = [0, column];
  if (blockM === 64) {
    const block = Math.trunc(column / blockN);
    if (block % 2 === 1) {
      row = 16;
      col -= blockN;
    }
    col -= blockN * Math.trunc(block / 2);
  }
  const perColumn = 32 / (colStride * bitWidth(params.elementType)!);
  return col % perColumn === 0 ? (col / perColumn) | (row << 16) : undefined;
}

export const TENSOR_MEMORY_VIEWS: readonly LoweringRule[] = [
  rule(MemDescIndexOp, (view, lo) => (isInTensorMemory(view.src) ? indexTensorMemory(lo, view) : indexBuffer(lo, view))),
  rule(MemDescReinterpretOp, (view, lo) => (isInTensorMemory(view.src) ? lo.alias(view.result, view.src) : reinterpretBuffer(lo, view))),
  rule(TMEMSubSliceOp, ({ op, src, N, result }, lo) => {
    const offset = sliceOffset(descOf(src), N);
    if (offset === undefined) return lo.fail(op, `column ${N} is not at the start of a word of tensor memory`, "lower.tmem-view");
    const added = lo.b.i32(offset);
    return setTmemAddress(lo, result, lo.b.add(tmemAddress(lo, src), added));
  }),
];
