/** Dots: by matrix instructions where the result has a layout of theirs, else by dot products and multiply-adds of a lane. */
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../../ir/attribute.js";
import { FloatType, i32, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { lowerFmaDot } from "../../ttg-to-llvm/fma-dot.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { lowerMfma, lowerScaledMfma } from "./mfma.js";
import { lowerScaledWmma, lowerWmma } from "./wmma.js";

const encodingOf = (value: Value) => distributedParams((value.type as TensorType).params.encoding)!;
const UNKNOWN = (kind: string): string => `a dot whose result has a ${kind} layout cannot be lowered`;

/** An intrinsic that multiplies and adds: of vectors of `count` elements where there is one. */
interface MultiplyAdd {
  readonly name: string;
  readonly count: number;
}
/** Source: third_party/amd/lib/TritonAMDGPUToLLVM/DotOpToLLVM/FMA.cpp. */
function multiplyAddOf({ a, d }: View<typeof DotOp>, { target }: Lowering): MultiplyAdd | undefined {
  const [x, sum] = [a, d].map((value) => (value.type as TensorType).params.elementType) as [Type, Type];
  if (target.family !== "RDNA1" && target.family !== "GFX1250") {
    if (isFloat(x, "f16") && isFloat(sum, "f32")) return { name: "llvm.amdgcn.fdot2", count: 2 };
    if (isFloat(x, "bf16") && isFloat(sum, "f32")) return { name: "llvm.amdgcn.fdot2.f32.bf16", count: 2 };
    if (isInteger(x, 8) && isInteger(sum, 32)) return { name: "llvm.amdgcn.sdot4", count: 4 };
  }
  const hasFma = x === sum && FloatType.is(x) && ["f64", "f32", "f16"].includes(x.params.kind);
  return hasFma ? { name: `llvm.fmuladd.${x.params.kind}`, count: 1 } : undefined;
}
function lowerFma(lo: Lowering, view: View<typeof DotOp>): false | void {
  const { b, ctx } = lo;
  const { op, a, d } = view;
  const intrinsic = multiplyAddOf(view, lo);
  if (!intrinsic) {
    const [x, sum] = [a, d].map((value) => typeText((value.type as TensorType).params.elementType));
    return lo.fail(op, `no instruction of ${lo.target.arch} multiplies elements of type ${x} and adds to ${sum}`, "lower.fma");
  }
  const { name, count } = intrinsic;
  const encoding = encodingOf(d);
  if (encoding.kind !== "blocked") return lo.fail(op, UNKNOWN(encoding.kind), "lower.mma");
  const pack = (values: readonly Value[]): Value => {
    if (count === 1) return values[0]!;
    const vector = b.packVector(values);
    return count === 4 ? b.bitcast(vector, i32(ctx)) : vector;
  };
  return lowerFmaDot(lo, view, encoding, (row, column, start) => {
    let sum = start;
    for (let k = 0; k < row.length; k += count) {
      const args = [pack(row.slice(k, k + count)), pack(column.slice(k, k + count)), sum];
      sum = b.intrinsic(name, sum.type, count === 1 ? args : [...args, b.i1(false)])!;
    }
    return sum;
  });
}

export const DOTS: readonly LoweringRule[] = [
  rule(DotOp, (view, lo: Lowering) => {
    const encoding = encodingOf(view.d);
    if (encoding.kind === "amd_mfma") return lowerMfma(lo, view.op, encoding);
    return encoding.kind === "amd_wmma" ? lowerWmma(lo, view.op, encoding) : lowerFma(lo, view);
  }),
  rule(DotScaledOp, ({ op, d }, lo) => {
    const encoding = encodingOf(d);
    if (encoding.kind === "amd_mfma") return lowerScaledMfma(lo, op, encoding);
    return encoding.kind === "amd_wmma" ? lowerScaledWmma(lo, op, encoding) : lo.fail(op, UNKNOWN(encoding.kind), "lower.mma");
  }),
];
