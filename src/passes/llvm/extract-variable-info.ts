import {
  DIExpressionAttr,
  DIFileAttr,
  DILexicalBlockFileAttr,
  DILocalVariableAttr,
  DISubprogramAttr,
  DISubroutineTypeAttr,
} from "../../dialects/llvm/attrs/debug-info.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import { DbgValueOp } from "../../dialects/llvm/ops/intrinsics-memory.js";
import type { Attribute } from "../../ir/attribute.js";
import { stringAttr } from "../../ir/builtin-attrs.js";
import { CallSiteLoc, callSiteLoc, FusedLoc, fusedLoc, NameLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { basicType } from "./debug-types.js";
import { distinct, makeSubprogram, subprogramOf } from "./subprograms.js";

export const extractVariableInfo = definePass("extract-variable-info", {
  name: "LLVMDILocalVariable",
  summary: "Pull out source variable info from Location to DILocalVariable",
  source: "lib/Target/LLVMIR/LLVMDILocalVariable.cpp",
  statistics: { args: "arguments with a variable", values: "values with a variable" },
  run(root, { count, listener, report }) {
    const rw = new Rewriter(root.ctx, listener);
    const functions: Operation[] = [];
    root.walk((op) => void (LLVMFuncOp.is(op) && functions.push(op)));
    for (const func of functions) {
      const named: Operation[] = [];
      func.walk((op) => void (op !== func && op.numResults > 0 && NameLoc.is(op.loc) && named.push(op)));
      const scope =
        root.ctx.triton.debugVariables === "3.6" ? placeholder(func, report) : nameArguments(func, rw, report, () => count("args"));
      if (!scope) continue;
      for (const op of named) {
        count("values");
        nameValue(op, scope, rw);
      }
    }
  },
});

const placeholder = (func: Operation, report: PassReport): Attribute =>
  subprogramOf(func) ?? makeSubprogram(func, { isPlaceholder: true, emitsVariables: true, unitApart: true }, report);

/** Gives a function a subprogram that lists its arguments, whose values it notes at the beginning; undefined for a declaration. */
function nameArguments(func: Operation, rw: Rewriter, report: PassReport, count: () => void): Attribute | undefined {
  const { ctx } = func;
  const isLater = ctx.triton.debugVariables === "3.8";
  const entry = func.regions[0]!.firstBlock;
  if (!entry) {
    if (!isLater) report.crash(func, "a function is declared");
    return undefined;
  }
  const before = placeholder(func, report);
  const params = DISubprogramAttr.params(before);
  const { file, line = 0n } = params;
  const types = params.type && DISubroutineTypeAttr.params(params.type).types;
  const args = entry.args.flatMap((arg, i) => {
    const { loc } = arg;
    const type = types?.[i + 1];
    if (!type || !NameLoc.is(loc)) return [];
    const variable = (scope: Attribute): Attribute =>
      DILocalVariableAttr.get(ctx, {
        ...VARIABLE,
        scope,
        name: stringAttr(ctx, loc.params.name),
        file,
        line,
        arg: BigInt(i + 1),
        type,
      });
    return [{ arg, loc: loc.params.child, variable }];
  });
  const subprogram = DISubprogramAttr.get(ctx, {
    ...params,
    isRecSelf: false,
    id: distinct(ctx),
    linkageName: params.name,
    scope: file,
    scopeLine: line,
    retainedNodes: args.length > 0 ? args.map(({ variable }) => variable(before)) : undefined,
    annotations: undefined,
  });
  rw.builder.setStart(entry);
  for (const { arg, loc, variable } of args) {
    count();
    noteValue(arg, variable(isLater ? subprogram : before), loc, rw);
  }
  const { loc } = func;
  const isFused = FusedLoc.is(loc) && DISubprogramAttr.is(loc.params.metadata);
  const inner = isLater && isFused ? FusedLoc.get(ctx, { locations: loc.params.locations, metadata: undefined }) : loc;
  func.setLoc(fusedLoc(ctx, [inner], subprogram));
  if (isLater && params.isRecSelf) {
    const moved = new Map<Attribute, Attribute>();
    func.walk((op) => void (op !== func && op.setLoc(inScope(op.loc, before, subprogram, moved))));
  }
  return subprogram;
}

/** Notes the value of a variable that an op defines. */
function nameValue(op: Operation, scope: Attribute, rw: Rewriter): void {
  const { ctx } = op;
  const { name, child } = NameLoc.params(op.loc);
  const value = op.result(0);
  const variable = DILocalVariableAttr.get(ctx, {
    ...VARIABLE,
    scope,
    name: stringAttr(ctx, name),
    // Upstream knows no better place.
    file: DIFileAttr.get(ctx, { name: "<unknown>", directory: "<unknown>" }),
    type: basicType(ctx, value.type),
  });
  rw.builder.setAfter(op);
  noteValue(value, variable, child, rw);
}

const VARIABLE = { line: 0n, arg: 0n, alignInBits: 0n, flags: "Zero" } as const;

function noteValue(value: Value, varInfo: Attribute, loc: Attribute, rw: Rewriter): void {
  rw.create(DbgValueOp, { value, varInfo, locationExpr: DIExpressionAttr.get(varInfo.ctx, { operations: [] }) }, { loc });
}

/** A location whose blocks of the subprogram `before` are in `after` instead. */
function inScope(loc: Attribute, before: Attribute, after: Attribute, known: Map<Attribute, Attribute>): Attribute {
  let moved = known.get(loc);
  if (!moved) known.set(loc, (moved = move()));
  return moved;

  function move(): Attribute {
    if (CallSiteLoc.is(loc)) {
      const { callee, caller } = loc.params;
      return callSiteLoc(inScope(callee, before, after, known), inScope(caller, before, after, known));
    }
    if (!FusedLoc.is(loc)) return loc;
    const { locations, metadata } = loc.params;
    const isInside = DILexicalBlockFileAttr.is(metadata) && metadata.params.scope === before;
    return FusedLoc.get(loc.ctx, {
      locations: locations.map((part) => inScope(part, before, after, known)),
      metadata: isInside ? DILexicalBlockFileAttr.get(loc.ctx, { ...metadata.params, scope: after }) : metadata,
    });
  }
}
