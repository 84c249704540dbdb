/** The rules by which LLVM's ops are inlined. Source: mlir/lib/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.cpp. */
import type { InlinerHooks } from "../../ir/define-dialect.js";
import { CallOp } from "./ops/calls.js";
import { BrOp, ReturnOp } from "./ops/control-flow.js";
import { LLVMFuncOp, passthroughHas } from "./ops/functions.js";
import { AllocaOp } from "./ops/memory.js";
import { LLVMFunctionType } from "./types/types.js";

/** Ops whose function others refer to, or whose arguments have no number. */
const BOUND_TO_FUNCTION = ["llvm.blocktag", "llvm.intr.vastart"];
const NOT_INLINED = ["noduplicate", "presplitcoroutine", "returns_twice", "strictfp"];

export const llvmInliner: InlinerHooks = {
  isLegalToInline: (op) => !BOUND_TO_FUNCTION.includes(op.name),
  shouldInlineCall(call, callee) {
    const [callView, func] = [CallOp.match(call), LLVMFuncOp.match(callee)];
    if (!callView || !func || callView.no_inline || func.no_inline) return false;
    const type = func.function_type;
    if (LLVMFunctionType.is(type) && type.params.varArg) return false;
    if (NOT_INLINED.some((name) => passthroughHas(func.passthrough, name))) return false;
    // Upstream moves stack memory to the caller's entry, with marks for its lifetime: such a call stays here.
    return !callee.walk((op) => (AllocaOp.is(op) ? "interrupt" : undefined));
  },
  handleTerminator(b, op, values, continueAt) {
    if (!ReturnOp.is(op)) return;
    if (continueAt) {
      b.create(BrOp, { destOperands: op.operands, dest: continueAt }, { loc: op.locRef });
      op.erase();
    } else op.operands.forEach((operand, i) => values[i]!.replaceAllUsesWith(operand));
  },
};
