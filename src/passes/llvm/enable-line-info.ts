import { DILexicalBlockFileAttr } from "../../dialects/llvm/attrs/debug-info.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import type { Attribute } from "../../ir/attribute.js";
import { CallSiteLoc, callSiteLoc, FusedLoc, fusedLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { makeSubprogram, placeOf, subprogramOf } from "./subprograms.js";

export const enableLineInfo = definePass("enable-line-info", {
  name: "LLVMDIScope",
  summary: "Materialize LLVM line info",
  source: "lib/Target/LLVMIR/LLVMDIScope.cpp",
  options: {
    variables: option.bool({ default: false, newer: true, summary: "extract-variable-info follows (LLVM_EXTRACT_DI_LOCAL_VARIABLES)" }),
  },
  statistics: { functions: "functions that got a subprogram", inlined: "inlined ops that got a scope" },
  run(root, { count, options: { variables }, report }) {
    const form = { isPlaceholder: variables, emitsVariables: variables, unitApart: false };
    const visit = (op: Operation, scoped: ((loc: Attribute) => Attribute) | undefined): void => {
      let inner = scoped;
      if (LLVMFuncOp.is(op)) {
        if (!subprogramOf(op)) {
          count("functions");
          op.setLoc(fusedLoc(op.ctx, [op.loc], makeSubprogram(op, form, report)));
        }
        const { loc } = op;
        const scope = FusedLoc.is(loc) ? loc.params.metadata : undefined;
        inner = scope && scopedLocations(scope);
      } else if (scoped && CallSiteLoc.is(op.loc)) {
        count("inlined");
        op.setLoc(scoped(op.loc));
      }
      for (const region of op.regions) for (const block of region.blocks()) for (const nested of block.ops()) visit(nested, inner);
    };
    visit(root, undefined);
  },
});

/** Locations whose leaves say in which file of `scope` they are; each one made once. */
function scopedLocations(scope: Attribute): (loc: Attribute) => Attribute {
  const made = new Map<Attribute, Attribute>();
  const scoped = (loc: Attribute): Attribute => {
    let result = made.get(loc);
    if (!result) {
      result = CallSiteLoc.is(loc) ? callSiteLoc(scoped(loc.params.callee), scoped(loc.params.caller)) : leaf(loc);
      made.set(loc, result);
    }
    return result;
  };
  const leaf = (loc: Attribute): Attribute => {
    const block = DILexicalBlockFileAttr.get(scope.ctx, { scope, file: placeOf(loc).file, discriminator: 0n });
    return fusedLoc(scope.ctx, [loc], block);
  };
  return scoped;
}
