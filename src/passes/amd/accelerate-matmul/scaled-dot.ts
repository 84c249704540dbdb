/** Dots with scales: by scaled instructions, or by operands that are multiplied before. Source: AccelerateAMDMatmul.cpp. */

import { ScaledUpcastFp4Op, ScaledUpcastFp8Op, UpcastMXFPOp } from "../../../dialects/amdg/ops/index.js";
import { LocalLoadPackedTransposedOp } from "../../../dialects/amdg/ops/tiles.js";
import * as arith from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import type { Type } from "../../../ir/attribute.js";
import { boolAttr, denseElements } from "../../../ir/builtin-attrs.js";
import { bitWidth, type FloatKind, floatType, i8, tensorType, withElementType, withEncoding } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import type { AmdMfmaParams, AmdWmmaParams, BlockedParams, MmaParams } from "../../../layout/encoding-params.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { swizzledSharedForDot } from "../../../layout/encodings/shared-for-dot.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { decomposeScaledDotBy, extendScale, maskNan, type ScaledDot, scaleArg } from "../../ttg/decompose-scaled-dot.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { chooseMfma } from "./mfma.js";
import { blockedOf, elementOf, type Request, shapeOf, typeOf, warpsPerTile } from "./operands.js";
import { applied, declined } from "./remarks.js";
import { DECOMPOSED_SCALE, mfmaScaleLayout, tilesPerWarpForScale, wmmaScaleLayout } from "./scale-layout.js";

/** Formats that scaled instructions take, and their types. */
const FLOATS: Readonly<Record<string, FloatKind>> = { e2m1: "f4E2M1FN", e4m3: "f8E4M3FN", e5m2: "f8E5M2" };
const MX: ReadonlySet<string> = new Set(Object.keys(FLOATS));
const MX_OR_HALF: ReadonlySet<string> = new Set([...MX, "bf16", "fp16"]);
/** Elements along k that share a scale. */
const SCALED_ELEMENTS = 32;
/** 1.0 as a scale: the exponent alone. */
const ONE = 0x7fn;

/** gfx950: fp8 and fp4 with scales by one conversion. */
export const decomposeAmdScaledDot = ({ remark }: Request): Pattern =>
  decomposeScaledDotBy((rw, dot, opIdx, compute) => {
    if (opIdx === 0) remark(dot.op, "Decomposing scaled dot operation into regular dot operation with explicit scaling.");
    const [value, scale, elemType] = opIdx === 0 ? [dot.a, dot.a_scale, dot.a_elem_type] : [dot.b, dot.b_scale, dot.b_elem_type];
    if (elemType === "bf16" || elemType === "fp16") return value;
    if (!scale) return scaleArg(rw, dot, opIdx, compute);
    const { shape, encoding } = typeOf(value).params;
    const axis = opIdx === 0 ? shape.length - 1 : shape.length - 2;
    const isFp4 = elemType === "e2m1";
    const wide = shape.map((extent, d) => (isFp4 && d === axis ? extent * 2 : extent));
    const type = tensorType(wide, compute, encoding);
    const bf16 = floatType(rw.ctx, "bf16");
    scale.definingOp?.setAttr(DECOMPOSED_SCALE, boolAttr(rw.ctx, true));
    const { oriented, spread } = extendScale(rw, dot, scale, opIdx, bf16, withElementType(type, bf16));
    const options = { loc: valueLocation(value), types: [type] };
    const product = isFp4
      ? rw.value(ScaledUpcastFp4Op, { input: value, scale: spread, axis }, options)
      : rw.value(ScaledUpcastFp8Op, { input: value, scale: spread }, options);
    return maskNan(rw, dot, product, oriented, axis);
  });

/** The product in another layout, converted back to the layout it had. */
function replaceScaled(
  rw: Rewriter,
  dot: ScaledDot,
  mma: MmaParams,
  operands: () => { readonly a: Value; readonly b: Value; readonly a_scale: Value | undefined; readonly b_scale: Value | undefined },
): true {
  const types = [withEncoding(typeOf(dot.d), encodingAttr(rw.ctx, mma))];
  const c = rw.value(ConvertLayoutOp, { src: dot.c }, { loc: valueLocation(dot.c), types });
  const { a_elem_type, b_elem_type, fastMath } = dot;
  const product = rw.value(DotScaledOp, { ...operands(), c, a_elem_type, b_elem_type, fastMath }, { types });
  rw.replaceWith(dot, ConvertLayoutOp, { src: product }, { types: [dot.d.type] });
  return true;
}

