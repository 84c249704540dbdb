/** Functions. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td (LLVMFuncOp), LLVMDialect.cpp. */

import type { OpParser } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { i32Attr, intOf, SymbolRefAttr, stringAttr, stringOf, typeAttr } from "../../../ir/builtin-attrs.js";
import {
  AnyRegion,
  AnySymbolRefAttr,
  ArrayAttrC,
  type AttrConstraint,
  BoolAttr,
  DenseI32ArrayAttr,
  DictArrayAttr,
  defaultAttr,
  FlatSymbolRefAttr,
  I32Attr,
  I64Attr,
  optionalAttr,
  StrAttr,
  typeAttrOf,
  Unit,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { CallableOp, FunctionOp, implement } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AffineScope, AutomaticAllocationScope, IsolatedFromAbove } from "../../../ir/traits.js";
import { FunctionOpTrait, parseFunctionBody, parseSignature, printSignature, setSignatureAttrs } from "../../builtin/function-op.js";
import { CALLING_CONVENTIONS, LINKAGES, VScaleRangeAttr } from "../attrs/index.js";
import {
  CConv,
  FramePointerKind,
  Linkage,
  MemoryEffectsC,
  TargetFeaturesC,
  UnnamedAddr,
  UWTableKind,
  VecTypeHintC,
  Visibility,
  VScaleRangeC,
} from "../constraints.js";
import { FunctionTypeC } from "../type-constraints.js";
import { isCompatibleType } from "../types/compatible.js";
import { LLVMFunctionType, LLVMVoidType, voidType } from "../types/types.js";
import { LandingpadOp } from "./calls.js";
import { BlockTagOp } from "./constants.js";
import { ResumeOp } from "./control-flow.js";

/** Reads one of the keywords of an enum, if one is there, and keeps it (or the default, which has no keyword). */
export function parseEnumKeyword<K extends string>(
  p: OpParser,
  name: string,
  cases: Readonly<Record<K, number>>,
  constraint: AttrConstraint<K>,
  dflt: K,
): void {
  let value = dflt;
  if (!p.atPunct("@"))
    for (const keyword of Object.keys(cases) as K[])
      if (keyword !== "" && p.optKeyword(keyword)) {
        value = keyword;
        break;
      }
  p.setAttr(name, constraint.write!(p.ctx, value));
}

/** The attributes that the syntax of a function spells out, outside of the attribute dictionary. */
const SPELT = [
  "sym_name",
  "function_type",
  "arg_attrs",
  "res_attrs",
  "linkage",
  "CConv",
  "visibility_",
  "comdat",
  "unnamed_addr",
  "vscale_range",
];

const strings = <const N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, optionalAttr(StrAttr)])) as Record<N, ReturnType<typeof optionalAttr<string>>>;
const units = <const N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, Unit])) as Record<N, typeof Unit>;

