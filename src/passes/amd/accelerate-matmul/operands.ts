/** How warps share a product, and how its operands and result get their layouts and types. Source: AccelerateAMDMatmul.cpp. */
import * as arith from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { AmdGpu } from "../../../gpu/amd.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { bitWidth, IntegerType, isFloat, type TensorType, withElementType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams } from "../../../layout/encoding-params.js";
import type { Explain } from "../../../pass/remark.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { isChainDotHead, isChainDotTail } from "../chained-dots.js";

export const typeOf = (value: Value): TensorType => value.type as TensorType;
export const elementOf = (value: Value): Type => typeOf(value).params.elementType;
export const shapeOf = (value: Value): readonly number[] => typeOf(value).params.shape;

/** The target and the options of the pass, for its patterns. */
export interface Request {
  readonly gpu: AmdGpu;
  /** M and N of instructions; 0 where the pass chooses. */
  readonly nonKDim: number;
  readonly kPack: number;
  readonly accelerated: () => void;
  readonly explain: Explain | undefined;
  readonly remark: (op: Operation, message: string) => void;
}

/** The blocked layout of a dot's result. */
export function blockedOf(value: Value): BlockedParams | undefined {
  const params = encodingParams(typeOf(value).params.encoding);
  return params?.kind === "blocked" ? params : undefined;
}

/** The warps along each dimension of a product whose instruction computes m x n. */
export function warpsPerTile(dot: Operation, shape: readonly number[], numWarps: number, m: number, n: number): readonly number[] {
  if (shape.length === 3) return [numWarps, 1, 1];
  const [rows = 1, columns = 1] = shape;
  // In attention the first product keeps a row in one warp, and the second one follows it.
  if (isChainDotHead(dot)) return [numWarps, 1];
  if (isChainDotTail(dot)) {
    const along = Math.min(numWarps, Math.ceil(rows / m));
    return [along, Math.trunc(numWarps / along)];
  }
  let [x, y] = [1, 1];
  while (x * y < numWarps) {
    const isTall = Math.trunc(Math.trunc(rows / (m * 2)) / x) >= Math.trunc(Math.trunc(columns / n) / y);
    if (isTall && x < Math.trunc(rows / m)) x *= 2;
    else y *= 2;
  }
  return y * n > columns ? [y, x] : [x, y];
}

/** The value in another layout, then as another element type. */
export function convertAndCast(rw: Rewriter, value: Value, encoding: Attribute, element: Type): Value {
  const loc = valueLocation(value);
  const src = rw.value(ConvertLayoutOp, { src: value }, { loc, types: [withEncoding(typeOf(value), encoding)] });
  const from = elementOf(value);
  if (from === element) return src;
  const options = { loc, types: [withElementType(src.type, element)] };
  const [narrow, wide] = [bitWidth(from)!, bitWidth(element)!];
  if (IntegerType.is(element)) {
    if (narrow === wide) return rw.value(arith.BitcastOp, { in: src }, { loc, types: [src.type] });
    return narrow > wide ? rw.value(arith.TruncIOp, { in: src }, options) : rw.value(arith.ExtUIOp, { in: src }, options);
  }
  if (isFloat(from, "f16") && isFloat(element, "f32")) return rw.value(arith.ExtFOp, { in: src }, options);
  if (isFloat(from, "f32") && isFloat(element, "f16")) return rw.value(arith.TruncFOp, { in: src }, options);
  return rw.value(FpToFpOp, { src }, options);
}
