/**
 * Chooses a matrix instruction for each dot, MFMA or WMMA, and gives its operands and result the layouts that the instruction needs:
 *
 *     %d = tt.dot %a, %b, %c : tensor<128x32xf16, #blocked_a> * tensor<32x128xf16, #blocked_b> -> tensor<128x128xf32, #blocked>
 *     ->
 *     %d = tt.dot %a2, %b2, %c2 : tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * ... -> tensor<128x128xf32, #mma>
 *
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/AccelerateAMDMatmul.cpp.
 */
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { amdGpuOf } from "../../../gpu/amd.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, floatType, IntegerType, intType, isFloat, withElementType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import type { AmdMfmaParams, AmdWmmaParams } from "../../../layout/encoding-params.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { decomposeScaledDot } from "../../ttg/decompose-scaled-dot.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { isChainDotHead, isChainDotTail } from "../chained-dots.js";
import { dotToFma } from "./fma.js";
import type { MatrixInstruction } from "./matrix-instruction.js";
import { chooseMfma, isF8F6F4 } from "./mfma.js";
import { blockedOf, convertAndCast, elementOf, type Request, shapeOf, typeOf, warpsPerTile } from "./operands.js";
import { applied, declined } from "./remarks.js";
import { takeMarkedScale, tilesPerWarpForScale } from "./scale-layout.js";
import { decomposeAmdScaledDot, scaledDotToMfma, scaledDotToScaledMfma, scaledDotToScaledWmma } from "./scaled-dot.js";
import { selectWmma } from "./wmma.js";

export const accelerateMatmulAmd = definePass("tritonamdgpu-accelerate-matmul", {
  name: "TritonAMDGPUAccelerateMatmul",
  summary: "accelerate matmul",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/AccelerateAMDMatmul.cpp",
  options: {
    archGenerationName: option.string({ default: "", text: "arch-generation-name", summary: "GFX generation name of target device." }),
    matrixInstructionSize: option.int({ default: 0, summary: "enforce matrix instruction MN size" }),
    kPack: option.int({ default: 1, text: "kPack", summary: "KWidth / kBase" }),
  },
  statistics: { accelerated: "dots given to matrix instructions" },
  run(root, { options, listener, report, count, explain }) {
    const gpu = amdGpuOf(options.archGenerationName);
    if (!gpu) return report.error(root, `'tritonamdgpu-accelerate-matmul' knows no GPU '${options.archGenerationName}'`);
    const request: Request = {
      gpu,
      nonKDim: options.matrixInstructionSize,
      kPack: options.kPack,
      accelerated: () => count("accelerated"),
      explain,
      remark: (op, message) => report.remark(op, message),
    };
    applyPatternsGreedily(root, patternsOf(request), { listener });
    applyPatternsGreedily(root, [dotToFma(request)], { listener });
    promoteMixedOperands(root, new Rewriter(root.ctx, listener));
  },
});

/** The patterns of a GPU, those that are tried first before the others. */
function patternsOf(request: Request): readonly Pattern[] {
  switch (request.gpu.family) {
    case "GFX1250":
      return [scaledDotToScaledWmma(request)];
    case "CDNA4":
      return [scaledDotToScaledMfma(request), decomposeAmdScaledDot(request), dotToMfma(request), scaledDotToMfma(request)];
    case "CDNA2":
    case "CDNA3":
      return [dotToMfma(request), scaledDotToMfma(request)];
    case "RDNA3":
    case "RDNA4":
      return [decomposeScaledDot, dotToWmma(request)];
    default:
      return [];
  }
}

type Dot = View<typeof DotOp>;

