/**
 * Turns structured control flow into blocks and branches. Loops and ifs are taken outermost first; the blocks of each go
 * between what stood before it and what stood after. Source: mlir/lib/Conversion/SCFToControlFlow/SCFToControlFlow.cpp.
 */
import { IndexCastOp } from "../../dialects/arith/ops/cast.js";
import { CmpIOp } from "../../dialects/arith/ops/compare.js";
import { AddIOp } from "../../dialects/arith/ops/integer.js";
import { BranchOp, CondBranchOp } from "../../dialects/cf/ops/branch.js";
import { SwitchOp } from "../../dialects/cf/ops/switch.js";
import { buildFor } from "../../dialects/scf/build.js";
import { ExecuteRegionOp } from "../../dialects/scf/ops/execute-region.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { ForallOp } from "../../dialects/scf/ops/forall.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { caseValues, IndexSwitchOp } from "../../dialects/scf/ops/index-switch.js";
import { ParallelOp } from "../../dialects/scf/ops/parallel.js";
import { ConditionOp, WhileOp, type WhileView } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import type { Block } from "../../ir/block.js";
import { denseElements, dictEntries } from "../../ir/builtin-attrs.js";
import { i32, VectorType } from "../../ir/builtin-types.js";
import type { TypedOpDef, ViewOf } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { type ConversionPattern, type ConversionPatternOptions, conversionPattern } from "../../rewrite/conversion-pattern.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** No type changes, so the lowerings look at the operands of the op itself. */
function lowering<O, A, R, G, S>(
  name: string,
  root: TypedOpDef<O, A, R, G, S>,
  rewrite: (op: ViewOf<O, A, R, G, S>, rw: Rewriter) => boolean,
  options: ConversionPatternOptions = {},
): ConversionPattern {
  return conversionPattern(name, root, (op, _adaptor, rw) => rewrite(op, rw), options);
}

/** Attributes of the llvm dialect on a loop (its `llvm.loop_annotation`) go to the branch that closes it. */
function propagateLoopAttrs(loop: Operation, branch: Operation): void {
  for (const [name, value] of dictEntries(loop.attrs)) if (value.def.name.startsWith("llvm.")) branch.setAttr(name, value);
}

/** Splits the block of `op` in front of it; returns the block before and the block that begins with `op`. */
function splitAt(rw: Rewriter, op: Operation): { readonly before: Block; readonly after: Block } {
  const before = op.block!;
  return { before, after: rw.splitBlock(before, op) };
}

/**
 * The body's first block keeps the arguments and becomes the condition block:
 * `before: br cond(lb, inits)`, `cond(iv, args): cond_br iv < ub, body, after`, `body: ...; br cond(iv + step, yielded)`.
 */
const forLowering = lowering("for-lowering", ForOp, ({ op, lowerBound, upperBound, step, initArgs, unsignedCmp, region }, rw) => {
  const loc = op.locRef;
  const { before, after } = splitAt(rw, op);
  const condition = region.firstBlock!;
  const body = rw.splitBlock(condition, condition.firstOp!);
  const lastBody = region.lastBlock!;
  rw.inlineRegionBefore(region, after.region!, after);
  const [iv, ...iterArgs] = condition.args as [Value, ...Value[]];

  const terminator = lastBody.lastOp!;
  rw.setEnd(lastBody);
  const stepped = rw.value(AddIOp, { lhs: iv, rhs: step }, { loc });
  const back = rw.create(BranchOp, { dest: condition, destOperands: [stepped, ...terminator.operands] }, { loc });
  propagateLoopAttrs(op, back.op);
  rw.erase(terminator);

  rw.setEnd(before).create(BranchOp, { dest: condition, destOperands: [lowerBound, ...initArgs] }, { loc });

  rw.setEnd(condition);
  const goesOn = rw.value(CmpIOp, { predicate: unsignedCmp ? "ult" : "slt", lhs: iv, rhs: upperBound }, { loc });
  rw.create(CondBranchOp, { condition: goesOn, trueDest: body, trueDestOperands: [], falseDest: after, falseDestOperands: [] }, { loc });
  return rw.replace(op, iterArgs);
});

