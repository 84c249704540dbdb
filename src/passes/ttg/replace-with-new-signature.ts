/**
 * Loops and ifs with more results. The bodies move into a new op; the old one stays for its user to replace and erase.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, replaceForOpWithNewSignature, replaceIfOpWithNewSignature.
 */
import { valueLocation } from "../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../dialects/scf/ops/if.js";
import type { Type } from "../../ir/attribute.js";
import type { Value } from "../../ir/value.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** A loop before the given one that carries more values, with its body; the yield is the caller's to extend. */
export function replaceForOpWithNewSignature(rw: Rewriter, loop: ForView, newIterOperands: readonly Value[]): ForView {
  const { op, lowerBound, upperBound, step, region } = loop;
  const initArgs = [...loop.initArgs, ...newIterOperands];
  return rw.preserving(() => {
    const types = initArgs.map((init) => init.type);
    const made = rw.setBefore(op).create(ForOp, { lowerBound, upperBound, step, initArgs, region }, { loc: op.locRef, types });
    made.op.setAttrs(op.attrs);
    for (const operand of newIterOperands) made.region.firstBlock!.addArgument(operand.type, valueLocation(operand));
    return made;
  });
}

/** Replaces a loop by one that carries more values; the yield is the caller's to extend. */
export function addIterArgsToLoop(rw: Rewriter, loop: ForView, newIterOperands: readonly Value[]): ForView {
  const made = replaceForOpWithNewSignature(rw, loop, newIterOperands);
  rw.replace(loop, made.op.results.slice(0, loop.op.numResults));
  return made;
}
/** Yields more values. */
export function appendToYield(loop: ForView, values: readonly Value[]): void {
  const terminator = loop.region.firstBlock!.lastOp!;
  terminator.setOperands([...terminator.operands, ...values]);
}

/** An if before the given one that has more results, with its bodies; the yields are the caller's to extend. */
export function replaceIfOpWithNewSignature(rw: Rewriter, ifOp: IfView, newResultTypes: readonly Type[]): IfView {
  const { op, condition, thenRegion, elseRegion } = ifOp;
  return rw.preserving(() => {
    const types = [...op.resultTypes, ...newResultTypes];
    const made = rw.setBefore(op).create(IfOp, { condition, thenRegion, elseRegion }, { loc: op.locRef, types });
    made.op.setAttrs(op.attrs);
    return made;
  });
}
