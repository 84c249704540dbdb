/** Constants that no builtin attribute holds, and what describes functions, targets and modules. Source: LLVMAttrDefs.td. */
import { type Attribute, defineAttr, type Type } from "../../../ir/attribute.js";
import { storageWidth, stringAttr, wrapInt } from "../../../ir/builtin-attrs.js";
import { IntegerType } from "../../../ir/builtin-types.js";
import type { Context } from "../../../ir/context.js";
import { attr, bool, dflt, keywordOf, list, opt, structAttr, uint } from "./params.js";

export const UndefAttr = defineAttr<Record<string, never>>("llvm.undef");
export const PoisonAttr = defineAttr<Record<string, never>>("llvm.poison");
export const ZeroAttr = defineAttr<Record<string, never>>("llvm.zero");
export const undefAttr = (ctx: Context): Attribute => UndefAttr.get(ctx, {});
export const poisonAttr = (ctx: Context): Attribute => PoisonAttr.get(ctx, {});
export const zeroAttr = (ctx: Context): Attribute => ZeroAttr.get(ctx, {});

export const DSOLocalEquivalentAttr = defineAttr<{ readonly sym: string }>("llvm.dso_local_equivalent", {
  parse: (p) => ({ sym: p.symbolName() }),
  print: ({ sym }, p) => ` ${p.symbol(sym)}`,
});
export const BlockTagAttr = structAttr("llvm.blocktag", { id: uint });
export const BlockAddressAttr = structAttr("llvm.blockaddress", { function: attr(), tag: attr("llvm.blocktag") });

/** `<i32, 0, 32>`: the integers from `lower` up to (not including) `upper`, which may wrap around. */
export const ConstantRangeAttr = defineAttr<{ readonly type: Type; readonly lower: bigint; readonly upper: bigint }>(
  "llvm.constant_range",
  {
    parse(p) {
      p.punct("<");
      const at = p.pos;
      const type = p.type();
      if (!IntegerType.is(type)) return p.fail("expected integer type", at, "parse.attribute");
      p.punct(",");
      const lower = wrapInt(p.integer(storageWidth(type)), type);
      p.punct(",");
      const upper = wrapInt(p.integer(storageWidth(type)), type);
      p.punct(">");
      return { type, lower, upper };
    },
    print: ({ type, lower, upper }, p) => `<${p.type(type)}, ${lower}, ${upper}>`,
  },
);
export const VScaleRangeAttr = structAttr("llvm.vscale_range", { minRange: attr(), maxRange: attr() });
export const VecTypeHintAttr = structAttr("llvm.vec_type_hint", { hint: attr(), is_signed: dflt(bool, false) });
/** `<["+sm_80", "+ptx81"]>` */
export const TargetFeaturesAttr = defineAttr<{ readonly features: readonly Attribute[] }>("llvm.target_features", {
  parse(p) {
    p.punct("<");
    const features = p.list("[", "]", () => stringAttr(p.ctx, p.string()));
    p.punct(">");
    return { features };
  },
  print: ({ features }, p) => `<[${features.map((f) => p.attr(f)).join(", ")}]>`,
});
export const TargetAttr = structAttr("llvm.target", { triple: attr(), chip: attr(), features: opt(attr("llvm.target_features")) });
export const DependentLibrariesAttr = defineAttr<{ readonly libs: readonly Attribute[] }>("llvm.dependent_libraries", {
  parse(p) {
    p.punct("<");
    const libs = p.atPunct(">") ? [] : p.list("", "", () => stringAttr(p.ctx, p.string()));
    p.punct(">");
    return { libs };
  },
  print: ({ libs }, p) => `<${libs.map((l) => p.attr(l)).join(", ")}>`,
});
/** `<32 : i64, f32>` */
export const WorkgroupAttributionAttr = defineAttr<{ readonly numElements: Attribute; readonly elementType: Attribute }>(
  "llvm.mlir.workgroup_attribution",
  {
    parse(p) {
      p.punct("<");
      const numElements = p.attribute();
      p.punct(",");
      const elementType = p.attribute();
      p.punct(">");
      return { numElements, elementType };
    },
    print: ({ numElements, elementType }, p) => `<${p.attr(numElements)}, ${p.attr(elementType)}>`,
  },
);
const BEHAVIORS = ["error", "warning", "require", "override", "append", "append_unique", "max", "min"];
/** `<error, "key", value>` */
export const ModuleFlagAttr = defineAttr<{ readonly behavior: string; readonly key: string; readonly value: Attribute }>(
  "llvm.mlir.module_flag",
  {
    parse(p) {
      p.punct("<");
      const at = p.pos;
      const behavior = p.anyKeyword("module flag behavior");
      if (!BEHAVIORS.includes(behavior)) p.fail(`expected one of: ${BEHAVIORS.join(", ")}`, at, "parse.enum");
      p.punct(",");
      const key = p.string();
      p.punct(",");
      const value = p.attribute();
      p.punct(">");
      return { behavior, key, value };
    },
    print: ({ behavior, key, value }, p) => `<${behavior}, ${p.string(key)}, ${p.attr(value)}>`,
  },
);
export const ModuleFlagCGProfileEntryAttr = structAttr("llvm.cgprofile_entry", { from: opt(attr()), to: opt(attr()), count: uint });
export const ModuleFlagProfileSummaryDetailedAttr = structAttr("llvm.profile_summary_detailed", {
  cut_off: uint,
  min_count: uint,
  num_counts: uint,
});
export const ModuleFlagProfileSummaryAttr = structAttr("llvm.profile_summary", {
  format: keywordOf({ SampleProfile: 0, InstrProf: 1, CSInstrProf: 2 }),
  total_count: uint,
  max_count: uint,
  max_internal_count: uint,
  max_function_count: uint,
  num_counts: uint,
  num_functions: uint,
  is_partial_profile: opt(uint),
  partial_profile_ratio: opt(attr()),
  detailed_summary: list(attr("llvm.profile_summary_detailed")),
});
