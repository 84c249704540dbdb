import {
  DICompileUnitAttr,
  DIFileAttr,
  DILexicalBlockFileAttr,
  DISubprogramAttr,
  DISubroutineTypeAttr,
} from "../../dialects/llvm/attrs/debug-info.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import type { Attribute } from "../../ir/attribute.js";
import { DistinctAttr, stringAttr, unitAttr } from "../../ir/builtin-attrs.js";
import type { Context } from "../../ir/context.js";
import { CallSiteLoc, callSiteLoc, FusedLoc, fusedLoc, NameLoc, positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName } from "../../ir/symbol-table.js";
import { definePass } from "../../pass/define-pass.js";

export const enableLineInfo = definePass("enable-line-info", {
  name: "LLVMDIScope",
  summary: "Materialize LLVM line info",
  source: "lib/Target/LLVMIR/LLVMDIScope.cpp",
  statistics: { functions: "functions that got a subprogram", inlined: "inlined ops that got a scope" },
  run(root, { count }) {
    const compileUnit = metadataIn(root.loc, (attr) => DICompileUnitAttr.is(attr));
    const visit = (op: Operation, scoped: ((loc: Attribute) => Attribute) | undefined): void => {
      let inner = scoped;
      if (LLVMFuncOp.is(op)) {
        if (!metadataIn(op.loc, (attr) => DISubprogramAttr.is(attr))) {
          count("functions");
          op.setLoc(fusedLoc(op.ctx, [op.loc], subprogram(op, compileUnit)));
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

function subprogram(func: Operation, unit: Attribute | undefined): Attribute {
  const { ctx } = func;
  const { file, line } = fileOf(func.loc);
  const name = stringAttr(ctx, symbolName(func) ?? "");
  const isDefinition = !func.regions[0]!.empty;
  // No node of another function is the same.
  const id = isDefinition ? DistinctAttr.get(ctx, { number: BigInt(-ctx.nextId()), referenced: unitAttr(ctx) }) : undefined;
  return DISubprogramAttr.get(ctx, {
    recId: undefined,
    isRecSelf: false,
    id,
    compileUnit: id && (unit ?? compileUnitOf(ctx, id, file)),
    scope: file,
    name,
    linkageName: name,
    file,
    line: BigInt(line),
    scopeLine: BigInt(line),
    subprogramFlags: isDefinition ? "Definition|Optimized" : "Optimized",
    type: DISubroutineTypeAttr.get(ctx, { callingConvention: "DW_CC_normal", types: undefined }),
    retainedNodes: undefined,
    annotations: undefined,
  });
}

function compileUnitOf(ctx: Context, id: Attribute, file: Attribute): Attribute {
  return DICompileUnitAttr.get(ctx, {
    id,
    sourceLanguage: "DW_LANG_C",
    file,
    producer: stringAttr(ctx, "triton"),
    isOptimized: true,
    emissionKind: "LineTablesOnly",
    nameTableKind: "Default",
  });
}

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
    const block = DILexicalBlockFileAttr.get(scope.ctx, { scope, file: fileOf(loc).file, discriminator: 0n });
    return fusedLoc(scope.ctx, [loc], block);
  };
  return scoped;
}

/** The file of the innermost place that a location names. */
function fileOf(loc: Attribute): { readonly file: Attribute; readonly line: number } {
  const { file: path, line } = positionOfLocation(loc.ctx, loc) ?? { file: "<unknown>", line: 0 };
  const slash = path.lastIndexOf("/");
  // The root keeps its slash.
  const directory = path.slice(0, slash === 0 ? 1 : Math.max(slash, 0));
  return { file: DIFileAttr.get(loc.ctx, { name: path.slice(slash + 1), directory }), line };
}

/** The metadata of that kind fused into a location or a part of it. */
function metadataIn(loc: Attribute, test: (metadata: Attribute) => boolean): Attribute | undefined {
  if (NameLoc.is(loc)) return metadataIn(loc.params.child, test);
  if (CallSiteLoc.is(loc)) return metadataIn(loc.params.callee, test) ?? metadataIn(loc.params.caller, test);
  if (!FusedLoc.is(loc)) return undefined;
  const { metadata, locations } = loc.params;
  if (metadata && test(metadata)) return metadata;
  for (const part of locations) {
    const found = metadataIn(part, test);
    if (found) return found;
  }
  return undefined;
}
