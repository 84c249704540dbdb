/**
 * Which layout in shared memory the users of a loaded tensor want.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, Pipeliner/PipeliningUtility.cpp.
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import type { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { PointerType } from "../../../dialects/tt/types.js";
import {
  distributedParams,
  encodingAttr,
  encodingParams,
  sharedParams,
  toLinearLayout,
} from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, MemDescType } from "../../../dialects/ttg/types.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { SwizzledSharedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrderForMemory, getSharedOrder } from "../../../layout/encoding-queries.js";
import { swizzledSharedForDot } from "../../../layout/encodings/shared-for-dot.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { swizzleLikeDotOperand } from "./dot-operand-like.js";

/** The layout that all users of a value agree on; none if they need none, or if two of them contradict each other. */
export interface UsersEncoding {
  readonly encoding: Attribute | undefined;
  readonly incompatible: boolean;
  /** Nobody wants anything else; true of a value without users. */
  readonly agreed: boolean;
}

/** The layout from which every user of a tensor or buffer, through views, reads a dot operand well. */
export function getSharedEncIfAllUsersAreDotEnc(value: Value): UsersEncoding {
  const none: UsersEncoding = { encoding: undefined, incompatible: false, agreed: false };
  let common: Attribute | undefined;
  for (const user of value.users()) {
    if (user.numResults !== 1) return none;
    const { type } = user.result(0);
    let wanted: Attribute | undefined;
    if (MemDescType.is(type)) {
      wanted = type.params.encoding;
      if (encodingParams(wanted)?.kind !== "swizzled_shared") return none;
      const further = getSharedEncIfAllUsersAreDotEnc(user.result(0));
      if (!further.agreed) return further;
    } else {
      if (!LocalLoadOp.is(user) && !ConvertLayoutOp.is(user)) return none;
      const params = dotLikeEncoding(value.type as TensorType | MemDesc, type as TensorType);
      if (!params) return none;
      wanted = encodingAttr(value.type.ctx, params);
    }
    if (common !== undefined && common !== wanted) return { encoding: undefined, incompatible: true, agreed: false };
    common = wanted;
  }
  return { encoding: common, incompatible: false, agreed: true };
}

function dotLikeEncoding(src: TensorType | MemDesc, { params: dst }: TensorType): SwizzledSharedParams | undefined {
  const to = distributedParams(dst.encoding)!;
  const from = encodingParams(src.params.encoding)!;
  const cga = getCTALayout(to.kind === "linear" ? from : to)!;
  if (to.kind !== "dot_op") return swizzleLikeDotOperand(to, dst.shape, bitWidth(dst.elementType)!, cga, src.ctx.triton);
  const { shape } = src.params;
  const distributed = distributedParams(src.params.encoding);
  const order = distributed ? getOrderForMemory(distributed, shape) : getSharedOrder(sharedParams(src.params.encoding)!, shape.length);
  return swizzledSharedForDot(to, { shape, order, cga, bitwidth: bitWidth(src.params.elementType)!, needTrans: false });
}

/** The layouts of the buffers that a loaded tensor is put into. */
export function localAllocEncodings(op: Operation): Attribute[] {
  return op
    .result(0)
    .users()
    .flatMap((user) => {
      const alloc = LocalAllocOp.match(user);
      return alloc ? [(alloc.result.type as MemDesc).params.encoding] : [];
    });
}

/** Bytes that a thread copies at once from registers of that layout to shared memory. */
export function getCopyVecBytes({ params: { shape, elementType, encoding } }: TensorType, shared: Attribute): number {
  const registers: LinearLayout = toLinearLayout(shape, encoding!);
  const consecutive = registers.invertAndCompose(toLinearLayout(shape, shared)).getNumConsecutiveInOut();
  return Math.trunc((consecutive * bitWidth(elementType)!) / 8);
}

/** Elements that a thread may load at once: contiguous, aligned, and all masked alike. */
export function loadContiguity({ ptr, mask }: View<typeof LoadOp>, axes: ModuleAxisInfo): number {
  const contiguity = axes.getContiguity(ptr);
  return mask ? Math.min(contiguity, axes.getMaskAlignment(mask)) : contiguity;
}
/** Whether a thread loads at least the 4 bytes that cp.async can copy. */
export function canBeConvertedToAsyncLoad(load: View<typeof LoadOp>, axes: ModuleAxisInfo): boolean {
  const { type } = load.ptr;
  const pointer = RankedTensorType.is(type) ? type.params.elementType : type;
  const bits = PointerType.is(pointer) ? bitWidth(pointer.params.pointeeType)! : 0;
  return bits * (RankedTensorType.is(type) ? loadContiguity(load, axes) : 1) >= 32;
}
