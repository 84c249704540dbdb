/** Why copies by TMA and dots by wgmma are the instructions that they are. */

import { distributedParams, sharedParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAGatherOp,
  AsyncTMAReduceOp,
  AsyncTMAScatterOp,
} from "../../dialects/ttng/ops/tma.js";
import { needsPartialAccumulator, WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { bitWidth, shapedParams, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import type { NvidiaMmaParams } from "../../layout/encoding-params.js";
import { getShapePerCTAOf } from "../../layout/encoding-queries.js";
import { getTMABlockShape } from "../../layout/encodings/nvmma-shared.js";

/** A sentence each; none for other ops. */
export function tmaAndWgmmaReasons(op: Operation): readonly string[] {
  const dot = WarpGroupDotOp.match(op);
  if (dot) return wgmmaReasons(op);
  const buffer = tmaBuffer(op);
  return buffer ? tmaReasons(op, buffer) : [];
}

/** The bytes that one message of a TMA copy moves; undefined for other ops. */
export function messageBytes(op: Operation): number | undefined {
  const buffer = tmaBuffer(op);
  const message = buffer && messageOf(op, buffer);
  return message?.bytes;
}

/** The buffer that a TMA copy fills or reads. */
function tmaBuffer(op: Operation): Value | undefined {
  return (
    AsyncTMACopyGlobalToLocalOp.match(op)?.result ??
    AsyncTMAGatherOp.match(op)?.result ??
    (AsyncTMACopyLocalToGlobalOp.match(op) ?? AsyncTMAReduceOp.match(op) ?? AsyncTMAScatterOp.match(op))?.src
  );
}
const isByRows = (op: Operation): boolean => AsyncTMAGatherOp.is(op) || AsyncTMAScatterOp.is(op);

interface Message {
  readonly box: readonly number[];
  readonly bytes: number;
  /** Messages of the whole copy. */
  readonly count: number;
  /** Bytes. */
  readonly swizzle: number;
  readonly element: string;
}
function messageOf(op: Operation, buffer: Value): Message | undefined {
  const { shape, encoding, elementType } = MemDescType.params(buffer.type);
  const params = sharedParams(encoding);
  const bits = bitWidth(elementType);
  if (params?.kind !== "nvmma_shared" || bits === undefined) return undefined;
  const perCTA = getShapePerCTAOf(params, shape);
  const box = getTMABlockShape(perCTA, params, true);
  if (isByRows(op)) box[0] = 4;
  const size = (extents: readonly number[]) => extents.reduce((n, extent) => n * extent, 1);
  return {
    box,
    bytes: (size(box) * bits) / 8,
    count: size(perCTA) / size(box),
    swizzle: params.swizzlingByteWidth,
    element: typeText(elementType),
  };
}

function tmaReasons(op: Operation, buffer: Value): string[] {
  const message = messageOf(op, buffer);
  if (!message) return [];
  const { box, bytes, count, swizzle, element } = message;
  const why = swizzle === 0 ? "not swizzled" : `as wide as the swizzle, ${swizzle} bytes`;
  const warps = Math.min(count, maybeLookupNumWarps(op) ?? 4);
  const senders = warps === 1 ? "by one thread" : `by one thread of each of ${warps} warps`;
  return [`${plural(count, "message")} of ${box.join(" x ")} ${element}, ${bytes} bytes, rows ${why}; sent ${senders}`];
}

function wgmmaReasons(op: Operation): string[] {
  const dot = WarpGroupDotOp.match(op)!;
  const { a, b, d, isAsync, maxNumImpreciseAcc } = dot;
  const result = (d.type as TensorType).params;
  const mma = distributedParams(result.encoding) as NvidiaMmaParams;
  const [, n, k] = mma.instrShape as [number, number, number];
  const [rows, columns] = getShapePerCTAOf(mma, result.shape) as [number, number];
  const [warpsM, warpsN] = mma.warpsPerCTA as [number, number];
  const { elementType: element, shape: aShape } = shapedParams(a.type);
  const depth = aShape[1]!;
  const tiles = Math.ceil(rows / (16 * warpsM)) * Math.ceil(columns / (n * warpsN));
  const shape = `a group of 4 warps has 64 rows and ${n} columns, k is 32 bytes of ${typeText(element)}`;
  const many = `${plural(tiles, "tile")} of the ${rows} x ${columns} result, ${plural(Math.ceil(depth / k), "step")} along k`;
  const reasons = [`${shape}; ${many}, ${plural((warpsM * warpsN) / 4, "group")}`, `A ${operandText(a, 0)}; B ${operandText(b, 1)}`];
  if (needsPartialAccumulator(dot))
    reasons.push(`its sums of ${typeText(element)} are rough: added up apart every ${maxNumImpreciseAcc} products`);
  reasons.push(isAsync ? "goes on before it is done, until ttng.warp_group_dot_wait" : "waits for it at once");
  return reasons;
}

/** Where an operand comes from; `k` of A is its last dimension, of B the first. */
function operandText(value: Value, index: 0 | 1): string {
  if (!MemDescType.is(value.type)) return "from registers: threads computed it";
  const params = sharedParams(value.type.params.encoding);
  if (params?.kind !== "nvmma_shared") return "from shared memory";
  const alongK = params.transposed === (index === 1);
  return `from shared memory, ${params.swizzlingByteWidth === 0 ? "not swizzled" : `swizzled by ${params.swizzlingByteWidth} bytes`}, contiguous along ${alongK ? "k" : index === 0 ? "m" : "n"}`;
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