/** Results become the arguments of a block of their own, which only jumps on. */
const ifLowering = lowering("if-lowering", IfOp, ({ op, condition, thenRegion, elseRegion }, rw) => {
  const loc = op.locRef;
  const { before, after } = splitAt(rw, op);
  let join = after;
  if (op.results.length > 0) {
    join = rw.createBlock(after.region!, after, op.resultTypes, loc);
    rw.create(BranchOp, { dest: after, destOperands: [] }, { loc });
  }
  const inline = (region: Region): Block => {
    const entry = region.firstBlock!;
    const terminator = region.lastBlock!.lastOp!;
    rw.setEnd(region.lastBlock!).create(BranchOp, { dest: join, destOperands: terminator.operands }, { loc });
    rw.erase(terminator);
    rw.inlineRegionBefore(region, join.region!, join);
    return entry;
  };
  const trueDest = inline(thenRegion);
  const falseDest = elseRegion.empty ? join : inline(elseRegion);
  rw.setEnd(before).create(CondBranchOp, { condition, trueDest, trueDestOperands: [], falseDest, falseDestOperands: [] }, { loc });
  return rw.replace(op, join.args.slice(0, op.results.length));
});

const executeRegionLowering = lowering("execute-region-lowering", ExecuteRegionOp, ({ op, region }, rw) => {
  const loc = op.locRef;
  const { before, after } = splitAt(rw, op);
  rw.setEnd(before).create(BranchOp, { dest: region.firstBlock!, destOperands: [] }, { loc });
  for (const block of region.blocks()) {
    const terminator = block.lastOp!;
    if (!YieldOp.is(terminator)) continue;
    rw.setEnd(block).create(BranchOp, { dest: after, destOperands: terminator.operands }, { loc });
    rw.erase(terminator);
  }
  rw.inlineRegionBefore(region, after.region!, after);
  return rw.replace(
    op,
    op.resultTypes.map((type) => after.addArgument(type, loc)),
  );
});

/** A nest of scf.for, lowered in its turn; reductions become carried values. */
const parallelLowering = lowering("parallel-lowering", ParallelOp, (parallel, rw) => {
  const { op, region } = parallel;
  const loc = op.locRef;
  const oldBody = region.firstBlock!;
  let iterArgs = parallel.initVals;
  let results: readonly Value[] = iterArgs;
  const ivs: Value[] = [];
  parallel.step.forEach((step, i) => {
    const parts = { lowerBound: parallel.lowerBound[i]!, upperBound: parallel.upperBound[i]!, step, initArgs: iterArgs };
    const loop = buildFor(rw.builder, parts, { loc });
    const [iv, ...args] = loop.region.firstBlock!.args as [Value, ...Value[]];
    ivs.push(iv);
    iterArgs = args;
    if (i === 0) results = loop.results;
    else if (loop.results.length > 0) rw.setEnd(loop.op.block!).create(YieldOp, { results: loop.results }, { loc });
    rw.setStart(loop.region.firstBlock!);
  });
  const newBody = rw.builder.block!;

  const reduce = oldBody.lastOp!;
  const yielded = reduce.regions.map((reduction, i) => {
    const block = reduction.firstBlock!;
    const returned = block.lastOp!;
    const value = returned.operand(0);
    rw.erase(returned);
    const args = [iterArgs[i]!, reduce.operand(i)];
    const result = value.owner === block ? args[value.index]! : value;
    rw.inlineBlockBefore(block, reduce, args);
    return result;
  });
  rw.erase(reduce);

  // The result of a reduction may be an argument of the old body, which is removed now.
  const carried = yielded.map((value) => (value.owner === oldBody ? ivs[value.index]! : value));
  if (newBody.empty) rw.mergeBlocks(oldBody, newBody, ivs);
  else rw.inlineBlockBefore(oldBody, newBody.lastOp!, ivs);
  if (carried.length > 0) rw.setEnd(newBody).create(YieldOp, { results: carried }, { loc });
  return rw.replace(op, results);
});

/** `before: br cond(inits)`, `cond: cond_br c, body(args), after`, `body: ...; br cond(yielded)`. */
const whileLowering = lowering("while-lowering", WhileOp, (loop, rw) => {
  const { op } = loop;
  const { before, after } = splitAt(rw, op);
  const body = loop.after.firstBlock!;
  const lastBody = loop.after.lastBlock!;
  rw.inlineRegionBefore(loop.after, after.region!, after);
  const condition = enterWhile(rw, loop, before, body);
  const { args } = condition;
  rw.setBefore(condition).replaceWith(condition, CondBranchOp, {
    condition: condition.condition,
    trueDest: body,
    trueDestOperands: args,
    falseDest: after,
    falseDestOperands: [],
  });
  const terminator = lastBody.lastOp!;
  const back = rw.setBefore(terminator).replaceWith(terminator, BranchOp, {
    dest: conditionEntry(before),
    destOperands: terminator.operands,
  });
  propagateLoopAttrs(op, back.op);
  return rw.replace(op, args);
});
/** Puts the blocks of the condition region in front of `next` and jumps there; returns its terminator. */
function enterWhile(rw: Rewriter, { op, inits, before: region }: WhileView, before: Block, next: Block) {
  const entry = region.firstBlock!;
  const last = region.lastBlock!;
  rw.inlineRegionBefore(region, next.region!, next);
  rw.setEnd(before).create(BranchOp, { dest: entry, destOperands: inits }, { loc: op.locRef });
  return ConditionOp.match(last.lastOp)!;
}
const conditionEntry = (before: Block): Block => before.lastOp!.successors[0]!.block;

