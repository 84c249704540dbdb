/**
 * The layouts in shared memory of what is loaded for dots.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/LowerLoops.cpp, Utility.cpp, lib/TritonAMDGPUToLLVM/AsyncUtility.cpp.
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { getPointeeType } from "../../../dialects/tt/types.js";
import { distributedParams, encodingAttr, encodingParams, sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { LocalLoadTrait } from "../../../dialects/ttg/ttg-op.js";
import { type MemDesc, MemDescType } from "../../../dialects/ttg/types.js";
import type { AmdFamily } from "../../../gpu/amd.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, elementTypeOrSelf, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { AmdMfmaParams, DotOperandParams, PaddedSharedParams, SharedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrderForMemory, getSharedOrder } from "../../../layout/encoding-queries.js";
import { combineCtaCgaWithShape } from "../../../layout/encodings/combine-cta-cga.js";
import { swizzledSharedForDot } from "../../../layout/encodings/shared-for-dot.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { canBeConvertedToAsyncLoad } from "../../ttg/software-pipelining/shared-encoding-of-users.js";

/** Facts that decide about layouts besides the users of a value. */
export interface LayoutRequest {
  readonly axes: ModuleAxisInfo;
  readonly family: AmdFamily | undefined;
  readonly useAsyncCopy: boolean;
}

/** The layout from which all users read operands of dots well; undefined where there is none. */
export function sharedEncodingForDots(op: Operation, request: LayoutRequest): Attribute | undefined {
  const value = op.result(0);
  const encodings: Attribute[] = [];
  for (const user of value.users()) {
    if (user.numResults !== 1) return undefined;
    const { type } = user.result(0);
    if (MemDescType.is(type)) {
      // A buffer that a pass made on purpose keeps its layout.
      if (!LocalAllocOp.is(user) && !sharedEncodingForDots(user, request)) return undefined;
      encodings.push(type.params.encoding);
    } else {
      if (!ConvertLayoutOp.is(user) && !user.def.traits.has(LocalLoadTrait)) return undefined;
      const params = operandLayout(op, user.result(0), request);
      if (params) encodings.push(encodingAttr(op.ctx, params));
    }
  }
  return encodings.reduce<Attribute | undefined>(widest, encodings[0]);
}
/** The widest of layouts that differ in the width of accesses only; undefined for others. */
function widest(best: Attribute | undefined, encoding: Attribute, index: number): Attribute | undefined {
  if (!best || index === 0) return best;
  const [a, b] = [encodingParams(best), encodingParams(encoding)];
  if (a?.kind !== "swizzled_shared" || b?.kind !== "swizzled_shared") return undefined;
  const alike = a.perPhase === b.perPhase && a.maxPhase === b.maxPhase && String(a.order) === String(b.order) && a.cga.equals(b.cga);
  return alike ? (b.vec > a.vec ? encoding : best) : undefined;
}

function operandLayout(op: Operation, result: Value, request: LayoutRequest): SharedParams | undefined {
  const { shape, elementType, encoding } = (op.result(0).type as TensorType | MemDesc).params;
  const distributed = distributedParams(encoding);
  const memoryOrder = distributed ? getOrderForMemory(distributed, shape) : getSharedOrder(sharedParams(encoding)!, shape.length);
  // The batch dimension is the slowest.
  const order = shape.length === 3 ? [...memoryOrder.filter((dim) => dim !== 0), 0] : memoryOrder;
  const cga = getCTALayout(encodingParams(encoding)!)!;
  const bitwidth = bitWidth(elementType)!;
  const to = encodingParams((result.type as TensorType).params.encoding);
  if (to?.kind === "dot_op") {
    const load = LoadOp.match(op);
    const isAsync = request.useAsyncCopy && load !== undefined && canBeAsync(op, 2, undefined, request);
    const padded = isAsync && request.family === "CDNA4" ? paddedForDot(to, shape, order, cga, bitwidth) : undefined;
    return padded ?? swizzledSharedForDot(to, { shape, order, cga, bitwidth, needTrans: false });
  }
  if (to?.kind !== "linear") return undefined;
  const dot = dotOf(result);
  if (!dot) return undefined;
  const operand: DotOperandParams = { kind: "dot_op", opIdx: dot.opIdx, parent: dot.mfma, kWidth: dot.vecSize };
  return swizzledSharedForDot(operand, { shape, order: memoryOrder, cga, bitwidth, needTrans: false });
}
/** The dot that a value ends in, operand by operand of one user, with how many elements lie together. */
function dotOf(value: Value): { readonly mfma: AmdMfmaParams; readonly opIdx: number; readonly vecSize: number } | undefined {
  if (!value.hasOneUse()) return undefined;
  const use = value.firstUse!;
  const user = use.owner;
  if (user.numResults !== 1 || user.block !== value.parentBlock) return undefined;
  if (!user.def.interface(DotOpInterface)) return dotOf(user.result(0));
  const mfma = encodingParams((user.result(0).type as TensorType).params.encoding);
  if (mfma?.kind !== "amd_mfma") return undefined;
  const { shape, encoding } = (value.type as TensorType).params;
  return { mfma, opIdx: use.index, vecSize: toLinearLayout(shape, encodingParams(encoding)!).getNumConsecutiveInOut() };
}

