import * as arith from "../../dialects/arith/ops/index.js";
import * as math from "../../dialects/math/ops/index.js";
import { valueLocation } from "../../dialects/scf/build.js";
import { BitcastOp, FpToFpOp, IntToPtrOp, PtrToIntOp } from "../../dialects/tt/ops/cast.js";
import { ExternElementwiseOp } from "../../dialects/tt/ops/elementwise.js";
import { StoreOp } from "../../dialects/tt/ops/memory.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../ir/attribute.js";
import { encodingOf, isFloat, type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { amdMfmaToLinearLayout } from "../../layout/encodings/amd-mfma.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import { convertLayout } from "../ttg/distributed-op-encoding.js";

export const optimizeEpilogue = definePass("tritonamdgpu-optimize-epilogue", {
  name: "TritonAMDGPUOptimizeEpilogue",
  summary: "Optimize epilogue: (1) Store accumulators directly without going thorough SMEM in epilogue.",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/OptimizeEpilogue.cpp",
  run(root, { listener }) {
    applyPatternsGreedily(root, [bypassSharedMemory], { listener });
  },
});

/** store(p, f(cvt(x : #mma) : #blocked)) -> store(cvt(p), f(x)) in #mma, or in a layout next to it that stores more at once */
const bypassSharedMemory = pattern("bypass-epilogue-smem", StoreOp, (store, rw) => {
  const { op, ptr, value, mask, cache, evict } = store;
  if (![ptr, value].every(({ type }) => encodingParams(encodingOf(type))?.kind === "blocked"))
    return rw.noMatch("no tensors in blocked layouts", op);
  const chain: Operation[] = [];
  let source = value;
  while (!ConvertLayoutOp.is(source.definingOp)) {
    const by = source.definingOp;
    if (!by || !(by.results.length === 1 && source.hasOneUse()) || !isUnary(by))
      return rw.noMatch("no chain of unary ops from a conversion", op);
    chain.push(by);
    source = by.operand(0);
  }
  const convert = ConvertLayoutOp.match(source.definingOp)!;
  const encoding = encodingOf(convert.src.type)!;
  const kind = encodingParams(encoding)?.kind;
  if (kind !== "amd_mfma" && kind !== "amd_wmma" && kind !== "nvidia_mma")
    return rw.noMatch("the source has no layout of matrix instructions", op);
  if (!source.hasOneUse()) return rw.noMatch("the conversion has several users", op);
  const to = (from: Value, layout: Attribute): Value => convertLayout(rw, from, layout, valueLocation(from));
  let parts = { ptr: to(ptr, encoding), value: convert.src, mask };
  for (const by of chain.reverse()) {
    by.setOperand(0, parts.value);
    parts.value = by.result(0);
    by.setResultType(0, withEncoding(parts.value.type as TensorType, encoding));
  }
  if (mask) parts.mask = to(mask, encoding);
  const wide = wideStoreLayout(parts.value.type as TensorType);
  if (wide) {
    const layout = encodingAttr(rw.ctx, { kind: "linear", layout: wide });
    const [p, v] = [to(parts.ptr, layout), to(parts.value, layout)];
    parts = { ptr: p, value: v, mask: parts.mask && to(parts.mask, layout) };
  }
  rw.replaceWith(op, StoreOp, { ...parts, cache, evict });
  return true;
});

const UNARY: ReadonlySet<OpDef> = new Set<OpDef>([
  arith.ExtFOp,
  arith.ExtSIOp,
  arith.ExtUIOp,
  arith.FPToSIOp,
  arith.FPToUIOp,
  arith.NegFOp,
  arith.SIToFPOp,
  arith.TruncFOp,
  arith.TruncIOp,
  arith.UIToFPOp,
  math.AbsFOp,
  math.AbsIOp,
  math.AtanOp,
  math.Atan2Op,
  math.CeilOp,
  math.CosOp,
  math.SinOp,
  math.CountLeadingZerosOp,
  math.CountTrailingZerosOp,
  math.CtPopOp,
  math.ErfOp,
  math.ExpOp,
  math.Exp2Op,
  math.ExpM1Op,
  math.FloorOp,
  math.LogOp,
  math.Log10Op,
  math.Log1pOp,
  math.Log2Op,
  math.SqrtOp,
  math.RsqrtOp,
  math.TanhOp,
  IntToPtrOp,
  PtrToIntOp,
  BitcastOp,
  FpToFpOp,
]);
function isUnary(op: Operation): boolean {
  return UNARY.has(op.def) || (ExternElementwiseOp.match(op)?.pure === true && op.numOperands === 1);
}

/**
 * The layout in which a thread stores 8 halves at once: lanes that are neighbours in the MFMA layout swap 4 of them.
 * Undefined where the layout has no such neighbours. Source: lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, chooseMfmaLikeStoreLayout.
 */
function wideStoreLayout({ params: { shape, elementType, encoding } }: TensorType): LinearLayout | undefined {
  const mfma = encodingParams(encoding);
  if (mfma?.kind !== "amd_mfma" || mfma.version !== 4 || !mfma.isTransposed || shape.length !== 2) return undefined;
  if (!isFloat(elementType, "f16") && !isFloat(elementType, "bf16")) return undefined;
  const isSquare = (size: number): boolean => mfma.instrShape[0] === size && mfma.instrShape[1] === size;
  const fits = isSquare(32) || (isSquare(16) && shape[1]! >= 32 && mfma.warpsPerCTA.at(-1) === 1);
  if (!fits) return undefined;
  const layout = amdMfmaToLinearLayout(shape, mfma);
  const [dimM, dimN] = layout.outDimNames as [string, string];
  const columns = Array.from({ length: Math.log2(layout.getOutDimSize(dimN)) }, (_, i) => [1 << i]);
  const other = isSquare(32) ? 3 : 4;
  [columns[2], columns[other]] = [columns[other]!, columns[2]!];
  const swap = LinearLayout.identity1D(shape[0]!, dimM, dimM).multiply(LinearLayout.fromBases([[dimN, columns]], [dimN]));
  return layout.compose(swap);
}
