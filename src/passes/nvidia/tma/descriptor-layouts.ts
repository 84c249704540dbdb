/** How blocks of tensor descriptors lie in shared memory. Source: lib/Dialect/TritonNvidiaGPU/Transforms/TMAUtilities.cpp. */
import { ConstantOp, MulIOp } from "../../../dialects/arith/ops/index.js";
import { signlessBlockType } from "../../../dialects/tt/types.js";
import { encodingAttr, encodingParams, sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Attribute } from "../../../ir/attribute.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import { attrText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { cgaOfRank } from "../../../layout/encodings/cga.js";
import { PassError } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Does a layout hold two fp4 of 8 bits, and a place for as much again? */
export function isFp4Padded(encoding: Attribute | undefined): boolean {
  const params = encodingParams(encoding);
  return params?.kind === "nvmma_shared" && params.fp4Padded;
}

/** The coordinates for TMA: those of padded fp4 count elements, two in a byte. */
export function translateTMAIndices(rw: Rewriter, loc: LocationRef, desc: Value, indices: readonly Value[]): Value[] {
  if (rw.ctx.triton.doublesFp4Late || !isFp4Padded(signlessBlockType(desc.type).params.encoding)) return [...indices];
  const two = rw.value(ConstantOp, { value: i32Attr(rw.ctx, 2) }, { loc });
  return [...indices.slice(0, -1), rw.value(MulIOp, { lhs: indices.at(-1)!, rhs: two }, { loc })];
}

/** The layout of a block for a tensor with fewer or more dimensions. Diagnostics are reported at `op`. */
export function updateEncodingForShape(op: Operation, encoding: Attribute, shape: readonly number[]): Attribute {
  const params = sharedParams(encoding);
  const rank = shape.length;
  if (params?.kind === "nvmma_shared") return encodingAttr(encoding.ctx, { ...params, cga: cgaOfRank(params.cga, rank) });
  if (params?.kind !== "swizzled_shared")
    throw new PassError(op, `blocks of a descriptor are not laid out as ${attrText(encoding)}`, "pass.descriptor");
  const outer = Array.from({ length: Math.max(0, rank - params.order.length) }, (_, i) => rank - i - 1);
  const order = [...outer, ...params.order.filter((dim) => dim < rank)];
  return encodingAttr(encoding.ctx, { ...params, order, cga: cgaOfRank(params.cga, rank) });
}

/** The layout in shared memory of a tensor that is loaded or stored through `desc`. */
export function getEncodingFromDescriptor(tensor: TensorType, desc: Value): Attribute {
  const block = signlessBlockType(desc.type).params;
  // Where the descriptor is made or handed in.
  const op = desc.definingOp ?? desc.argOwner!.parentOp!;
  if (!block.encoding) throw new PassError(op, "the descriptor does not say how its blocks lie in shared memory", "pass.descriptor");
  const { shape } = tensor.params;
  if (shape.length === block.shape.length && shape.every((extent, dim) => extent === block.shape[dim])) return block.encoding;
  return updateEncodingForShape(op, block.encoding, shape);
}