/** A loop whose body does nothing but hand its arguments back: only the condition region stays. */
const doWhileLowering = lowering(
  "do-while-lowering",
  WhileOp,
  (loop, rw) => {
    const { op } = loop;
    const body = loop.after.firstBlock!;
    if (!loop.after.hasOneBlock) return rw.noMatch("body has several blocks");
    if (body.firstOp !== body.lastOp) return rw.noMatch("body does something");
    const yielded = YieldOp.match(body.lastOp)?.results;
    if (!yielded || yielded.length !== body.args.length || yielded.some((v, i) => v !== body.args[i]))
      return rw.noMatch("body does not just forward its arguments");
    const { before, after } = splitAt(rw, op);
    const condition = enterWhile(rw, loop, before, after);
    const { args } = condition;
    const back = rw.setBefore(condition).replaceWith(condition, CondBranchOp, {
      condition: condition.condition,
      trueDest: conditionEntry(before),
      trueDestOperands: args,
      falseDest: after,
      falseDestOperands: [],
    });
    propagateLoopAttrs(op, back.op);
    return rw.replace(op, args);
  },
  { benefit: 2 },
);

const indexSwitchLowering = lowering("index-switch-lowering", IndexSwitchOp, ({ op, arg, cases, caseRegions, defaultRegion }, rw) => {
  const loc = op.locRef;
  const { before, after } = splitAt(rw, op);
  const results = op.resultTypes.map((type) => after.addArgument(type, loc));
  const inline = (region: Region): Block => {
    const block = region.firstBlock!;
    const terminator = block.lastOp!;
    rw.setBefore(terminator).replaceWith(terminator, BranchOp, { dest: after, destOperands: terminator.operands });
    rw.inlineRegionBefore(region, after.region!, after);
    return block;
  };
  const caseDestinations = caseRegions.map(inline);
  const defaultDestination = inline(defaultRegion);
  rw.setEnd(before);
  const type = i32(rw.ctx);
  const flag = rw.value(IndexCastOp, { in: arg }, { loc, types: [type] });
  const values = VectorType.get(rw.ctx, { shape: [cases.length], elementType: type, scalable: undefined });
  const truncated = caseValues(op).map((value) => BigInt.asIntN(32, value));
  rw.create(
    SwitchOp,
    {
      flag,
      defaultDestination,
      defaultOperands: [],
      caseDestinations,
      caseOperands: [],
      case_operand_segments: cases.map(() => 0),
      case_values: cases.length > 0 ? denseElements(values, truncated) : undefined,
    },
    { loc },
  );
  return rw.replace(op, results);
});

/** In upstream's order; scf.forall has no lowering here, as its results need ops of the tensor dialect. */
const PATTERNS: readonly ConversionPattern[] = [
  forLowering,
  ifLowering,
  parallelLowering,
  whileLowering,
  executeRegionLowering,
  indexSwitchLowering,
  doWhileLowering,
];

export const convertScfToCf = definePass("convert-scf-to-cf", {
  name: "SCFToControlFlowPass",
  summary: "turn structured control flow into blocks and branches",
  source: "mlir/lib/Conversion/SCFToControlFlow/SCFToControlFlow.cpp",
  options: {
    allowPatternRollback: option.bool({
      default: true,
      ours: true,
      summary: "undo what a failed pattern did; it makes no difference here",
    }),
  },
  run(root, { listener, fail }) {
    const target = new ConversionTarget()
      .addIllegalOp(ForallOp, ForOp, IfOp, IndexSwitchOp, ParallelOp, WhileOp, ExecuteRegionOp)
      .markUnknownOpDynamicallyLegal(() => true);
    if (!applyPartialConversion(root, target, PATTERNS, { listener }).ok) fail();
  },
});
