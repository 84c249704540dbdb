import * as arith from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { TransOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { targetOf } from "../../../dialects/ttg/target.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, FloatType, floatType, isFloat, type TensorType, withElementType, withEncoding } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { dotOperandFor } from "../../../layout/encodings/dot-operand.js";
import { isHopper } from "../../../layout/encodings/nvidia-mma.js";
import { definePass, type PassReport } from "../../../pass/define-pass.js";
import type { Explain } from "../../../pass/remark.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { decomposeScaledDot } from "../../ttg/decompose-scaled-dot.js";
import { explainFma, explainMma, unmetConditions } from "./explain-matmul.js";
import { computeOrigBitWidth, mmaEncoding } from "./mma-layout.js";
import { dotOperand, mmaVersionFor, sharedMMAOperand } from "./mma-operands.js";
import { scaledBlockedToMMA } from "./scaled-dot.js";
import { blockedToMMAv5, scaledBlockedToMMAv5 } from "./tcgen05.js";

export const accelerateMatmul = definePass("tritongpu-accelerate-matmul", {
  name: "TritonGPUAccelerateMatmul",
  summary: "accelerate matmul",
  source: "lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp",
  statistics: { accelerated: "dots given to tensor cores" },
  run(root, { listener, report, count, explain }) {
    const gpu = targetOf(root);
    if (!gpu) return report.error(root, "Expected a target attribute on the module operation");
    transposeScaledDots(root, new Rewriter(root.ctx, listener));
    const once = explain && explainOnce(explain);
    const toMMA = blockedToMMA(gpu, report, () => count("accelerated"), once);
    const v5 = [blockedToMMAv5(gpu, report, once), scaledBlockedToMMAv5(gpu, report, once)];
    const scaled = scaledBlockedToMMA(gpu, () => count("accelerated"), once);
    applyPatternsGreedily(root, [toMMA, scaled, decomposeScaledDot, ...v5], { listener });
    decomposeMixedModeDots(root, gpu, new Rewriter(root.ctx, listener), report);
  },
});

const typeOf = (value: Value): TensorType => value.type as TensorType;
const elementOf = (value: Value): Type => typeOf(value).params.elementType;

// --- choosing the instruction --------------------------------------------------------------------

/** A dot may be visited more than once. */
function explainOnce(explain: Explain): Explain {
  const told = new Set<Operation>();
  return (op, code, text) => {
    if (told.has(op)) return;
    told.add(op);
    explain(op, code, text);
  };
}

const blockedToMMA = (gpu: GpuTarget, report: PassReport, accelerated: () => void, explain: Explain | undefined) =>
  pattern("blocked-to-mma", DotOp, (dot, rw) => {
    const { op, a, b, d } = dot;
    const target = `sm_${gpu.capability}`;
    const declined = (...unmet: readonly string[]) => explain?.(op, "matmul.declined", explainFma(unmet));
    if (gpu.mmaVersions.length === 0) {
      declined(`Triton uses tensor cores from sm_80 on, and this is ${target}`);
      report.remark(op, `Dot op using MMA for compute capability ${gpu.capability} has been deprecated. It falls back to the FMA path.`);
      return rw.noMatch("tensor cores before sm_80 are not used");
    }
    const result = encodingParams(typeOf(d).params.encoding);
    if (!result || result.kind === "nvidia_mma") return rw.noMatch("the result has no layout or that of an instruction");
    const { smallF64Dots } = rw.ctx.triton;
    const takesF64 = gpu.f64Mma || (smallF64Dots && gpu.mmaVersions.includes(5));
    if ([a, b, d].some((v) => isFloat(elementOf(v), "f64")) && !takesF64) {
      const more = smallF64Dots ? ", sm_90 and sm_100" : " and sm_90";
      declined(`tensor cores take f64 on sm_80${more} only, and this is ${target}`);
      return rw.noMatch("f64 tensor cores are slow on this GPU");
    }
    const version = mmaVersionFor(op, gpu, report);
    if (version === 0) declined(...unmetConditions(dot, 2));
    if (version !== 2 && version !== 3) return rw.noMatch(version === 0 ? "types or shape are not supported" : "for tcgen05");

    const mma = mmaEncoding(op, version);
    if (explain) {
      const passedOver = gpu.mmaVersions.slice(0, gpu.mmaVersions.indexOf(version));
      const kWidth = version === 2 ? [dotOperandFor(0, mma, operandWidth(dot)).kWidth] : [];
      explain(op, "matmul.mma", explainMma(dot, mma, kWidth, passedOver));
    }
    const type = withEncoding(typeOf(d), encodingAttr(rw.ctx, mma));
    const acc = rw.value(ConvertLayoutOp, { src: dot.c }, { loc: valueLocation(dot.c), types: [type] });
    const { inputPrecision, maxNumImpreciseAcc } = dot;
    let product: Value;
    if (version === 3) {
      const allowTranspose = isFloat(elementOf(a), "f16") || isFloat(elementOf(a), "bf16");
      const inShared = (value: Value, opIdx: 0 | 1) => sharedMMAOperand(rw, value, { opIdx, allowTranspose, dot: op, report });
      const lhs = comesFromLoadOrBlockArg(a) ? inShared(a, 0) : dotOperand(rw, a, 0, bitWidth(elementOf(a))!, mma);
      const rhs = inShared(b, 1);
      product = rw.value(WarpGroupDotOp, { a: lhs, b: rhs, c: acc, inputPrecision, maxNumImpreciseAcc, isAsync: false }, { types: [type] });
    } else {
      const width = operandWidth(dot);
      const lhs = dotOperand(rw, a, 0, width, mma);
      const rhs = dotOperand(rw, b, 1, width, mma);
      product = rw.value(DotOp, { a: lhs, b: rhs, c: acc, inputPrecision, maxNumImpreciseAcc }, { types: [type] });
    }
    accelerated();
    rw.replaceWith(op, ConvertLayoutOp, { src: product }, { types: [d.type] });
    return true;
  });

/** Bits of an operand's element before it was extended: what threads hold side by side is counted in these. */
const operandWidth = ({ a, b }: View<typeof DotOp>): number => Math.min(computeOrigBitWidth(a), computeOrigBitWidth(b));

/** Whether a value is loaded, conversions and transpositions aside; block arguments count as loaded. */
export function comesFromLoadOrBlockArg(value: Value): boolean {
  let at = value;
  for (let def = at.definingOp; def; def = at.definingOp) {
    if (!ConvertLayoutOp.is(def) && !TransOp.is(def) && !def.def.traits.has(MemDescViewTrait)) break;
    at = def.operand(0);
  }
  const def = at.definingOp;
  return !def || LoadOp.is(def) || DescriptorLoadOp.is(def) || DescriptorGatherOp.is(def);
}

// --- before and after -----------------------------------------------------------------------------

/** dot_scaled(a, b scale) -> trans(dot_scaled(trans(b) scale, trans(a))): only a scale of the left side is decomposed well. */
function transposeScaledDots(root: Operation, rw: Rewriter): void {
  const dots: Operation[] = [];
  root.walkPostOrder((op) => {
    const dot = DotScaledOp.match(op);
    if (dot && !dot.a_scale && dot.b_scale) dots.push(op);
  });
  const order = [1, 0];
  for (const op of dots)
    rw.from(op, () => {
      const dot = DotScaledOp.match(op)!;
      rw.setBefore(op);
      const trans = (src: Value): Value => rw.value(TransOp, { src, order }, { loc: valueLocation(src) });
      const lhs = trans(dot.a);
      const rhs = trans(dot.b);
      const c = trans(dot.c);
      const { a_elem_type, b_elem_type, b_scale: a_scale, a_scale: b_scale, fastMath } = dot;
      const product = rw.value(
        DotScaledOp,
        { a: rhs, b: lhs, c, a_scale, b_scale, a_elem_type: b_elem_type, b_elem_type: a_elem_type, fastMath },
        { loc: op.locRef, types: [c.type] },
      );
      rw.replace(op, trans(product));
    });
}

/** Operands of types that the instruction chosen does not take are promoted: fp8 to f16, for FMA anything to the result's type. */
function decomposeMixedModeDots(root: Operation, gpu: GpuTarget, rw: Rewriter, report: PassReport): void {
  root.walkPostOrder((op) => {
    const dot = DotOp.match(op);
    if (!dot) return;
    const element = elementOf(dot.a);
    const mma = encodingParams(typeOf(dot.d).params.encoding);
    let promoted: Type;
    if (mma?.kind === "nvidia_mma") {
      const isNativeFp8 = isFloat(element, "f8E5M2") || isFloat(element, "f8E4M3FN");
      // Elsewhere mma on fp8 is emulated.
      const takesFp8 = gpu.fp8MmaSync || isHopper(mma);
      if (!isNativeFp8 || takesFp8) return;
      promoted = floatType(op.ctx, "f16");
    } else {
      promoted = elementOf(dot.d);
      if (element === promoted) return;
      // Integers stay what they are: a dot of other ones than it sums is for tensor cores alone.
      if (!FloatType.is(element) || !FloatType.is(promoted)) {
        const message = `without tensor cores a dot of ${typeText(element)} cannot be summed in ${typeText(promoted)}: convert its operands to ${typeText(promoted)}`;
        return report.error(op, message, "pass.dot-operands");
      }
    }
    rw.from(op, () => {
      rw.setBefore(op);
      const promote = (value: Value): Value => {
        const options = { loc: op.locRef, types: [withElementType(value.type, promoted)] };
        return isFloat8(elementOf(value)) ? rw.value(FpToFpOp, { src: value }, options) : rw.value(arith.ExtFOp, { in: value }, options);
      };
      const a = promote(dot.a);
      const b = promote(dot.b);
      rw.setOperand(op, 0, a);
      rw.setOperand(op, 1, b);
    });
  });
}
const FLOAT8 = new Set(["f8E4M3B11FNUZ", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"]);
const isFloat8 = (type: Type): boolean => FloatType.is(type) && FLOAT8.has(type.params.kind);
