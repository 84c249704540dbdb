import { CeilDivSIOp, CmpIOp, ConstantOp, SubIOp } from "../../../dialects/arith/ops/index.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { PointerType } from "../../../dialects/tt/types.js";
import type { Type } from "../../../ir/attribute.js";
import { intAttr, unitAttr } from "../../../ir/builtin-attrs.js";
import { isFloat, isIndex, isInteger } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import { Dominance } from "../../../ir/dominance.js";
import { isMemoryEffectFree, isPureOp, memoryEffects } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { moveLoopInvariantCodeOf } from "../../../rewrite/loop-invariant-code-motion.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { fuseOneLevel, MUST_EXECUTE, WARP_SPECIALIZE } from "./fuse-one-level.js";
import { hoistOpsBefore, opsToHoist } from "./hoistable.js";
import { findLoopNests, type LoopNest, type LoopNestNode } from "./loop-nest.js";

/** Set by the front end: the user wants the nest to be one loop. */
const FLATTEN = "tt.flatten";
/** For tests of this pass: fuse whatever the nest looks like. */
const ALWAYS_FUSE = "ttg.always-fuse";

export const fuseNestedLoops = definePass("tritongpu-fuse-nested-loops", {
  name: "TritonGPUFuseNestedLoops",
  summary: "fuse nested loops for pipelining",
  source: "lib/Dialect/TritonGPU/Transforms/FuseNestedLoops.cpp",
  statistics: { fused: "loops fused into the one around them" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    const dominance = new Dominance();
    for (const func of root.regions[0]!.firstBlock!.ops()) {
      if (!FuncOp.is(func)) continue;
      for (const nest of findLoopNests(func)) {
        const always = nest.root.loop.op.hasAttr(ALWAYS_FUSE);
        if (!always && !(isSimple(nest) && preprocessLoopNest(rw, nest, dominance))) continue;
        count("fused", flatten(rw, nest.root, dominance));
      }
    }
  },
});

const isSimple = ({ root, size }: LoopNest): boolean => size === 2 && root.loop.op.hasAttr(FLATTEN);

/** Fuses every loop of a nest into the one around it, innermost first. Returns how many. */
function flatten(rw: Rewriter, node: LoopNestNode, dominance: Dominance): number {
  let fused = 0;
  for (const child of node.children) fused += flatten(rw, child, dominance);
  return fused + rw.from(node.loop, () => fuseOneLevel(rw, node, isOuterLoopInvariant, canSliceBounds, dominance));
}

// --- bounds -----------------------------------------------------------------------------------

const isScalar = (type: Type): boolean => isInteger(type) || isIndex(type) || isFloat(type) || PointerType.is(type);

/**
 * Computations of bounds move when they are scalar and write nothing. A division among them cannot be by zero:
 * fusing an inner nest made it.
 */
function canHoistLoopBoundComputation(op: Operation): boolean {
  const reads = (): boolean => {
    const effects = memoryEffects(op);
    return effects?.length === 1 && effects[0]!.kind === "read";
  };
  return (isMemoryEffectFree(op) || reads()) && op.operands.every(({ type }) => isScalar(type)) && op.resultTypes.every(isScalar);
}
const isFunctionArgument = (arg: Value): boolean => FuncOp.is(arg.argOwner!.parentOp);

/** The ops to move out of the outer loop so that `values` do not depend on it; undefined when they do. */
function isOuterLoopInvariant(dominance: Dominance, outer: ForView, values: readonly Value[]): Set<Operation> | undefined {
  return opsToHoist(dominance, outer.op, values, canHoistLoopBoundComputation, isFunctionArgument);
}
/** The ops by which `values` are computed from nothing but the outer loop's induction variable. */
function canSliceBounds(dominance: Dominance, outer: ForView, values: readonly Value[]): Set<Operation> | undefined {
  const iv = outer.region.firstBlock!.args[0]!;
  return opsToHoist(dominance, outer.op, values, canHoistLoopBoundComputation, (arg) => arg === iv || isFunctionArgument(arg));
}

