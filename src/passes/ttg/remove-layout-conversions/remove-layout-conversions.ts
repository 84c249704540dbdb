import { FOR_CANONICALIZATION, IF_CANONICALIZATION } from "../../../dialects/scf/canonicalize/index.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../../dialects/ttg/canonicalize/index.js";
import { DotOperandEncoding } from "../../../dialects/ttg/encodings/dot-op.js";
import { maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { convertFromTMEMStore } from "../../../dialects/ttng/canonicalize.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { withinAt } from "../../../pass/pass-error.js";
import type { Explain } from "../../../pass/remark.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import type { Pattern } from "../../../rewrite/pattern.js";
import { PatternSet } from "../../../rewrite/pattern-set.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { forOpDeadArgElimination } from "../for-op-dead-arg-elimination.js";
import { explainConversion } from "./explain-conversion.js";
import { hoistConvertDotOperand } from "./hoist-convert-dot-operand.js";
import { hoistConvertIntoConditionals } from "./hoist-convert-into-conditionals.js";
import { hoistConvertOnTopOfExtOrBroadcast } from "./hoist-convert-on-top-of-ext-or-broadcast.js";
import { propagateLayouts } from "./layout-propagation.js";
import {
  type ConvertView,
  encodingOfTensor,
  forEachConversion,
  type LayoutRematerialization,
  type Removed,
} from "./layout-rematerialization.js";
import { rewriteWithLayouts } from "./rewrite-with-layouts.js";

const CONVERSIONS: readonly Pattern[] = [...TTG_CONVERT_LAYOUT_PATTERNS, convertFromTMEMStore];
const cleanup = new PatternSet(CONVERSIONS);
const CONTROL_FLOW: readonly Pattern[] = [forOpDeadArgElimination, ...FOR_CANONICALIZATION, ...IF_CANONICALIZATION];
const finalCleanup = new PatternSet([...CONTROL_FLOW, ...CONVERSIONS]);
const controlFlowCleanup = new PatternSet(CONTROL_FLOW);

export const removeLayoutConversions = definePass("tritongpu-remove-layout-conversions", {
  name: "TritonGPURemoveLayoutConversions",
  summary: "remove superfluous layout conversions",
  source: "lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp",
  statistics: {
    propagated: "operations given the layout of an anchor",
    rematerialized: "conversions replaced by computing their source in another layout",
    hoisted: "conversions moved to where they cost less",
  },
  run(root, { listener, count, fail, report, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    const clean = (patterns: PatternSet): void => {
      if (!applyPatternsGreedily(root, patterns, { listener }).converged) fail();
    };
    const functions: Operation[] = [];
    root.walkPostOrder((op) => {
      if (FuncOp.is(op) && !op.regions[0]!.empty) functions.push(op);
    });
    const unknown = accessWithoutWarps(root);
    if (unknown) return report.error(unknown, `'${unknown.name}' op is not contained within a context that specifies the number of warps`);

    for (const func of functions) count("propagated", rewriteWithLayouts(func, propagateLayouts(func), rw));
    clean(cleanup);
    for (let [removed, round] = [1, 1]; removed > 0; round++) {
      removed = 0;
      const visit = (conversion: ConvertView, remat: LayoutRematerialization): void => {
        // Conversions of constants have no location; what uses them has.
        withinAt(conversion.result.firstUse?.owner ?? conversion.op, "conversion-rounds", round);
        rematerialize(conversion, remat);
      };
      for (const func of functions) removed += forEachConversion(func, rw, visit, explain && explainRematerialized(explain));
      count("rematerialized", removed);
      clean(cleanup);
    }
    for (const func of functions)
      for (const hoist of [hoistConvertOnTopOfExtOrBroadcast, hoistConvertIntoConditionals, hoistConvertDotOperand])
        count("hoisted", hoist(func, rw, explain && explainHoisted(explain)));
    if (root.ctx.triton.cleansControlFlowApart) {
      clean(cleanup);
      // As far as it gets.
      applyPatternsGreedily(root, controlFlowCleanup, { listener });
    } else clean(finalCleanup);
    if (explain)
      root.walk((op) => {
        const convert = ConvertLayoutOp.match(op);
        if (convert) explain(op, "layout.conversion", explainConversion(convert));
      });
  },
});

const explainRematerialized =
  (explain: Explain): Removed =>
  ({ op, src }) =>
    explain(op, "layout.rematerialized", {
      kind: "applied",
      message: "{0} went: its source {1} is computed in the layout wanted, which costs less than the conversion",
      refs: [src],
    });
const explainHoisted =
  (explain: Explain): Removed =>
  ({ op, src }) =>
    explain(op, "layout.hoisted", {
      kind: "applied",
      message: "{0} moved up before {1}, where there is less to convert or it is done less often",
      refs: [src],
    });

/** A load or store of a tensor where nothing says how many warps there are: whether it is expensive is unknown. */
function accessWithoutWarps(root: Operation): Operation | undefined {
  let found: Operation | undefined;
  root.walk((op) => {
    if (!LoadOp.is(op) && !StoreOp.is(op)) return undefined;
    if (!RankedTensorType.is(op.operand(0).type) || maybeLookupNumWarps(op) !== undefined) return undefined;
    found = op;
    return "interrupt";
  });
  return found;
}

/** Replaces a conversion by its source computed in the layout wanted, if that is possible and cheaper. */
function rematerialize(conversion: ConvertView, remat: LayoutRematerialization): void {
  const target = encodingOfTensor(conversion.result);
  // Those are hoisted to their loads.
  if (DotOperandEncoding.is(target) || remat.reuse(conversion)) return;
  const found = remat.getRematerializableSlice(conversion.op.operandUses[0]!, target);
  if (typeof found === "string") return;
  const cost = remat.costOf(conversion, found);
  if (cost.rematerialize <= cost.convert) remat.rewriteSlice(found, conversion);
}