/** The scale in that layout; ones where there is none. `shape` is that of the operand as the instruction takes it. */
function scaleInLayout(
  rw: Rewriter,
  dot: ScaledDot,
  opIdx: 0 | 1,
  shape: readonly number[],
  layoutFor: (shape: readonly number[]) => LinearLayout,
): Value {
  const [scale, elemType] = opIdx === 0 ? [dot.a_scale, dot.a_elem_type] : [dot.b_scale, dot.b_elem_type];
  const k = shape[1 - opIdx]! * (elemType === "e2m1" ? 2 : 1);
  const scaleShape = scale ? shapeOf(scale) : [shape[opIdx]!, Math.trunc(k / SCALED_ELEMENTS)];
  const type = tensorType(scaleShape, i8(rw.ctx), encodingAttr(rw.ctx, { kind: "linear", layout: layoutFor(scaleShape) }));
  if (scale) return rw.value(ConvertLayoutOp, { src: scale }, { loc: valueLocation(scale), types: [type] });
  return rw.value(arith.ConstantOp, { value: denseElements(type, [ONE]) }, { types: [type] });
}

/** gfx950: mfma.scale on fp8 and fp4. */
export const scaledDotToScaledMfma = ({ gpu, nonKDim, accelerated, explain, remark }: Request): Pattern =>
  pattern("scaled-blocked-to-scaled-mfma", DotScaledOp, (dot, rw) => {
    const { op, d } = dot;
    const blocked = blockedOf(d);
    const shape = shapeOf(d);
    if (!blocked) return rw.noMatch("expected blocked encoding result tensor");
    if (shape.length === 3) return rw.noMatch("NYI: 3d case");
    if (!MX.has(dot.a_elem_type) || !MX.has(dot.b_elem_type)) return rw.noMatch("NYI: mxfp6");
    const numWarps = lookupNumWarps(op);
    if (numWarps === 1) return rw.noMatch("num_warps==1 is not supported");
    const k = shapeOf(dot.a).at(-1)! * (dot.a_elem_type === "e2m1" && dot.lhs_k_pack ? 2 : 1);
    const [x, y] = [dot.a_elem_type, dot.b_elem_type].map((elemType) => floatType(rw.ctx, FLOATS[elemType]!)) as [Type, Type];
    const product = { version: gpu.mfma, shape, a: x, b: y, k, nonKDim, withScale: true, xf32: false };
    const found = chooseMfma(product, (message) => remark(op, message));
    if (typeof found === "string") return rw.noMatch("Unable to choose preferable MFMA intrinsic for scaled dot operation.");
    const { m, n } = found;
    const warpsPerCTA = warpsPerTile(op, shape, numWarps, m, n);
    const tilesPerWarp = tilesPerWarpForScale(dot.a_scale, dot.b_scale, m, shape[0]!, shape[1]!, warpsPerCTA);
    const mma: AmdMfmaParams = {
      kind: "amd_mfma",
      version: gpu.mfma,
      warpsPerCTA,
      instrShape: [m, n, found.k],
      isTransposed: true,
      cga: blocked.cga,
      tilesPerWarp,
      elementBitWidth: bitWidth(elementOf(d))!,
    };
    explain?.(op, "matmul.mma", applied(found, mma, 16));
    accelerated();
    return replaceScaled(rw, dot, mma, () => {
      const a = mxOperand(rw, dot, 0, mma);
      const b = mxOperand(rw, dot, 1, mma);
      const scaleOf = (opIdx: 0 | 1, value: Value): Value | undefined =>
        dot.a_scale || dot.b_scale
          ? scaleInLayout(rw, dot, opIdx, shapeOf(value), (s) => mfmaScaleLayout(opIdx, s, m, tilesPerWarp, warpsPerCTA))
          : undefined;
      return { a, b, a_scale: scaleOf(0, a), b_scale: scaleOf(1, b) };
    });
  });

