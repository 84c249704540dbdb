import { ConstantOp } from "../../../dialects/arith/ops/index.js";
import { argumentAttr } from "../../../dialects/builtin/function-op.js";
import { UnrealizedConversionCastOp } from "../../../dialects/builtin/ops/index.js";
import { BranchOp, CondBranchOp } from "../../../dialects/cf/ops/branch.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { PointerType } from "../../../dialects/tt/types.js";
import { PoisonOp } from "../../../dialects/ub/ops/poison.js";
import { intAttr, intOf } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, intType } from "../../../ir/builtin-types.js";
import { isOpTriviallyDead } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { definePass, type PassReport } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { ConversionTarget } from "../../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../../rewrite/dialect-conversion.js";
import { type RewriteListener, Rewriter } from "../../../rewrite/rewriter.js";
import { FatPointers } from "./fat-pointers.js";
import { ifIsReady, leftoverCasts, type PointerRewrite, pointerPatterns } from "./patterns.js";

export const canonicalizePointers = definePass("tritonamdgpu-canonicalize-pointers", {
  name: "TritonAMDGPUCanonicalizePointers",
  summary: "Canonicalize pointers: rewrite pointers passed to load/store operation as a `<basePtr, offset>` pair.",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/CanonicalizePointers.cpp",
  options: { enableLargeTensorPtrCanon: option.bool({ default: false, summary: "also for pointers to tensors of more than 2 GiB" }) },
  run(root, { options, listener, report, fail }) {
    const functions: Operation[] = [];
    root.walk((op) => {
      if (!FuncOp.is(op)) return;
      functions.push(op);
      return "skip";
    });
    for (const func of functions) if (!canonicalizeFunction(func, options.enableLargeTensorPtrCanon, listener, report)) return fail();
  },
});

function canonicalizeFunction(func: Operation, largeTensors: boolean, listener: RewriteListener, report: PassReport): boolean {
  let poison: Operation | undefined;
  func.walk((op) => {
    if (!PoisonOp.is(op)) return;
    poison = op;
    return "interrupt";
  });
  if (poison) {
    report.remark(poison, "skipping canonicalize-pointers due to ub.poison");
    return true;
  }
  const entry = func.regions[0]!.firstBlock;
  if (!entry) return true;
  const rw = new Rewriter(func.ctx, listener, func.locRef);
  const state: PointerRewrite = { pointers: new FatPointers(), pending: new Set(), ifYields: new Map(), report };
  const widths = entry.args.map((arg, i) =>
    PointerType.is(arg.type) ? (intOf(argumentAttr(func, i, "tt.pointer_range")) ?? 64) : undefined,
  );
  const arguments_ = entry.args.filter((_, i) => widths[i] !== undefined && (largeTensors || widths[i] !== 64));
  rw.setStart(entry);
  for (const arg of arguments_) startPair(arg, widths[arg.index]!, rw, state.pointers);
  for (const arg of arguments_) for (const use of arg.uses()) addUsers(use, state.pending);

  const target = new ConversionTarget().addDynamicallyLegalDialect(
    (op) => (IfOp.is(op) ? !ifIsReady(op, state) : !state.pending.has(op)),
    "tt",
    "ttg",
    "scf",
    "cf",
    "arith",
    "amdg",
  );
  const config = { listener, buildMaterializations: false };
  if (!applyPartialConversion(func, target, pointerPatterns(state), config).ok) return false;
  target.addIllegalOp(UnrealizedConversionCastOp);
  if (!applyPartialConversion(func, target, [leftoverCasts(state)], config).ok) return false;
  eraseDeadOps(func, rw);
  return true;
}

/** All users of an argument get a cast of it and of an offset of zero. */
function startPair(arg: Value, width: number, rw: Rewriter, pointers: FatPointers): void {
  const offset = rw.value(ConstantOp, { value: intAttr(intType(rw.ctx, width), 0) });
  const cast = rw.create(UnrealizedConversionCastOp, { inputs: [arg, offset] }, { types: [arg.type], loc: arg.argLoc! }).op;
  rw.replaceUsesWhere(arg, cast.result(0), (use) => use.owner !== cast);
  pointers.set(arg, offset, { smallTensorBase: width === 64 ? undefined : arg, canNarrow: true });
}

/** The ops that a pointer reaches from one of its uses, through control flow as well, the last ones first. */
function addUsers(use: OpOperand, reached: Set<Operation>, seen = new Set<OpOperand>()): void {
  const { owner: op, value } = use;
  if (!PointerType.is(elementTypeOrSelf(value.type)) || seen.has(use)) return;
  seen.add(use);
  let giver = op;
  const next: OpOperand[] = [];
  const addArgument = (args: readonly Value[] | undefined, index: number): void => void next.push(...(args?.[index]?.uses() ?? []));
  if (WhileOp.is(op)) for (const region of op.regions) addArgument(region.firstBlock!.args, use.index);
  else if (ForOp.is(op)) addArgument(op.regions[0]!.firstBlock!.args, use.index - 2);
  else if (BranchOp.is(op)) addArgument(op.successors[0]!.block.args, use.index);
  else if (CondBranchOp.is(op)) for (const { block } of op.successors) addArgument(block.args, use.index - 1);
  else if (YieldOp.is(op)) {
    reached.add(op);
    if (IfOp.is(op.parentOp)) giver = op.parentOp!;
  }
  for (const result of giver.results) next.push(...result.uses());
  for (const user of next) addUsers(user, reached, seen);
  reached.add(giver);
}

/** Erases what nothing uses, last ops first. */
function eraseDeadOps(func: Operation, rw: Rewriter): void {
  const visit = (op: Operation): void => {
    for (let r = op.regions.length - 1; r >= 0; r--)
      for (const block of [...op.regions[r]!.blocks()].reverse())
        for (let nested = block.lastOp; nested; ) {
          const { prev } = nested;
          visit(nested);
          nested = prev;
        }
    if (op !== func && isOpTriviallyDead(op)) rw.erase(op);
  };
  visit(func);
}
