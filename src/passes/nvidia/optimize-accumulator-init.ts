import { ConstantOp, SelectOp } from "../../dialects/arith/ops/index.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { DotOpInterface } from "../../dialects/tt/op-interfaces.js";
import { MMAv5OpInterface } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { needsPartialAccumulator, WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { boolAttr } from "../../ir/builtin-attrs.js";
import { isInteger } from "../../ir/builtin-types.js";
import { constantInt, isZeroFloat, isZeroInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield } from "../ttg/replace-with-new-signature.js";

export const optimizeAccumulatorInit = definePass("tritongpu-optimize-accumulator-init", {
  name: "TritonGPUOptimizeAccumulatorInit",
  summary: "Replace accumulator zero-initialization with the flag indicating first use of the accumulator",
  source: "lib/Dialect/TritonGPU/Transforms/OptimizeAccumulatorInit.cpp",
  statistics: { flags: "dots that got a flag" },
  run(root, { listener, count, fail }) {
    const rw = new Rewriter(root.ctx, listener);
    const dots: Operation[] = [];
    root.walkPostOrder((op) => void (supportsFlag(op) && dots.push(op)));
    for (const dot of dots) {
      const loop = ForOp.match(dot.parentOp ?? undefined);
      if (loop && rw.from(dot, () => initByFlag(rw, dot, loop))) count("flags");
    }
    if (!applyPatternsGreedily(root, [allocWithUnusedInit], { listener }).converged) fail();
  },
});

function supportsFlag(op: Operation): boolean {
  if (!op.def.interface(DotOpInterface)) return false;
  const dot = WarpGroupDotOp.match(op);
  // In parts, the sum would have to be selected by hand.
  return dot ? !needsPartialAccumulator(dot) : op.def.interface(MMAv5OpInterface) !== undefined;
}
const isZero = (value: Value): boolean => isZeroInt(value) || isZeroFloat(value);

/** The value that a dot adds to, if it is known to be read by this dot only. */
function accumulatorOf(op: Operation): Value | undefined {
  const dot = WarpGroupDotOp.match(op);
  if (dot) return dot.c;
  const alloc = TMEMAllocOp.match(op.def.interface(MMAv5OpInterface)!.accumulator(op).definingOp);
  if (!alloc || alloc.op.region !== op.region) return undefined;
  const load = alloc.result.users().find((user) => TMEMLoadOp.is(user));
  return load?.region === op.region ? alloc.src : undefined;
}
/** The flag that says whether a dot adds to its accumulator. */
function accFlagOf(op: Operation): Value | undefined {
  return WarpGroupDotOp.is(op) ? WarpGroupDotOp.match(op)!.useC : op.operand(op.def.interface(MMAv5OpInterface)!.indexOfUseD(op));
}
function setAccFlag(rw: Rewriter, op: Operation, flag: Value): void {
  if (!WarpGroupDotOp.is(op)) rw.setOperand(op, op.def.interface(MMAv5OpInterface)!.indexOfUseD(op), flag);
  else rw.modify(op, () => op.setOperands([...op.operands.slice(0, 3), flag]));
}

/** Returns whether the dot has a flag now. */
function initByFlag(rw: Rewriter, dot: Operation, before: ForView): boolean {
  const options = { loc: dot.locRef };
  rw.setBefore(before);
  const [yes, no] = [true, false].map((value) => rw.value(ConstantOp, { value: boolAttr(rw.ctx, value) }, options)) as [Value, Value];
  const accumulator = accumulatorOf(dot);
  if (!accumulator) return false;
  if (isZero(accumulator)) {
    setAccFlag(rw, dot, no);
    return true;
  }
  const carried = accumulator.argOwner ? accumulator.index - 1 : undefined;
  const startsWithZero = carried !== undefined && isZero(before.initArgs[carried]!);
  const zeroing = zeroingOf(carried === undefined ? accumulator : before.region.firstBlock!.lastOp!.operand(carried));
  if (!zeroing && !startsWithZero) return false;
  // A flag that is there, and not just `true`, has its own meaning.
  const old = accFlagOf(dot);
  if (old && (constantInt(old) ?? 0n) === 0n) return false;
  const loop = addIterArgsToLoop(rw, before, [startsWithZero ? no : yes]);
  const flag = loop.region.firstBlock!.args.at(-1)!;
  if (!zeroing) {
    setAccFlag(rw, dot, flag);
    appendToYield(loop, [yes]);
    return true;
  }
  const { op, condition, whenTrue } = zeroing;
  const isBefore = op.isBeforeInBlock(dot);
  const otherwise = isBefore ? flag : yes;
  const values = { condition, true_value: whenTrue ? no : otherwise, false_value: whenTrue ? otherwise : no };
  const select = rw.setBefore(op).value(SelectOp, values, options);
  setAccFlag(rw, dot, isBefore ? select : flag);
  appendToYield(loop, [isBefore ? yes : select]);
  zeroing.stop(rw);
  return true;
}

/** An op that sets an accumulator to zero on a condition. */
interface Zeroing {
  readonly op: Operation;
  readonly condition: Value;
  /** Zero is taken when the condition holds; otherwise when it does not. */
  readonly whenTrue: boolean;
  /** Makes it hand on the old value always. */
  stop(rw: Rewriter): void;
}
function zeroingOf(value: Value): Zeroing | undefined {
  const select = SelectOp.match(value.definingOp);
  if (select) {
    const { op, condition, true_value, false_value } = select;
    const whenTrue = isZero(true_value);
    if (!isInteger(condition.type, 1) || (!whenTrue && !isZero(false_value))) return undefined;
    return { op, condition, whenTrue, stop: (rw) => void rw.replace(op, whenTrue ? false_value : true_value) };
  }
  const branch = IfOp.match(value.definingOp);
  if (!branch) return undefined;
  const { op, condition, thenRegion, elseRegion } = branch;
  const ends = [thenRegion, elseRegion].map((region) => region.firstBlock!.lastOp!) as [Operation, Operation];
  const [ofThen, ofElse] = ends.map((end) => end.operand(value.index)) as [Value, Value];
  const whenTrue = isZero(ofThen);
  if (!whenTrue && !isZero(ofElse)) return undefined;
  if (ofThen.parentBlock!.parentOp === op || ofElse.parentBlock!.parentOp === op) return undefined;
  const stop = (rw: Rewriter): void => void rw.setOperand(ends[whenTrue ? 0 : 1], value.index, whenTrue ? ofElse : ofThen);
  return { op, condition, whenTrue, stop };
}

/** tensor memory that the first instruction overwrites need not be filled before */
const allocWithUnusedInit = pattern("tmem-alloc-with-unused-init", TMEMAllocOp, ({ op, src, result }, rw) => {
  if (!src) return rw.noMatch("it is not filled");
  const users = result.users();
  if (users.length > 2) return rw.noMatch("too many users");
  const mma = users.find((user) => user.def.interface(MMAv5OpInterface));
  const load = users.find((user) => TMEMLoadOp.is(user));
  if (!mma || (load && !mma.isBeforeInBlock(load))) return rw.noMatch("no instruction writes it first");
  if (constantInt(accFlagOf(mma)) !== 0n) return rw.noMatch("the instruction adds to it");
  return rw.modify(op, () => op.setOperands([]));
});