/** An operand of mfma.scale, 16 bytes a lane; fp4 that are not packed along k are packed anew by way of shared memory. */
function mxOperand(rw: Rewriter, dot: ScaledDot, opIdx: 0 | 1, parent: AmdMfmaParams): Value {
  const [value, isKPacked] = opIdx === 0 ? [dot.a, dot.lhs_k_pack] : [dot.b, dot.rhs_k_pack];
  const operand = { kind: "dot_op", opIdx, parent, kWidth: 16 } as const;
  const encoding = encodingAttr(rw.ctx, operand);
  if (isKPacked)
    return rw.value(ConvertLayoutOp, { src: value }, { loc: valueLocation(value), types: [withEncoding(typeOf(value), encoding)] });
  const { shape, elementType } = typeOf(value).params;
  const packed = shape.map((extent, d) => (d === opIdx ? extent * 2 : Math.trunc(extent / 2)));
  const cga = getCTALayout(blockedOf(value)!)!;
  const order = opIdx === 1 ? [1, 0] : [0, 1];
  const shared = swizzledSharedForDot(operand, { shape, order, cga, bitwidth: bitWidth(elementType)!, needTrans: false });
  const buffer = memDescType(shape, elementType, encodingAttr(rw.ctx, shared), SharedMemorySpace.get(rw.ctx, {}));
  const src = rw.value(LocalAllocOp, { src: value }, { types: [buffer] });
  return rw.value(LocalLoadPackedTransposedOp, { src }, { types: [tensorType(packed, elementType, encoding)] });
}

/** gfx1250: wmma.scale on fp8 and fp4. */
export const scaledDotToScaledWmma = ({ gpu, accelerated, explain }: Request): Pattern =>
  pattern("scaled-blocked-to-scaled-wmma", DotScaledOp, (dot, rw) => {
    const { op, d } = dot;
    const blocked = blockedOf(d);
    const shape = shapeOf(d);
    if (!blocked) return rw.noMatch("expected blocked encoding result tensor");
    if (shape.length === 3) return rw.noMatch("NYI: 3d case");
    if (!MX.has(dot.a_elem_type) || !MX.has(dot.b_elem_type)) return rw.noMatch("Not supported yet mxfp type");
    const warpsPerCTA = warpsPerTile(op, shape, lookupNumWarps(op), 16, 16);
    const withK = (k: number): AmdWmmaParams => ({
      kind: "amd_wmma",
      version: gpu.wmma,
      isTransposed: true,
      warpsPerCTA,
      tilesPerWarp: [1, 1],
      cga: blocked.cga,
      instrShape: [16, 16, k],
    });
    const mma = withK(128);
    const [x, y] = [dot.a_elem_type, dot.b_elem_type].map((elemType) => floatType(rw.ctx, FLOATS[elemType]!)) as [Type, Type];
    explain?.(op, "matmul.mma", applied({ name: "rocdl.wmma.scale.f32.16x16x128.f8f6f4", a: x, b: y }, mma, 16));
    accelerated();
    return replaceScaled(rw, dot, mma, () => {
      const operand = (value: Value, opIdx: 0 | 1, elemType: string): Value => {
        const parent = elemType === "e2m1" ? withK(64) : mma;
        const encoding = encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent, kWidth: 16 });
        return rw.value(ConvertLayoutOp, { src: value }, { loc: valueLocation(value), types: [withEncoding(typeOf(value), encoding)] });
      };
      const a = operand(dot.a, 0, dot.a_elem_type);
      const b = operand(dot.b, 1, dot.b_elem_type);
      const a_scale = scaleInLayout(rw, dot, 0, shapeOf(a), (s) => wmmaScaleLayout(0, s, warpsPerCTA));
      const b_scale = scaleInLayout(rw, dot, 1, shapeOf(b), (s) => wmmaScaleLayout(1, s, warpsPerCTA));
      return { a, b, a_scale, b_scale };
    });
  });

