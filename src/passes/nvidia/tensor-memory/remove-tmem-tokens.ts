import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { dictWith, i32ArrayAttr, intsOf } from "../../../ir/builtin-attrs.js";
import type { OpDef } from "../../../ir/define-op.js";
import { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";

export const removeTmemTokens = definePass("triton-nvidia-gpu-remove-tmem-tokens", {
  name: "TritonNvidiaGPURemoveTMEMTokensPass",
  summary: "remove TMEM tokens",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/RemoveTMEMTokens.cpp",
  statistics: { tokens: "tokens removed" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    for (const func of root.regions[0]!.firstBlock!.ops()) {
      const entry = FuncOp.is(func) ? func.regions[0]!.firstBlock : undefined;
      if (!entry) continue;
      const types = [AsyncTokenType.get(root.ctx, {})];
      const dummy = rw.setStart(entry).value(PoisonOp, {}, { loc: func.locRef, types });
      const ops: Operation[] = [];
      func.walkPostOrder((op) => void ops.push(op));
      for (const op of ops) if (removeToken(rw, op, dummy)) count("tokens");
    }
  },
});

/** The op waits for no token. */
export function clearTokenOperand(op: Operation): void {
  const mma = TCGen5MMAOp.match(op) ?? TCGen5MMAScaledOp.match(op);
  const dep = mma ? mma.acc_dep : (TMEMStoreOp.match(op) ?? TMEMLoadOp.match(op))?.dep;
  if (!dep) return;
  const at = op.operands.indexOf(dep);
  op.eraseOperands(new Set([at]));
  // Only the instructions have segments; the token is their fourth operand.
  if (mma) op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, intsOf(op.attr("operandSegmentSizes"))!.with(3, 0)));
}

const TOKEN_OPS: readonly OpDef[] = [TCGen5MMAOp, TCGen5MMAScaledOp, TMEMAllocOp, TMEMLoadOp, TMEMStoreOp];
/** Returns whether the op made a token. */
function removeToken(rw: Rewriter, op: Operation, dummy: Value): boolean {
  if (!TOKEN_OPS.includes(op.def)) return false;
  clearTokenOperand(op);
  const token = op.results.find(({ type }) => AsyncTokenType.is(type));
  if (!token) return false;
  const resultTypes = op.resultTypes.filter((type) => !AsyncTokenType.is(type));
  // Only loads have segments of results.
  const load = TMEMLoadOp.match(op);
  const attrs = load ? dictWith(op.attrs, "resultSegmentSizes", i32ArrayAttr(op.ctx, [1, 0, load.red ? 1 : 0])) : op.attrs;
  const made = rw.from(op, () => new Operation(op.ctx, op.def, { loc: op.locRef, operands: op.operands, resultTypes, attrs }));
  rw.setBefore(op).insert(made);
  const values = [...made.results];
  values.splice(token.index, 0, dummy);
  rw.replace(op, values);
  return true;
}
