/**
 * Loops and ifs with more results. The bodies move into a new op; the old one stays for its user to replace and erase.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, replaceForOpWithNewSignature, replaceIfOpWithNewSignature.
 */
import { valueLocation } from "../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../dialects/scf/ops/if.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import type { Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { emptyDict } from "../../ir/builtin-attrs.js";
import type { Value } from "../../ir/value.js";
import { PassError } from "../../pass/pass-error.js";
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
/** Yields more values, as a new yield: what was noted at the old one is gone. */
export function appendToYield(loop: ForView, values: readonly Value[]): void {
  const terminator = loop.region.firstBlock!.lastOp!;
  terminator.setAttrs(emptyDict(terminator.ctx));
  terminator.setOperands([...terminator.operands, ...values]);
}

/** An if before the given one that has more results, with its bodies, which both end then; the yields are the caller's to extend. */
export function replaceIfOpWithNewSignature(rw: Rewriter, ifOp: IfView, newResultTypes: readonly Type[]): IfView {
  const { op, condition, thenRegion, elseRegion } = ifOp;
  return rw.preserving(() => {
    const types = [...op.resultTypes, ...newResultTypes];
    const made = rw.setBefore(op).create(IfOp, { condition, thenRegion, elseRegion }, { loc: op.locRef, types });
    made.op.setAttrs(op.attrs);
    for (const region of made.op.regions)
      if (region.empty) rw.setEnd(region.addBlock()).create(YieldOp, { results: [] }, { loc: op.locRef });
    return made;
  });
}

/** Hands `out`, which stands for `inside` from `block` on, up to where `inside` is defined, through the loops and ifs between. */
export function sinkValueRedefinition(rw: Rewriter, inside: Value, out: Value, block: Block): Value {
  let value = out;
  for (let at = block; at !== inside.parentBlock; at = at.parentOp!.block!) {
    const op = at.parentOp!;
    const loop = ForOp.match(op);
    const branch = IfOp.match(op);
    if (loop) {
      const made = addIterArgsToLoop(rw, loop, [inside]);
      appendToYield(made, [value]);
      value = made.op.results.at(-1)!;
    } else if (branch) {
      const made = replaceIfOpWithNewSignature(rw, branch, [value.type]);
      for (const region of made.op.regions) {
        const end = region.firstBlock!.lastOp!;
        end.setOperands([...end.operands, region.firstBlock === at ? value : inside]);
      }
      value = made.op.results.at(-1)!;
      rw.replace(branch, made.op.results.slice(0, -1));
    } else throw new PassError(op, `a value that changes inside of '${op.name}' is not handed on out of it`, "pass.control-flow");
  }
  return value;
}