const dotToMfma = (request: Request): Pattern =>
  pattern("blocked-to-mfma", DotOp, (dot, rw) => {
    const { gpu, nonKDim, kPack, explain } = request;
    const { op, a, b, c, d } = dot;
    const blocked = blockedOf(d);
    if (!blocked) return rw.noMatch("expected blocked encoding result tensor");
    const canScale = gpu.mfma === 4 && isF8F6F4(elementOf(a)) && isF8F6F4(elementOf(b));
    // The scaled instructions do more in a cycle than others, even where there is no scale.
    const xf32 = dot.inputPrecision === "tf32" && gpu.mfma === 3;
    const wanted = { version: gpu.mfma, shape: shapeOf(d), a: elementOf(a), b: elementOf(b), k: shapeOf(a).at(-1)!, nonKDim, xf32 };
    const choose = (withScale: boolean) => chooseMfma({ ...wanted, withScale }, (message) => request.remark(op, message));
    const scaled = canScale ? choose(true) : undefined;
    const withScale = typeof scaled === "object";
    const instruction = withScale ? scaled : choose(false);
    if (typeof instruction === "string") {
      explain?.(op, "matmul.declined", declined(instruction));
      return rw.noMatch("Unable to choose preferable MFMA intrinsic for dot operation.");
    }
    const { m, n, k, kBase } = instruction;
    const shape = shapeOf(d);
    const warpsPerCTA = warpsPerTile(op, shape, lookupNumWarps(op), m, n);
    const element = elementOf(d);
    const accumulator = IntegerType.is(element) ? intType(rw.ctx, 32) : floatType(rw.ctx, isFloat(element, "f64") ? "f64" : "f32");
    const is16Bit = isFloat(instruction.a, "f16") || isFloat(instruction.a, "bf16");
    // Transposed, so that threads store wide. 4x64 cannot be: operand a would have to be repeated.
    let isTransposed = !(m === 4 && n === 64);
    let tilesPerWarp: readonly number[] = [1, 1];
    if (m === n && (m === 32 || m === 16)) {
      const scales = [takeMarkedScale(a), takeMarkedScale(b)] as const;
      tilesPerWarp = tilesPerWarpForScale(scales[0], scales[1], m, shape[0]!, shape[1]!, warpsPerCTA);
    }
    const isShuffled = tilesPerWarp[0]! > 1 && tilesPerWarp[1]! > 1;
    // A product that another dot takes then becomes its operand without moving data between warps.
    if (gpu.mfma === 4 && is16Bit && m === 16 && n === 16 && shape.length === 2 && !isShuffled) {
      const [rows = 0, columns = 0] = shape;
      const [along = 0, across = 0] = warpsPerCTA;
      if (isChainDotHead(op, 0) && rows >= 32 * along && columns === 16 && across === 1) {
        isTransposed = true;
        tilesPerWarp = [2, 1];
      } else if (isChainDotHead(op, 1) && rows === 16 && columns >= 32 * across && along === 1) {
        isTransposed = false;
        tilesPerWarp = [1, 2];
      }
    }
    if (shape.length === 3) tilesPerWarp = [1, ...tilesPerWarp];
    const mma: AmdMfmaParams = {
      kind: "amd_mfma",
      version: gpu.mfma,
      warpsPerCTA,
      instrShape: [m, n, k],
      isTransposed,
      cga: blocked.cga,
      tilesPerWarp,
      elementBitWidth: bitWidth(accumulator)!,
    };
    const encoding = encodingAttr(rw.ctx, mma);
    const sum = convertAndCast(rw, c, encoding, accumulator);
    const isTail = isChainDotTail(op);
    // The second product of attention takes the first one's result as it is: four elements a lane.
    const kWidth = withScale ? 16 : is16Bit && isTail ? 4 : isTail ? kBase : kBase * kPack;
    const operand = (value: Value, opIdx: number, type: Type): Value =>
      convertAndCast(rw, value, encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent: mma, kWidth }), type);
    const lhs = operand(a, 0, instruction.a);
    const rhs = operand(b, 1, instruction.b);
    const { inputPrecision, maxNumImpreciseAcc } = dot;
    const kindOf = (value: Value) => (isFloat(elementOf(value), "f8E4M3FN") ? "e4m3" : "e5m2");
    const product = withScale
      ? rw.value(
          DotScaledOp,
          { a: lhs, b: rhs, c: sum, a_elem_type: kindOf(a), b_elem_type: kindOf(b), fastMath: false },
          { types: [sum.type] },
        )
      : rw.value(DotOp, { a: lhs, b: rhs, c: sum, inputPrecision, maxNumImpreciseAcc }, { types: [sum.type] });
    explain?.(op, "matmul.mma", applied(instruction, mma, kWidth));
    request.accelerated();
    return rw.replace(op, convertAndCast(rw, product, typeOf(d).params.encoding!, element));
  });

const dotToWmma = (request: Request): Pattern =>
  pattern("blocked-to-wmma", DotOp, (dot, rw) => {
    const { gpu, nonKDim, explain } = request;
    const { op, a, b, c, d } = dot;
    const blocked = blockedOf(d);
    if (!blocked) return rw.noMatch("expected blocked encoding result tensor");
    const instruction = chooseWmma(dot, gpu.wmma, nonKDim);
    if (typeof instruction === "string") {
      explain?.(op, "matmul.declined", declined(instruction));
      return rw.noMatch("Unable to choose WMMA intrinsic for dot operation.");
    }
    const { m, n, k, kBase } = instruction;
    const mma: AmdWmmaParams = {
      kind: "amd_wmma",
      version: gpu.wmma,
      isTransposed: true,
      warpsPerCTA: warpsPerTile(op, shapeOf(d), lookupNumWarps(op), m, n),
      tilesPerWarp: shapeOf(d).map(() => 1),
      cga: blocked.cga,
      instrShape: [m, n, k],
    };
    const accumulator = IntegerType.is(elementOf(d)) ? intType(rw.ctx, 32) : floatType(rw.ctx, "f32");
    const sum = convertAndCast(rw, c, encodingAttr(rw.ctx, mma), accumulator);
    const operand = (value: Value, opIdx: number, type: Type): Value =>
      convertAndCast(rw, value, encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent: mma, kWidth: kBase }), type);
    const lhs = operand(a, 0, instruction.a);
    const rhs = operand(b, 1, instruction.b);
    const { inputPrecision, maxNumImpreciseAcc } = dot;
    const product = rw.value(DotOp, { a: lhs, b: rhs, c: sum, inputPrecision, maxNumImpreciseAcc }, { types: [sum.type] });
    explain?.(op, "matmul.mma", applied(instruction, mma, kBase));
    request.accelerated();
    return rw.replace(op, convertAndCast(rw, product, typeOf(d).params.encoding!, elementOf(d)));
  });

