/**
 * Dots: on tensor cores where the result has a layout of theirs, else by multiplying and adding.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM.cpp.
 */
import * as ll from "../../../dialects/llvm/ops/index.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { DotI8Op } from "../../../dialects/tti/ops/instrument.js";
import type { Type } from "../../../ir/attribute.js";
import { FloatType, type TensorType } from "../../../ir/builtin-types.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { lowerFmaDot } from "../../ttg-to-llvm/fma-dot.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { lowerDotI8, lowerMmaScaled, lowerMmaV2 } from "./dot-mma-v2.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

const encodingOf = (value: Value) => distributedParams((value.type as TensorType).params.encoding)!;

export const DOTS: readonly LoweringRule[] = [
  rule(DotOp, (view, lo) => {
    const { op, a, b, d } = view;
    const encoding = encodingOf(d);
    if (encoding.kind === "nvidia_mma") {
      if (encoding.versionMajor === 2) return lowerMmaV2(lo, op);
      const what = encoding.versionMajor < 2 ? "Volta's, and sm_75 is the oldest target" : "made by ttng.warp_group_dot";
      return lo.fail(op, `a dot of mma version ${encoding.versionMajor} cannot be lowered: such instructions are ${what}`, "lower.mma");
    }
    const [x, y, sum] = [a, b, d].map((value) => (value.type as TensorType).params.elementType) as [Type, Type, Type];
    if (encoding.kind === "blocked" && (x !== sum || y !== sum))
      return lo.fail(
        op,
        `multiply-adds take operands of the type that they sum, ${typeText(sum)}, and these are ${typeText(x)} and ${typeText(y)}`,
        "lower.fma",
      );
    if (encoding.kind !== "blocked") return lo.fail(op, `a dot whose result has a ${encoding.kind} layout cannot be lowered`, "lower.mma");
    return lowerFmaDot(lo, view, encoding, (row, column, start) =>
      row.reduce((total, x, k) => multiplyAdd(lo, x, column[k]!, total), start),
    );
  }),
  rule(DotScaledOp, ({ op }, lo) => lowerMmaScaled(lo, op)),
  rule(DotI8Op, ({ op }, lo) => lowerDotI8(lo, op)),
];

const multiplyAdd = ({ b }: Lowering, x: Value, y: Value, sum: Value): Value =>
  FloatType.is(sum.type) ? b.op(ll.FMulAddOp, [x, y, sum], sum.type) : b.add(b.mul(x, y), sum);
