import { InlineAsmOp } from "../../../dialects/llvm/ops/inline-asm.js";
import * as nvvm from "../../../dialects/nvvm/ops/synchronization.js";
import { stringAttr } from "../../../ir/builtin-attrs.js";
import type { OpDef, TypedOpDef, ViewOf } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";

/** Tries until the phase is over. */
const tryWait = (space: string): string =>
  [
    "{",
    ".reg .pred       P1; ",
    "LAB_WAIT: ",
    `mbarrier.try_wait.parity${space}.b64 P1, [$0], $1, $2; `,
    "@P1 bra.uni DONE; ",
    "bra.uni     LAB_WAIT; ",
    "DONE: ",
    "}",
  ].join("\n\t");

interface PtxRule {
  readonly def: OpDef;
  /** The instruction and the register class of each operand; undefined where an op stays as it is. */
  readonly ptx: (op: Operation) => { readonly asm: string; readonly constraints: string } | undefined;
}
function rule<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, asm: (view: ViewOf<O, A, R, G, S>) => string, constraints = ""): PtxRule {
  return { def, ptx: (op) => ({ asm: asm(def.viewOf(op) as ViewOf<O, A, R, G, S>), constraints }) };
}
/** `mbarrier.arrive.expect_tx`, with a predicate or without. */
function expectTx(def: OpDef, space: string, address: string): PtxRule {
  const asm = `mbarrier.arrive.expect_tx${space}.b64 _, [$0], $1;`;
  return {
    def,
    ptx: ({ numOperands }) =>
      numOperands === 3 ? { asm: `@$2 ${asm}`, constraints: `${address},r,b` } : { asm, constraints: `${address},r` },
  };
}

/** Ops that have no LLVM intrinsic. Source: NVVMOps.td, getPtx. */
const RULES: ReadonlyMap<OpDef, PtxRule> = new Map(
  [
    rule(nvvm.FenceMbarrierInitOp, () => "fence.mbarrier_init.release.cluster;"),
    rule(nvvm.FenceProxyOp, ({ kind, space }) =>
      kind === "async.shared" ? `fence.proxy.async.shared::${space};` : `fence.proxy.${kind};`,
    ),
    rule(nvvm.MBarrierTryWaitParityOp, () => tryWait(""), "l,r,r"),
    rule(nvvm.MBarrierTryWaitParitySharedOp, () => tryWait(".shared"), "r,r,r"),
    expectTx(nvvm.MBarrierArriveExpectTxOp, "", "l"),
    expectTx(nvvm.MBarrierArriveExpectTxSharedOp, ".shared", "r"),
  ].map((entry) => [entry.def, entry]),
);

export const convertNVVMToLLVM = definePass("convert-nvvm-to-llvm", {
  name: "ConvertNVVMToLLVMPass",
  summary: "Convert NVVM to PTX with Inline Assembly in LLVM dialect",
  source: "mlir/lib/Conversion/NVVMToLLVM/NVVMToLLVM.cpp, mlir/lib/Dialect/LLVMIR/IR/BasicPtxBuilderInterface.cpp",
  statistics: { converted: "instructions written as inline asm" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      const ptx = root.ctx.triton.fencesForReads && nvvm.FenceProxyOp.is(op) ? undefined : RULES.get(op.def)?.ptx(op);
      if (!ptx) return;
      count("converted");
      rw.from(op, () => {
        rw.setBefore(op).create(
          InlineAsmOp,
          {
            operands: op.operands,
            asm_string: stringAttr(root.ctx, ptx.asm),
            constraints: stringAttr(root.ctx, ptx.constraints),
            has_side_effects: true,
            asm_dialect: "att",
          },
          { loc: op.locRef, types: [] },
        );
        rw.erase(op);
      });
    });
  },
});
