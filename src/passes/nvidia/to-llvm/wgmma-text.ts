import type { WGMMAOp } from "../../../dialects/nvgpu/ops/ops.js";
import type { View } from "../../../ir/define-op.js";

/**
 * The instruction of a `nvg.wgmma`, its operands numbered as inline asm has them: results, accumulators tied to them, A, B, `scale-d`.
 * `numA` is the number of registers that A is in; undefined where it is in shared memory.
 * Source: NVGPUToLLVMPass.cpp, WGMMAOpPattern::getPtxAsm.
 */
export function wgmmaText(view: View<typeof WGMMAOp>, numC: number, numA: number | undefined): string {
  const { m, n, k, opC, eltTypeA, eltTypeB, eltTypeC, layoutA, layoutB } = view;
  let next = 0;
  const operand = (): string => `$${next++}`;
  const list = (count: number): string => `{${Array.from({ length: count }, operand).join(",")}}`;
  const args = [list(numC)];
  if (opC) next += numC;
  args.push(numA === undefined ? operand() : list(numA), operand(), opC ? operand() : "0");
  // Factors of A and B, for floats only; then which is transposed, for those of 16 bits only.
  if (eltTypeA !== "s8") args.push("1", "1");
  if (eltTypeA === "f16" || eltTypeA === "bf16") {
    if (numA === undefined) args.push(layoutA === "col" ? "1" : "0");
    args.push(layoutB === "row" ? "1" : "0");
  }
  return `wgmma.mma_async.sync.aligned.m${m}n${n}k${k}.${eltTypeC}.${eltTypeA}.${eltTypeB} ${args.join(", ")};`;
}
