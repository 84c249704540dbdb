import { SubOp } from "../../../dialects/llvm/ops/arithmetic.js";
import { LLVMFuncOp } from "../../../dialects/llvm/ops/functions.js";
import { firstThreadOfGroup } from "../../../dialects/ttg/num-warps.js";
import { WarpIdOp } from "../../../dialects/ttg/ops/since-3-7.js";
import {
  partitionRegionsOf,
  WarpSpecializeOp,
  WarpSpecializePartitionsOp,
  WarpYieldOp,
} from "../../../dialects/ttg/ops/warp-specialize.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { symbolVisibility } from "../../../ir/symbol-table.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { unrealizedCast } from "../../../rewrite/unrealized-casts.js";
import { reconcileUnrealizedCasts } from "../../common/reconcile-unrealized-casts.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { i32Constant } from "./constants.js";
import { lowerWarpSpecialize } from "./warp-specialize-loop.js";

export const convertWarpSpecializeToLLVM = definePass("convert-warp-specialize-to-llvm", {
  name: "ConvertWarpSpecializeToLLVM",
  summary: "lower `ttg.warp_specialize` to LLVM",
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ConvertWarpSpecializeToLLVM.cpp",
  run(root, { report, runNested, fail }) {
    root.walkPostOrder((op) => {
      if (WarpSpecializeOp.is(op) || WarpSpecializePartitionsOp.is(op) || WarpYieldOp.is(op)) convertTypes(op);
    });
    if (!runNested([reconcileUnrealizedCasts()], root)) return fail();
    countWarpsInGroups(root);
    const kernels = [...root.regions[0]!.firstBlock!.ops()].filter((op) => LLVMFuncOp.is(op) && symbolVisibility(op) === "public");
    for (const kernel of kernels) {
      const specialized: Operation[] = [];
      kernel.walkPostOrder((op) => {
        if (WarpSpecializeOp.is(op)) specialized.push(op);
      });
      const problem = specialized.length > 0 && problemOf(root, specialized);
      if (problem) return report.error(kernel, problem);
      if (specialized.length > 0) new Rewriter(root.ctx).from(kernel, () => lowerWarpSpecialize(root, kernel, specialized));
    }
  },
});

/** The number of a warp in its group: that in the CTA less that of the first one. */
function countWarpsInGroups(root: Operation): void {
  const rw = new Rewriter(root.ctx);
  const ids: Operation[] = [];
  root.walkPostOrder((op) => void (WarpIdOp.is(op) && ids.push(op)));
  for (const op of ids) {
    const first = firstThreadOfGroup(op);
    if (first === undefined) continue;
    rw.from(op, () => {
      const warp = op.result(0);
      const own = rw.setAfter(op).create(SubOp, { lhs: warp, rhs: i32Constant(rw, first / 32) }, { loc: op.locRef });
      rw.replaceUsesWhere(warp, own.res, ({ owner }) => owner !== own.op);
    });
  }
}

/** Gives an op's operands, results and arguments the types of the LLVM dialect, with casts to and from what they were. */
function convertTypes(op: Operation): void {
  const { ctx } = op;
  op.operands.forEach((operand, i) => {
    const type = convertType(operand.type);
    if (type === operand.type) return;
    const cast = unrealizedCast(ctx, op.locRef, [operand], [type]);
    op.block!.insert(cast, op);
    op.setOperand(i, cast.result(0));
  });
  const convert = (value: Value, place: (cast: Operation) => void): void => {
    const before = value.type;
    const type = convertType(before);
    if (type === before) return;
    value.setType(type);
    const cast = unrealizedCast(ctx, op.locRef, [value], [before]);
    place(cast);
    value.replaceUsesWhere(cast.result(0), (use) => use.owner !== cast);
  };
  for (const region of op.regions) {
    const block = region.firstBlock!;
    for (const arg of block.args) convert(arg, (cast) => block.insert(cast, block.firstOp));
  }
  for (const result of op.results) convert(result, (cast) => op.block!.insert(cast, op.next));
}

/** Barriers that the hardware has, less those of the default warps and of the loop. */
const MOST_PARTITIONS = 14;
/** The states that a byte can hold, less the one for the exit. */
const MOST_STATES = 255;

function problemOf(module: Operation, specialized: readonly Operation[]): string | undefined {
  const counts = specialized.map((op) => partitionRegionsOf(op).length);
  if (counts.some((count) => count > MOST_PARTITIONS)) return `cannot support more than ${MOST_PARTITIONS} warp group partitions`;
  if (counts.reduce((total, count) => total + count, 0) > MOST_STATES) return "too many warp group partitions";
  return intOf(module.attr("ttg.total-num-warps")) === undefined ? "module missing 'ttg.total-num-warps' attribute" : undefined;
}