/** Whether a load can become a copy straight to shared memory of that layout. */
export function canBeAsync(op: Operation, numBuffers: number, encoding: Attribute | undefined, { axes, family }: LayoutRequest): boolean {
  // With one buffer there would have to be a barrier between what is read and the next copy.
  if (numBuffers <= 1) return false;
  const load = LoadOp.match(op)!;
  const shared = encodingParams(encoding);
  if (shared && (family === "CDNA3" || family === "CDNA4")) {
    const { shape, encoding: registers } = (load.ptr.type as TensorType).params;
    const to = shared.kind === "padded_shared" ? shared.linearComponent : toLinearLayout(shape, shared);
    let vec = toLinearLayout(shape, encodingParams(registers)!).invertAndCompose(to).getNumConsecutiveInOut();
    if (shared.kind === "padded_shared") vec = Math.min(vec, ...shared.intervals);
    if (widthToLds(vec, bitWidth(elementTypeOrSelf(getPointeeType(load.ptr.type)!))!, family) === 0) return false;
  }
  return canBeConvertedToAsyncLoad(load, axes);
}

const TO_LDS: Partial<Record<AmdFamily, readonly number[]>> = { CDNA3: [32], CDNA4: [128, 32], GFX1250: [128, 64, 32] };
/** How many of at most `vec` elements one instruction loads straight to LDS; 0 where none does. */
export function widthToLds(vec: number, bits: number, family: AmdFamily | undefined): number {
  let width = vec;
  while (width > 0 && !(family && TO_LDS[family])?.includes(width * bits)) width = Math.trunc(width / 2);
  return width;
}

/**
 * Rows that are shifted against each other by padding after 1024 bytes, which is as much as a wave writes at once. 16 rows that follow
 * one another begin in different banks. Undefined for operands that it does not fit.
 */
function paddedForDot(
  { parent, opIdx, kWidth }: DotOperandParams,
  shape: readonly number[],
  order: readonly number[],
  cga: LinearLayout,
  bits: number,
): PaddedSharedParams | undefined {
  if (parent.kind !== "amd_mfma" || shape.length !== 2 || bits !== 16 || opIdx >= 2) return undefined;
  const bytes = 2;
  const lanes = parent.instrShape[opIdx]!;
  if (shape[0]! * shape[1]! * bytes < 16384 || Math.min(...shape) < 16) return undefined;
  if ((lanes !== 16 && lanes !== 32) || (kWidth !== 4 && kWidth !== 8)) return undefined;
  const kDim = opIdx === 0 ? 1 : 0;
  const isKContiguous = order[0] === kDim;
  const row = Math.min(1024 / bytes, isKContiguous ? shape[kDim]! : shape[1 - kDim]!);
  const bases: [number, number][] = [];
  for (let i = 1; i < row; i *= 2) bases.push([i, 0]);
  for (let i = 16; bases.length < Math.log2(1024 / bytes); i *= 2) bases.push([0, i]);
  for (let i = 1; i < 16; i *= 2) bases.push([0, i]);
  const isWide = kWidth * bytes === 16;
  const swap = (i: number, j: number): void => void ([bases[i], bases[j]] = [bases[j]!, bases[i]!]);
  let padding = lanes === 16 ? 32 : 64;
  if (isKContiguous) {
    padding = lanes === 16 ? (isWide ? 32 : 8) : isWide ? 16 : 8;
    // Every 16th row begins in the same bank, or in the other half of them.
    if (lanes === 32) swap(isWide ? 8 : 7, Math.log2(row));
  } else if (lanes === 16 && isWide) swap(bases.length - 1, bases.length - 2);
  if (isKContiguous === (kDim === 1)) for (const basis of bases) basis.reverse();
  const tile = LinearLayout.fromBases([["offset", bases]], standardOutDimNames(2));
  return {
    kind: "padded_shared",
    intervals: [1024 / bytes],
    paddings: [padding / bytes],
    linearComponent: combineCtaCgaWithShape(tile, cga, shape),
  };
}
