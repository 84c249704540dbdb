/** The layout in shared memory of what is loaded. Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/PipeliningUtility.cpp. */
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { DistributedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrder } from "../../../layout/encoding-queries.js";
import { getSharedEncIfAllUsersAreDotEnc, localAllocEncodings } from "../../ttg/software-pipelining/shared-encoding-of-users.js";
import { getEncodingFromDescriptor } from "../tma/descriptor-layouts.js";
import { isTMALoad } from "../tma/tma-copies.js";

/** The layout in shared memory for what an op loads: what its users want, or plain rows. */
export function getSharedEncoding(op: Operation): Attribute {
  // TMA writes the layout that its descriptor says.
  if (isTMALoad(op)) return getEncodingFromDescriptor(op.result(0).type as TensorType, op.operand(0));
  const [fromAlloc] = localAllocEncodings(op);
  const wanted = fromAlloc ?? getSharedEncIfAllUsersAreDotEnc(op.result(0)).encoding;
  if (wanted) return wanted;
  return rowsInSharedMemory(op.result(0).type as TensorType);
}
/** A tensor's plain rows, in the order that its own layout has. */
export function rowsInSharedMemory({ ctx, params: { shape, encoding } }: TensorType): Attribute {
  const params: DistributedParams = distributedParams(encoding)!;
  const order = getOrder(params, shape);
  return encodingAttr(ctx, { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order, cga: getCTALayout(params)! });
}
