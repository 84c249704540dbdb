/** Functions as subprograms of debug information, with the types of what they take and return since 3.7. */

import { argumentAttr } from "../../dialects/builtin/function-op.js";
import {
  DICompileUnitAttr,
  DIFileAttr,
  DINullTypeAttr,
  DISubprogramAttr,
  DISubroutineTypeAttr,
} from "../../dialects/llvm/attrs/debug-info.js";
import { LLVMFunctionType, LLVMStructType, LLVMVoidType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { DistinctAttr, stringAttr, TypeAttr, unitAttr } from "../../ir/builtin-attrs.js";
import { VectorType } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import { CallSiteLoc, FusedLoc, NameLoc, positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName } from "../../ir/symbol-table.js";
import type { PassReport } from "../../pass/define-pass.js";
import { basicType, type Place, parameterType } from "./debug-types.js";

/** How a pass makes subprograms. */
export interface SubprogramForm {
  /** A placeholder: the subprogram that the variables of its arguments name as their scope, before it can list them. */
  readonly isPlaceholder: boolean;
  /** Variables are emitted too, not only lines. */
  readonly emitsVariables: boolean;
  /** The compile unit has an identity of its own; otherwise it shares one with the subprogram. */
  readonly unitApart: boolean;
}

/** The subprogram that a function's location names already. */
export const subprogramOf = (func: Operation): Attribute | undefined => metadataIn(func.loc, (attr) => DISubprogramAttr.is(attr));

export function makeSubprogram(func: Operation, form: SubprogramForm, report: PassReport): Attribute {
  const { ctx } = func;
  const place = placeOf(func.loc);
  const { file, line } = place;
  const name = stringAttr(ctx, symbolName(func) ?? "");
  const isDefinition = !func.regions[0]!.empty;
  const isTyped = ctx.triton.debugVariables !== "3.6";
  const shared = isDefinition ? distinct(ctx) : undefined;
  return DISubprogramAttr.get(ctx, {
    recId: isTyped ? (form.unitApart ? distinct(ctx) : shared) : undefined,
    isRecSelf: isTyped && form.isPlaceholder,
    id: isTyped ? distinct(ctx) : shared,
    compileUnit: shared && (unitOfModule(func) ?? compileUnit(ctx, shared, file, form.emitsVariables)),
    scope: file,
    name,
    linkageName: name,
    file,
    line: BigInt(line),
    scopeLine: BigInt(line),
    subprogramFlags: isDefinition ? "Definition|Optimized" : "Optimized",
    type: DISubroutineTypeAttr.get(ctx, {
      callingConvention: "DW_CC_normal",
      types: isTyped ? signatureTypes(func, place, report) : undefined,
    }),
    retainedNodes: undefined,
    annotations: undefined,
  });
}

/** An identity: no node of another function is the same. */
export const distinct = (ctx: Context): Attribute => DistinctAttr.get(ctx, { number: BigInt(-ctx.nextId()), referenced: unitAttr(ctx) });

function unitOfModule(func: Operation): Attribute | undefined {
  return func.parentOp ? metadataIn(func.parentOp.loc, (attr) => DICompileUnitAttr.is(attr)) : undefined;
}

function compileUnit(ctx: Context, id: Attribute, file: Attribute, emitsVariables: boolean): Attribute {
  return DICompileUnitAttr.get(ctx, {
    id,
    sourceLanguage: "DW_LANG_C",
    file,
    producer: stringAttr(ctx, "triton"),
    isOptimized: true,
    emissionKind: emitsVariables ? "Full" : "LineTablesOnly",
    nameTableKind: "Default",
  });
}

/** The type of the result, then those of the parameters. */
function signatureTypes(func: Operation, place: Place, report: PassReport): readonly Attribute[] {
  const { ctx } = func;
  const { returnType, params } = LLVMFunctionType.params(TypeAttr.params(func.attr("function_type")!).type);
  const result = LLVMVoidType.is(returnType) ? DINullTypeAttr.get(ctx, {}) : basicType(ctx, returnType);
  const crash = params.map((type) => crashOf(type, ctx)).find((why) => why !== undefined);
  if (crash !== undefined) report.crash(func, crash);
  const pointee = (i: number): Type | undefined => {
    const attr = argumentAttr(func, i, "tt.pointee_type");
    return TypeAttr.is(attr) ? attr.params.type : undefined;
  };
  return [result, ...params.map((type, i) => parameterType(ctx, type, pointee(i), place))];
}

/** The reason why real Triton cannot say what type a parameter has. */
function crashOf(type: Type, ctx: Context): string | undefined {
  if (LLVMStructType.is(type) && (type.params.kind === "identified" || type.params.packed))
    return "a parameter is a struct with a name or a packed one";
  if (VectorType.is(type) && ctx.triton.debugVariables === "3.7") return "a parameter is a vector";
  return undefined;
}

/** The file of the innermost place that a location names. */
export function placeOf(loc: Attribute): Place {
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