/** One operand with a scale, before gfx950: it becomes bf16 or f16 times its scale, and a plain MFMA does the rest. */
export const scaledDotToMfma = ({ gpu, nonKDim, kPack, accelerated, explain, remark }: Request): Pattern =>
  pattern("scaled-blocked-to-mfma", DotScaledOp, (dot, rw) => {
    const { op, d, a_scale, b_scale, a_elem_type, b_elem_type, fastMath } = dot;
    const refuse = (why: string, upstream: string): false => {
      explain?.(op, "matmul.declined", declined(why));
      return rw.noMatch(upstream);
    };
    if (!dot.lhs_k_pack || !dot.rhs_k_pack) return refuse("its fp4 elements are not packed along k", "fp4 elements are not packed along k");
    const blocked = blockedOf(d);
    const shape = shapeOf(d);
    if (!blocked) return rw.noMatch("expected blocked encoding result tensor");
    if (shape.length === 3) return refuse("it has a batch dimension, and dots with scales have none", "NYI: 3d case");
    if (a_scale && b_scale)
      return refuse(`both operands have scales, and on ${gpu.arch} one of them at most is multiplied in`, "NYI: both LHS and RHS scale");
    if (!MX_OR_HALF.has(a_elem_type) || !MX_OR_HALF.has(b_elem_type)) return refuse("fp6 is not multiplied", "NYI: mxfp6 operand");
    const compute = floatType(rw.ctx, a_elem_type === "fp16" || b_elem_type === "fp16" ? "f16" : "bf16");
    const plain = { version: gpu.mfma, shape, a: compute, b: compute, k: shapeOf(dot.a).at(-1)!, nonKDim, withScale: false, xf32: false };
    const found = chooseMfma(plain, (message) => remark(op, message));
    if (typeof found === "string") return refuse(found, "Unable to choose MFMA intrinsic for scaled dot operation.");
    const { m, n } = found;
    const numWarps = lookupNumWarps(op);
    const mma: AmdMfmaParams = {
      kind: "amd_mfma",
      version: gpu.mfma,
      // A scale stays in the warp of what it scales.
      warpsPerCTA: a_scale ? [numWarps, 1] : [1, numWarps],
      instrShape: [m, n, found.k],
      isTransposed: true,
      cga: blocked.cga,
      tilesPerWarp: [1, 1],
      elementBitWidth: bitWidth(elementOf(d))!,
    };
    const types = [withEncoding(typeOf(d), encodingAttr(rw.ctx, mma))];
    const c = rw.value(ConvertLayoutOp, { src: dot.c }, { loc: valueLocation(dot.c), types });
    // Two fp4 in each byte become four elements a lane for each of the others'.
    const isPacked = a_elem_type === "e2m1" || b_elem_type === "e2m1";
    const widen = (value: Value, opIdx: number, elemType: string): Value => {
      const kWidth = isPacked ? (elemType === "e2m1" ? 4 : 8) : found.kBase * kPack;
      const type = withEncoding(typeOf(value), encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent: mma, kWidth }));
      const loc = valueLocation(value);
      const src = rw.value(ConvertLayoutOp, { src: value }, { loc, types: [type] });
      if (elemType === "bf16" || elemType === "fp16" || elemType === "e2m1") return src;
      return rw.value(FpToFpOp, { src }, { loc, types: [withElementType(type, compute)] });
    };
    const a = widen(dot.a, 0, a_elem_type);
    const b = widen(dot.b, 1, b_elem_type);
    const scaleBlocked: BlockedParams = {
      kind: "blocked",
      sizePerThread: [1, 1],
      threadsPerWarp: [m, Math.trunc(getThreadsPerWarp(enclosingModule(op)) / m)],
      warpsPerCTA: [numWarps, 1],
      order: [1, 0],
      cga: blocked.cga,
    };
    const upcast = (src: Value, given: Value | undefined, opIdx: 0 | 1): Value => {
      if (!given) return src;
      const scaleType = withEncoding(typeOf(given), encodingAttr(rw.ctx, scaleBlocked));
      const scale = rw.value(ConvertLayoutOp, { src: given }, { loc: valueLocation(given), types: [scaleType] });
      const fp_type = opIdx === 0 ? a_elem_type : b_elem_type;
      const factor = fp_type === "e2m1" ? 2 : 1;
      const kWidth = (isPacked ? (fp_type === "e2m1" ? 4 : 8) : found.kBase * kPack) * factor;
      const encoding = encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent: mma, kWidth });
      const wide = shapeOf(src).map((extent, dim) => (dim === 1 - opIdx ? extent * factor : extent));
      const type = MX.has(fp_type) ? tensorType(wide, compute, encoding) : src.type;
      return rw.value(UpcastMXFPOp, { src, scale, fp_type, fastMath }, { types: [type] });
    };
    const lhs = upcast(a, a_scale, 0);
    const rhs = upcast(b, b_scale, 1);
    const product = rw.value(DotOp, { a: lhs, b: rhs, c }, { types });
    explain?.(op, "matmul.mma", applied(found, mma, found.kBase * kPack));
    accelerated();
    rw.replaceWith(dot, ConvertLayoutOp, { src: product }, { types: [d.type] });
    return true;
  });
