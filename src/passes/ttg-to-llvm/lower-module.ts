/**
 * From tensors in the registers of a CTA's threads to the code that one thread runs. Each function is built anew beside the old
 * one, op by op (see lowering.ts); the rules are in one file an op family, those of a vendor's GPUs in its own folder.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp.
 */

import { ALLOCATION_OFFSET, allocateSharedMemory, type ModuleAllocation } from "../../analysis/allocation.js";
import { callGraphOf } from "../../analysis/call-graph.js";
import { allocateClusterBarriers } from "../../analysis/cluster-barrier-slots.js";
import { syncClusterBarrierStarts } from "../../analysis/cluster-barrier-starts.js";
import { insertClusterBarriers } from "../../analysis/cluster-barriers.js";
import { insertBarriers } from "../../analysis/membar.js";
import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import type { ScratchSize } from "../../analysis/scratch-size.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import { GlobalOp } from "../../dialects/llvm/ops/globals.js";
import { LLVMArrayType } from "../../dialects/llvm/types/types.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { buildOperation } from "../../ir/builder.js";
import { i8, RankedTensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import type { PassContext } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { makeLLVMFunc } from "./control-flow.js";
import { Lowering, type LoweringRule, type LoweringTarget } from "./lowering.js";

/** How a vendor's pass lowers a module. */
export interface ModuleLowering<T extends LoweringTarget> {
  readonly target: T;
  readonly rules: ReadonlyMap<OpDef, LoweringRule<T>>;
  /** The shared memory that an op needs for itself, in bytes, and the flag of the pass that allocates it. */
  readonly scratchSize: ScratchSize;
  readonly allocatedBy: string;
  readonly fold: boolean;
}

/** Lowers all functions of a module in place; false after an error was reported. */
export function lowerModule<T extends LoweringTarget>(
  module: Operation,
  pass: PassContext,
  { target, rules, scratchSize, allocatedBy, fold }: ModuleLowering<T>,
): boolean {
  const funcs: Operation[] = [];
  const lowered: Operation[] = [];
  let withoutLayout: Operation | undefined;
  module.walk((op) => {
    if (FuncOp.is(op)) funcs.push(op);
    if (LLVMFuncOp.is(op)) lowered.push(op);
    if (op.results.some(({ type }) => RankedTensorType.is(type) && !type.params.encoding)) withoutLayout ??= op;
  });
  if (withoutLayout) {
    pass.report.error(withoutLayout, "its result is a tensor without a layout: run convert-triton-to-tritongpu before", "pass.layout");
    return false;
  }
  const declared = funcs.find((func) => !func.regions[0]?.firstBlock);
  if (declared) {
    pass.report.error(declared, "a function without a body cannot be lowered", "lower.unsupported");
    return false;
  }
  const recursive = callGraphOf(module).recursiveCall();
  if (recursive) {
    pass.report.error(
      recursive,
      "recursion is not supported: the call leads back into the function that it is part of",
      "lower.unsupported",
    );
    return false;
  }
  const allocation = allocateSharedMemory(module, scratchSize);
  const unplaced = withoutPlace(allocation);
  if (unplaced) {
    pass.report.error(unplaced, `no shared memory was allocated for it: run ${allocatedBy} before`, "lower.not-allocated");
    return false;
  }
  const taken = lookupSymbol(module, SHARED_MEMORY);
  if (taken) {
    pass.report.error(taken, `'${SHARED_MEMORY}' is the name of the shared memory that this pass adds`, "lower.unsupported");
    return false;
  }
  const rw = new Rewriter(module.ctx, pass.listener);
  if (module.ctx.triton.convertsAcrossCTAs && target.numCTAs > 1) {
    insertClusterBarriers(allocation, rw);
    syncClusterBarrierStarts(allocation, target.numCTAs, rw);
  }
  insertBarriers(allocation, rw, target.forms.skipBarrier);
  if (module.ctx.triton.convertsAcrossCTAs) allocateClusterBarriers(module, funcs);
  addSharedMemory(module);
  const lo = new Lowering(module, target, pass.analysis(moduleAxisInfo), rules, fold, pass.report);
  for (const func of funcs) {
    const { origin } = module.ctx;
    module.ctx.origin = func.id;
    const made = makeLLVMFunc(lo, func);
    module.ctx.origin = origin;
    if (!lo.lowerBody(func, made)) return false;
  }
  const { origin } = module.ctx;
  for (const func of lowered) if (!lo.lowerInPlace(func)) return false;
  module.ctx.origin = origin;
  for (const func of funcs) func.erase();
  return true;
}

/** An op whose lowering needs the offset of its buffer, and which has none. (Those of warp groups are needed later.) */
function withoutPlace(allocation: ModuleAllocation): Operation | undefined {
  for (const func of allocation.functions)
    for (const { kind, owner } of allocation.of(func)!.buffers)
      if (kind !== "virtual" && !owner.hasAttr(ALLOCATION_OFFSET) && !FuncOp.is(owner) && !WarpSpecializeOp.is(owner)) return owner;
  return undefined;
}

const SHARED_MEMORY = "global_smem";
/** The shared memory of a kernel: as much as the launch asks for, and aligned for accesses of 16 bytes. */
function addSharedMemory(module: Operation): void {
  const { ctx } = module;
  const array = LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: 0 });
  const args = { global_type: array, sym_name: SHARED_MEMORY, linkage: "external", addr_space: 3, alignment: 16n };
  const block = module.regions[0]!.firstBlock!;
  block.insert(buildOperation(ctx, GlobalOp, args, module.locRef, []), block.firstOp);
}