// --- before fusion ----------------------------------------------------------------------------

function preprocessLoopNest(rw: Rewriter, { root }: LoopNest, dominance: Dominance): boolean {
  const inner = root.children[0]!.loop;
  moveLoopInvariantCodeOf(root.loop.op, rw);
  sinkIntoEpilogue(rw, inner, dominance);
  return speculateInnerLoopLength(rw, root.loop, inner, dominance);
}

/** Moves ops that only the code after the inner loop uses to that code, so that the fused loop does not carry their results. */
function sinkIntoEpilogue(rw: Rewriter, inner: ForView, dominance: Dominance): void {
  const sunk = new Set<Operation>();
  for (let op = inner.op.prev; op; op = op.prev) {
    if (!isPureOp(op) || op.def.interface(DotOpInterface)) continue;
    const users = op.results.flatMap((result) => result.users());
    if (users.every((user) => sunk.has(user) || dominance.properlyDominates(inner.op, user, false))) sunk.add(op);
  }
  if (sunk.size > 0) hoistOpsBefore(rw, inner.op.next!, sunk);
}

/** Whether the code assumes that the loop's bounds leave it a round. */
function hasPositiveTripCount({ lowerBound, upperBound, unsignedCmp }: ForView): boolean {
  const sign = unsignedCmp ? "u" : "s";
  return upperBound.users().some((user) => {
    const cmp = CmpIOp.match(user);
    if (!cmp?.result.users().some(({ name }) => name === "llvm.intr.assume")) return false;
    if (cmp.predicate === `${sign}gt`) return cmp.lhs === upperBound && cmp.rhs === lowerBound;
    return cmp.predicate === `${sign}lt` && cmp.lhs === lowerBound && cmp.rhs === upperBound;
  });
}

/**
 * Makes two versions of the nest, `if (no round of the inner loop) { nest without it } else { nest }`: in the second one the
 * inner body need not be under a condition after fusion. Returns false when the inner bounds depend on the outer loop.
 */
function speculateInnerLoopLength(rw: Rewriter, outer: ForView, inner: ForView, dominance: Dominance): boolean {
  const mustExecute = (): void => inner.op.setAttr(MUST_EXECUTE, unitAttr(rw.ctx));
  if (hasPositiveTripCount(inner)) {
    mustExecute();
    return true;
  }
  const { lowerBound, upperBound, step } = inner;
  const bounds = isOuterLoopInvariant(dominance, outer, [lowerBound, upperBound, step]);
  if (!bounds) return false;
  hoistOpsBefore(rw, outer.op, bounds);
  mustExecute();
  rw.from(outer, () => {
    const options = { loc: inner.op.locRef };
    rw.setBefore(outer);
    const distance = rw.value(SubIOp, { lhs: upperBound, rhs: lowerBound }, options);
    const rounds = rw.value(CeilDivSIOp, { lhs: distance, rhs: step }, options);
    const zero = rw.value(ConstantOp, { value: intAttr(rounds.type, 0) }, options);
    const condition = rw.value(CmpIOp, { predicate: "eq", lhs: rounds, rhs: zero }, options);
    const [thenRegion, elseRegion] = [new Region(rw.ctx, null, 0), new Region(rw.ctx, null, 1)];
    const types = outer.op.resultTypes;
    const branch = rw.create(IfOp, { condition, thenRegion, elseRegion }, { ...options, types });

    rw.createBlock(branch.thenRegion);
    const mapping = new Mapping({ ops: true });
    const empty = rw.clone(outer.op, mapping);
    rw.create(YieldOp, { results: empty.results }, options);
    const dead = ForOp.match(mapping.ops!.get(inner.op)!)!;
    rw.replace(dead, dead.initArgs);
    empty.removeAttr(WARP_SPECIALIZE);

    rw.replaceOpUses(outer.op, branch.results);
    const block = rw.createBlock(branch.elseRegion);
    outer.op.moveToEnd(block);
    rw.setEnd(block).create(YieldOp, { results: outer.results }, options);
  });
  return true;
}