export const LLVMFuncOp = defineOp("llvm.func", () => ({
  attrs: {
    sym_name: StrAttr,
    sym_visibility: optionalAttr(StrAttr),
    function_type: typeAttrOf(FunctionTypeC),
    linkage: defaultAttr(Linkage, "external"),
    dso_local: Unit,
    CConv: defaultAttr(CConv, "ccc"),
    comdat: optionalAttr(AnySymbolRefAttr),
    convergent: Unit,
    personality: optionalAttr(FlatSymbolRefAttr),
    garbageCollector: optionalAttr(StrAttr),
    passthrough: optionalAttr(ArrayAttrC),
    arg_attrs: optionalAttr(DictArrayAttr),
    res_attrs: optionalAttr(DictArrayAttr),
    function_entry_count: optionalAttr(I64Attr),
    memory_effects: optionalAttr(MemoryEffectsC),
    visibility_: defaultAttr(Visibility, ""),
    ...units(
      "arm_streaming",
      "arm_locally_streaming",
      "arm_streaming_compatible",
      "arm_new_za",
      "arm_in_za",
      "arm_out_za",
      "arm_inout_za",
      "arm_preserves_za",
    ),
    section: optionalAttr(StrAttr),
    unnamed_addr: optionalAttr(UnnamedAddr),
    alignment: optionalAttr(I64Attr),
    vscale_range: optionalAttr(VScaleRangeC),
    frame_pointer: optionalAttr(FramePointerKind),
    ...strings("target_cpu", "tune_cpu", "reciprocal_estimates", "prefer_vector_width"),
    target_features: optionalAttr(TargetFeaturesC),
    unsafe_fp_math: optionalAttr(BoolAttr),
    no_infs_fp_math: optionalAttr(BoolAttr),
    no_nans_fp_math: optionalAttr(BoolAttr),
    no_signed_zeros_fp_math: optionalAttr(BoolAttr),
    ...strings("denormal_fp_math", "denormal_fp_math_f32", "fp_contract", "instrument_function_entry", "instrument_function_exit"),
    ...units("no_inline", "always_inline", "inline_hint", "no_unwind", "will_return", "optimize_none"),
    vec_type_hint: optionalAttr(VecTypeHintC),
    work_group_size_hint: optionalAttr(DenseI32ArrayAttr),
    reqd_work_group_size: optionalAttr(DenseI32ArrayAttr),
    intel_reqd_sub_group_size: optionalAttr(I32Attr),
    uwtable_kind: optionalAttr(UWTableKind),
  },
  regions: { body: AnyRegion },
  traits: [AffineScope, AutomaticAllocationScope, IsolatedFromAbove, FunctionOpTrait],
  interfaces: [
    implement(FunctionOp, { type: signatureOf }),
    implement(CallableOp, {
      region: (op) => (op.regions[0]!.empty ? undefined : op.regions[0]),
      resultTypes: (op) => signatureOf(op).results,
    }),
  ],
  parse(p) {
    parseEnumKeyword(p, "linkage", LINKAGES, Linkage, "external");
    parseEnumKeyword(p, "visibility_", { "": 0, hidden: 1, protected: 2 }, Visibility, "");
    parseEnumKeyword(p, "unnamed_addr", { "": 0, local_unnamed_addr: 1, unnamed_addr: 2 }, UnnamedAddr, "");
    parseEnumKeyword(p, "CConv", CALLING_CONVENTIONS, CConv, "ccc");
    const at = p.pos;
    p.setAttr("sym_name", stringAttr(p.ctx, p.symbolName()));
    const signature = parseSignature(p, true);
    const params = signature.args.map((arg) => arg.type);
    p.setAttr("function_type", typeAttr(functionType(p, at, params, signature.resultTypes, signature.isVariadic)));
    if (p.optKeyword("vscale_range")) {
      p.punct("(");
      const minRange = i32Attr(p.ctx, p.integer());
      p.punct(",");
      const maxRange = i32Attr(p.ctx, p.integer());
      p.punct(")");
      p.setAttr("vscale_range", VScaleRangeAttr.get(p.ctx, { minRange, maxRange }));
    }
    parseComdat(p);
    p.optAttrDictWithKeyword();
    setSignatureAttrs(p, signature);
    // Braces with nothing in them are a declaration too.
    parseFunctionBody(p, signature, true);
  },
  print(view, p) {
    const { op, body, linkage, visibility_, unnamed_addr, CConv: cconv, vscale_range, comdat, sym_name } = view;
    p.write(" ");
    if (linkage !== "external") p.write(`${linkage} `);
    if (visibility_) p.write(`${visibility_} `);
    if (unnamed_addr) p.write(`${unnamed_addr} `);
    if (cconv !== "ccc") p.write(`${cconv} `);
    p.write(p.symbol(sym_name));
    const { inputs, results, isVariadic } = signatureOf(op);
    printSignature(p, op, inputs, isVariadic, results);
    if (VScaleRangeAttr.is(vscale_range))
      p.write(` vscale_range(${intOf(vscale_range.params.minRange)}, ${intOf(vscale_range.params.maxRange)})`);
    if (comdat) p.write(` comdat(${p.attr(comdat)})`);
    p.optAttrDictWithKeyword(op, SPELT);
    if (body.empty) return;
    p.write(" ");
    p.region(body, { entryArgs: false });
  },
  verify(view, report) {
    const { op, body, linkage } = view;
    if (linkage === "common") return void report.error("functions cannot have 'common' linkage");
    if (body.empty) {
      if (linkage !== "external" && linkage !== "extern_weak")
        report.error("external functions must have 'external' or 'extern_weak' linkage");
      return;
    }
    const has = (name: string) => view[name as "no_inline"] || passthroughHas(view.passthrough, name.replace("_", ""));
    if (has("no_inline") && has("always_inline")) return void report.plain("no_inline and always_inline attributes are incompatible");
    if (view.optimize_none && !has("no_inline")) return void report.error("with optimize_none must also be no_inline");
    verifyNested(op, report);
  },
  verifyRegions({ body }, report) {
    const wrong = body.firstBlock?.args.findIndex((arg) => !isCompatibleType(arg.type)) ?? -1;
    if (wrong >= 0) report.error(`entry block argument #${wrong} is not of LLVM type`);
  },
}));

