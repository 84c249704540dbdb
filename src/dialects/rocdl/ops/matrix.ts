/** Matrix products by the lanes of a wave (MFMA), and reads that transpose: they differ by their names. Source: ROCDLOps.td. */
import { variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { ALIAS_ATTRS } from "../../llvm/constraints.js";
import { LLVMType, pointerIn } from "../../llvm/type-constraints.js";

const FP8 = ["fp8.fp8", "fp8.bf8", "bf8.fp8", "bf8.bf8"];
const PRODUCTS: readonly string[] = [
  "f64.16x16x4f64",
  ...["32x32x2f32", "16x16x4f32", "4x4x1f32", "16x16x8.xf32", "32x32x4.xf32"].map((shape) => `f32.${shape}`),
  ...["32x32x16.f16", "32x32x8f16", "16x16x32.f16", "16x16x16f16", "4x4x4f16"].map((shape) => `f32.${shape}`),
  ...["32x32x16.bf16", "32x32x8bf16.1k", "32x32x4bf16.1k", "16x16x32.bf16", "16x16x16bf16.1k", "16x16x8bf16", "4x4x4bf16.1k"].map(
    (shape) => `f32.${shape}`,
  ),
  ...FP8.flatMap((types) => [`f32.32x32x16.${types}`, `f32.16x16x32.${types}`]),
  ...["32x32x32.i8", "32x32x16.i8", "32x32x8i8", "16x16x64.i8", "16x16x32.i8", "16x16x16i8", "4x4x4i8"].map((shape) => `i32.${shape}`),
  ...["16x16x128.f8f6f4", "32x32x64.f8f6f4"].map((shape) => `scale.f32.${shape}`),
];

/** Without effects that are known, as upstream: accesses before and after one are not taken for the same. */
const mfma = (name: string) =>
  defineOp(`rocdl.mfma.${name}`, () => ({
    summary: "matrix product of a wave",
    operands: { args: variadic(LLVMType) },
    results: { res: LLVMType },
    format: "$args attr-dict `:` functional-type($args, $res)",
  }));
const transposedRead = (name: string) =>
  defineOp(`rocdl.ds.read.${name}`, () => ({
    summary: "read of shared memory, transposed between lanes",
    operands: { ptr: pointerIn(3) },
    attrs: ALIAS_ATTRS,
    results: { res: LLVMType },
    format: "$ptr attr-dict `:` type($ptr) `->` type($res)",
    effects: ({ ptr }) => [{ kind: "read", value: ptr }],
  }));

/** By what follows `rocdl.`. */
export const MATRIX: Readonly<Record<string, ReturnType<typeof mfma>>> = Object.fromEntries(
  PRODUCTS.map((name) => [`mfma.${name}`, mfma(name)] as const),
);
/** By what follows `rocdl.ds.read.`. */
export const TRANSPOSED_READS: Readonly<Record<string, ReturnType<typeof transposedRead>>> = Object.fromEntries(
  ["tr4.b64", "tr6.b96", "tr8.b64", "tr16.b64"].map((name) => [name, transposedRead(name)] as const),
);
