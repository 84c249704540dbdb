/**
 * Dots of blocks done by mma.sync (sm_120), which takes the scales in registers.
 * Source: lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp, ScaledBlockedToMMA.
 */

import { valueLocation } from "../../../dialects/scf/build.js";
import { DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LinearEncoding } from "../../../dialects/ttg/encodings/linear.js";
import { enclosingModule, getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import { bitWidth, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { dotScaledScaleLayout } from "../../../layout/encodings/dot-operand.js";
import type { Explain } from "../../../pass/remark.js";
import { pattern } from "../../../rewrite/pattern.js";
import { convertLayout } from "../../ttg/distributed-op-encoding.js";
import { explainScaledMma } from "./explain-matmul.js";
import { mmaEncoding } from "./mma-layout.js";
import { dotOperand } from "./mma-operands.js";

const typeOf = (value: Value): TensorType => value.type as TensorType;

export const scaledBlockedToMMA = (gpu: GpuTarget, accelerated: () => void, explain: Explain | undefined) =>
  pattern(
    "scaled-blocked-to-mma",
    DotScaledOp,
    (dot, rw) => {
      const { op, a, b, d, a_scale, b_scale, a_elem_type, b_elem_type } = dot;
      if (!gpu.scaledMmaSync) return rw.noMatch("mma.sync takes no scales");
      if (getNumCTAs(enclosingModule(op)) !== 1) return rw.noMatch("several CTAs share it");
      if (!a_scale || !b_scale) return rw.noMatch("a scale is missing");
      const scales = [a_scale, b_scale];
      if (scales.some((scale) => LinearEncoding.is(typeOf(scale).params.encoding))) return rw.noMatch("its scales have their layout");
      const kinds = new Set([a_elem_type, b_elem_type].map((type) => OPERANDS[type]));
      if (kinds.has("fp8") && kinds.has("fp4")) return rw.noMatch("fp8 and fp4 are not mixed");
      if (typeOf(a_scale).params.elementType !== typeOf(b_scale).params.elementType) return rw.noMatch("the types of its scales differ");

      const mma = mmaEncoding(op, 2);
      const type = withEncoding(typeOf(d), encodingAttr(rw.ctx, mma));
      const c = rw.value(ConvertLayoutOp, { src: dot.c }, { loc: valueLocation(dot.c), types: [type] });
      const width = Math.min(...[a, b].map((value) => bitWidth(typeOf(value).params.elementType)!));
      const [lhs, rhs] = [a, b].map((value, opIdx) => dotOperand(rw, value, opIdx, width, mma)) as [Value, Value];
      const [aScale, bScale] = scales.map((scale, opIdx) => {
        const { shape, encoding } = typeOf(scale).params;
        const layout = dotScaledScaleLayout(shape, opIdx, mma.warpsPerCTA, getCTALayout(distributedParams(encoding)!)!);
        return convertLayout(rw, scale, encodingAttr(rw.ctx, { kind: "linear", layout }), valueLocation(scale));
      });
      explain?.(op, "matmul.mma", explainScaledMma([a_elem_type, b_elem_type], mma));
      accelerated();
      const { fastMath, lhs_k_pack, rhs_k_pack } = dot;
      const operands = { a: lhs, b: rhs, c, a_scale: aScale, b_scale: bScale };
      const product = rw.value(DotScaledOp, { ...operands, a_elem_type, b_elem_type, fastMath, lhs_k_pack, rhs_k_pack }, { types: [type] });
      rw.replaceWith(op, ConvertLayoutOp, { src: product }, { types: [d.type] });
      return true;
    },
    { benefit: 10 },
  );

const OPERANDS: Readonly<Record<string, "fp8" | "fp4">> = { e4m3: "fp8", e5m2: "fp8", e2m1: "fp4" };