/** `comdat(@table::@selector)` */
export function parseComdat(p: OpParser): void {
  if (!p.optKeyword("comdat")) return;
  p.punct("(");
  const at = p.pos;
  const ref = p.attribute();
  p.setAttr("comdat", SymbolRefAttr.is(ref) ? ref : p.fail("invalid kind of attribute specified", at));
  p.punct(")");
}

function functionType(p: OpParser, at: number, params: readonly Type[], results: readonly Type[], varArg: boolean): Type {
  const wrong = (what: string) => p.fail(`failed to construct function type: ${what}`, at, "parse.function");
  if (results.length > 1) return wrong("expected zero or one function result");
  if (!params.every(isCompatibleType)) return wrong("expected LLVM type for function arguments");
  const returnType = results[0] ?? voidType(p.ctx);
  if (!isCompatibleType(returnType)) return wrong(`expected LLVM type for function results'${typeText(returnType)}'`);
  return LLVMFunctionType.get(p.ctx, { returnType, params, varArg });
}

/** Parameters and results of a function; void is no result. */
function signatureOf(op: Operation): { readonly inputs: readonly Type[]; readonly results: readonly Type[]; readonly isVariadic: boolean } {
  const type = LLVMFuncOp.match(op)!.function_type;
  if (!LLVMFunctionType.is(type)) return { inputs: [], results: [], isVariadic: false };
  const { params, returnType, varArg } = type.params;
  return { inputs: params, results: LLVMVoidType.is(returnType) ? [] : [returnType], isVariadic: varArg };
}
/** Whether a function's `passthrough` has that attribute of LLVM's. */
export function passthroughHas(passthrough: readonly Attribute[] | undefined, name: string): boolean {
  return passthrough?.some((a) => stringOf(a) === name) ?? false;
}

/** Landing pads agree on their type; block tags are unique. Only directly nested ops are looked at. */
function verifyNested(func: Operation, report: OpReport): void {
  let landing: Type | undefined;
  const tags = new Set<Attribute>();
  for (let block = func.regions[0]!.firstBlock; block; block = block.next)
    for (let op = block.firstOp; op; op = op.next) {
      const isPad = op.def === (LandingpadOp as unknown);
      if (isPad || op.def === (ResumeOp as unknown)) {
        const type = isPad ? op.result().type : op.operand(0).type;
        if (landing && landing !== type)
          return void report.plain(
            isPad
              ? "'llvm.landingpad' should have a consistent result type inside a function"
              : "'llvm.resume' should have a consistent input type inside a function",
          );
        landing = type;
      }
      const tag = BlockTagOp.match(op)?.tag;
      if (tag && tags.has(tag)) return void report.plain("duplicate block tag in the same function: ");
      if (tag) tags.add(tag);
    }
}
