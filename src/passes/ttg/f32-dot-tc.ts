import * as arith from "../../dialects/arith/ops/index.js";
import { valueLocation } from "../../dialects/scf/build.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { ElementwiseInlineAsmOp } from "../../dialects/tt/ops/elementwise.js";
import { SplatOp } from "../../dialects/tt/ops/shape.js";
import { floatAttr } from "../../ir/builtin-attrs.js";
import { f32, floatType, isFloat, type TensorType, withElementType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

export const f32DotTC = definePass("tritongpu-F32DotTC", {
  name: "TritonGPUF32DotTC",
  summary: "emulate dot-product tensor core precision using TF32s or BF16s",
  source: "lib/Dialect/TritonGPU/Transforms/F32DotTC.cpp",
  options: { emuTF32: option.bool({ default: false, text: "emu-tf32", summary: "whether to handle InputPrecision TF32xN" }) },
  run(root, { options, listener }) {
    applyPatternsGreedily(root, options.emuTF32 ? [tf32x3, bf16xN] : [bf16xN], { listener });
  },
});

const isF32 = (value: Value): boolean => isFloat((value.type as TensorType).params.elementType, "f32");

/**
 * dot(a, b, c, tf32x3) -> big(a) * big(b) + finite(big(a) * small(b) + small(a) * big(b)) + c, where big(x) is x as tf32 and
 * small(x) = x - big(x)
 */
const tf32x3 = pattern("tf32x3", DotOp, (view, rw) => {
  const { a, b, c, maxNumImpreciseAcc } = view;
  if (view.inputPrecision !== "tf32x3" || !isF32(a) || !isF32(b)) return rw.noMatch("no f32 dot with precision tf32x3");
  const asTF32 = (value: Value): Value =>
    rw.value(
      ElementwiseInlineAsmOp,
      { args: [value], asm_string: "cvt.rna.tf32.f32 $0, $1;", constraints: "=r,r", pure: true, packed_element: 1 },
      { types: [value.type] },
    );
  const sub = (lhs: Value, rhs: Value): Value => rw.value(arith.SubFOp, { lhs, rhs });
  const product = (lhs: Value, rhs: Value, acc: Value) => dot(rw, lhs, rhs, acc, "tf32", maxNumImpreciseAcc);
  const aBig = asTF32(a);
  const aSmall = sub(a, aBig);
  const bBig = asTF32(b);
  const bSmall = sub(b, bBig);
  const dot1 = product(aSmall, bBig, zeroLike(rw, c));
  const dot2 = product(aBig, bSmall, dot1);
  // infinity * 1.0 has parts infinity * 1.0 and infinity * 0.0: the NaN of the latter must not count.
  const dot3 = product(aBig, bBig, replaceNansWithZeros(rw, dot2));
  return rw.replace(view, rw.value(arith.AddFOp, { lhs: dot3, rhs: c }));
});

const BF16_PARTS: Readonly<Record<string, number>> = { bf16x3: 2, bf16x6: 3 };

/** As `tf32x3`, with two or three parts of type bf16: 3 or 6 of the 4 or 9 products count, smallest first. */
const bf16xN = pattern("bf16xN", DotOp, (view, rw) => {
  const { a, b, c } = view;
  const count = BF16_PARTS[view.inputPrecision];
  if (!isF32(a) || !isF32(b) || !count) return rw.noMatch("no f32 dot with precision bf16xN");
  const [hi, mid, lo] = [0, 1, 2];
  const lhs = splitF32(rw, a, count);
  const rhs = splitF32(rw, b, count);
  let result = zeroLike(rw, c);
  const addProduct = (i: number, j: number): void => {
    result = dot(rw, lhs[i]!, rhs[j]!, result, "ieee", 0);
  };
  if (count === 3) {
    addProduct(mid, mid);
    addProduct(lo, hi);
    addProduct(hi, lo);
  }
  addProduct(mid, hi);
  addProduct(hi, mid);
  result = replaceNansWithZeros(rw, result);
  addProduct(hi, hi);
  return rw.replace(view, rw.value(arith.AddFOp, { lhs: result, rhs: c }));
});

/** The parts of f32 numbers as bf16, largest first. */
function splitF32(rw: Rewriter, input: Value, count: number): Value[] {
  const parts: Value[] = [];
  let rest = input;
  for (let i = 0; i < count; i++) {
    const loc = valueLocation(rest);
    const part = rw.value(arith.TruncFOp, { in: rest }, { loc, types: [withElementType(rest.type, floatType(rw.ctx, "bf16"))] });
    parts.push(part);
    if (i === count - 1) break;
    const back = rw.value(arith.ExtFOp, { in: part }, { loc, types: [withElementType(part.type, f32(rw.ctx))] });
    rest = rw.value(arith.SubFOp, { lhs: rest, rhs: back }, { loc });
  }
  return parts;
}
function dot(rw: Rewriter, a: Value, b: Value, c: Value, inputPrecision: "tf32" | "ieee", maxNumImpreciseAcc: number): Value {
  return rw.value(DotOp, { a, b, c, inputPrecision, maxNumImpreciseAcc }, { loc: valueLocation(a) });
}
function zeroLike(rw: Rewriter, value: Value): Value {
  const loc = valueLocation(value);
  const type = f32(rw.ctx);
  const zero = rw.value(arith.ConstantOp, { value: floatAttr(type, 0) }, { loc, types: [type] });
  return rw.value(SplatOp, { src: zero }, { loc, types: [value.type] });
}
function replaceNansWithZeros(rw: Rewriter, value: Value): Value {
  const loc = valueLocation(value);
  const condition = rw.value(arith.CmpFOp, { predicate: "uno", lhs: value, rhs: value }, { loc });
  return rw.value(arith.SelectOp, { condition, true_value: zeroLike(rw, value), false_value: value }, { loc });
}