/** The WMMA of a dot; a text says why there is none. */
function chooseWmma({ a, b, c, d }: Dot, version: number, nonKDim: number): MatrixInstruction | string {
  const types = wmmaTypes([a, b, c, d].map(elementOf) as [Type, Type, Type, Type], version);
  if (!types) return `there is no WMMA on ${typeText(elementOf(a))} and ${typeText(elementOf(b))}`;
  const shape = shapeOf(d);
  if (nonKDim === 0 && Math.min(...shape.slice(-2)) < 16) return `a result of ${shape.join("x")} is smaller than WMMA's 16x16`;
  if (nonKDim !== 0 && nonKDim !== 16) return `there is no WMMA of ${nonKDim}x${nonKDim}`;
  const k = shapeOf(a).at(-1)!;
  const found = selectWmma(version, ...types, k);
  if (!found) return `there is no WMMA on ${typeText(types[0])} and ${typeText(types[1])}`;
  return nonKDim !== 0 || k % found.k === 0 ? found : `K = ${k} is no multiple of the ${found.k} of one instruction`;
}

/** The types of a, b and the sum with which a WMMA computes the dot, after the fewest conversions; none of them loses precision. */
function wmmaTypes(given: readonly [Type, Type, Type, Type], version: number): readonly [Type, Type, Type] | undefined {
  const { ctx } = given[0];
  const [f16, bf16, f32, fp8, bf8] = (["f16", "bf16", "f32", "f8E4M3FN", "f8E5M2"] as const).map((kind) => floatType(ctx, kind)) as [
    Type,
    Type,
    Type,
    Type,
    Type,
  ];
  const candidates: (readonly [Type, Type, Type])[] = [
    [f16, f16, f32],
    [bf16, bf16, f32],
    [intType(ctx, 8), intType(ctx, 8), intType(ctx, 32)],
  ];
  if (version >= 2) for (const x of [fp8, bf8]) for (const y of [fp8, bf8]) candidates.push([x, y, f32]);
  const costOf = (from: Type, to: Type): number => {
    if (from === to) return 0;
    if (IntegerType.is(from) !== IntegerType.is(to)) return Infinity;
    return bitWidth(from)! <= bitWidth(to)! ? 1 : Infinity;
  };
  let best: { readonly types: readonly [Type, Type, Type]; readonly cost: number } | undefined;
  for (const types of candidates) {
    const wanted = [...types, types[2]];
    const cost = given.reduce((sum, type, i) => sum + costOf(type, wanted[i]!), 0);
    if (cost < (best?.cost ?? Infinity)) best = { types, cost };
  }
  return best?.types;
}

/** Where an instruction takes operands of one type only, the narrower one is extended. */
function promoteMixedOperands(root: Operation, rw: Rewriter): void {
  root.walkPostOrder((op) => {
    const dot = DotOp.match(op);
    const mma = dot && encodingParams(typeOf(dot.d).params.encoding)?.kind;
    if (!dot || (mma !== "amd_mfma" && mma !== "amd_wmma")) return;
    const [a, b] = [elementOf(dot.a), elementOf(dot.b)];
    if (a === b) return;
    const [x, y] = [bitWidth(a)!, bitWidth(b)!];
    const widest = Math.max(x, y);
    if (mma === "amd_mfma" && widest === 8) return;
    const promoted = mma === "amd_wmma" ? (x > y ? a : b) : floatType(op.ctx, widest < 16 ? "f16" : "f32");
    rw.from(op, () => {
      rw.setBefore(op);
      const promote = (src: Value): Value => rw.value(FpToFpOp, { src }, { loc: op.locRef, types: [withElementType(src.type, promoted)] });
      const lhs = promote(dot.a);
      const rhs = promote(dot.b);
      rw.setOperand(op, 0, lhs);
      rw.setOperand(op, 1, rhs);
    });
  });
}
