/** Globals, aliases and the other ops of a module beside functions. Source: LLVMOps.td, LLVMDialect.cpp. */
import type { OpParser, OpPrinter } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import {
  ArrayAttr,
  DenseElementsAttr,
  FloatAttr,
  IntegerAttr,
  StringAttr,
  SymbolRefAttr,
  stringAttr,
  typeAttr,
  unitAttr,
} from "../../../ir/builtin-attrs.js";
import { bitWidth, i8 } from "../../../ir/builtin-types.js";
import {
  AnyAttr,
  AnyRegion,
  AnySymbolRefAttr,
  ArrayAttrC,
  defaultAttr,
  FlatSymbolRefAttr,
  I64Attr,
  NonNegativeI32Attr,
  optionalAttr,
  SizedRegion1,
  StrAttr,
  SymbolNameAttr,
  TypeAttrC,
  Unit,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { implement, isMemoryEffectFree, SymbolUser } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import { typeText } from "../../../ir/text-hook.js";
import {
  IsolatedFromAbove,
  NoRegionArguments,
  NoTerminator,
  SingleBlockImplicitTerminator,
  SymbolTable,
  Symbol as SymbolTrait,
} from "../../../ir/traits.js";
import { LINKAGES, ModuleFlagAttr, UNNAMED_ADDRS, VISIBILITIES, ZeroAttr } from "../attrs/index.js";
import {
  Comdat,
  DIGlobalVariableExpressionArray,
  FlatSymbolRefArrayAttr,
  I32ArrayAttr,
  Linkage,
  StrArrayAttr,
  UnnamedAddr,
  Visibility,
} from "../constraints.js";
import { LLVMArrayType, LLVMPointerType } from "../types/types.js";
import { parseComdat, parseEnumKeyword } from "./functions.js";

/** The attributes that the syntax of globals and aliases spells out, outside of the attribute dictionary. */
const SPELT = [
  "sym_name",
  "global_type",
  "alias_type",
  "constant",
  "value",
  "linkage",
  "unnamed_addr",
  "thread_local_",
  "visibility_",
  "comdat",
];

/** `external hidden thread_local unnamed_addr`, before the name. */
function parsePrefix(p: OpParser): void {
  parseEnumKeyword(p, "linkage", LINKAGES, Linkage, "external");
  parseEnumKeyword(p, "visibility_", VISIBILITIES, Visibility, "");
  if (p.optKeyword("thread_local")) p.setAttr("thread_local_", unitAttr(p.ctx));
  parseEnumKeyword(p, "unnamed_addr", UNNAMED_ADDRS, UnnamedAddr, "");
}
interface Prefixed {
  readonly linkage: string;
  readonly visibility_: string;
  readonly thread_local_: boolean;
  readonly unnamed_addr: string | undefined;
}
function printPrefix({ linkage, visibility_, thread_local_, unnamed_addr }: Prefixed, p: OpPrinter): void {
  p.write(` ${linkage} `);
  if (visibility_) p.write(`${visibility_} `);
  if (thread_local_) p.write("thread_local ");
  if (unnamed_addr) p.write(`${unnamed_addr} `);
}
/** `: T`, at most one. */
function optColonType(p: OpParser): Type | undefined {
  if (!p.atPunct(":")) return undefined;
  const at = p.pos;
  const types = p.colonTypes();
  return types.length > 1 ? p.fail("expected zero or one type", at) : types[0];
}

const NO_VALUE: ReadonlySet<string> = new Set(["llvm.void", "llvm.token", "llvm.metadata", "llvm.label"]);

export const GlobalOp = defineOp("llvm.mlir.global", () => ({
  attrs: {
    global_type: TypeAttrC,
    constant: Unit,
    sym_name: StrAttr,
    linkage: Linkage,
    dso_local: Unit,
    thread_local_: Unit,
    externally_initialized: Unit,
    value: optionalAttr(AnyAttr),
    alignment: optionalAttr(I64Attr),
    addr_space: defaultAttr(NonNegativeI32Attr, 0),
    unnamed_addr: optionalAttr(UnnamedAddr),
    section: optionalAttr(StrAttr),
    comdat: optionalAttr(AnySymbolRefAttr),
    dbg_exprs: DIGlobalVariableExpressionArray,
    visibility_: defaultAttr(Visibility, ""),
    target_specific_attrs: optionalAttr(ArrayAttrC),
  },
  regions: { initializer: AnyRegion },
  traits: [IsolatedFromAbove, SingleBlockImplicitTerminator("llvm.return"), SymbolTrait],
  parse(p) {
    parsePrefix(p);
    if (p.optKeyword("constant")) p.setAttr("constant", unitAttr(p.ctx));
    p.setAttr("sym_name", stringAttr(p.ctx, p.symbolName()));
    p.punct("(");
    const value = p.atPunct(")") ? undefined : p.attribute();
    if (value) p.setAttr("value", value);
    p.punct(")");
    parseComdat(p);
    p.optAttrDict();
    const at = p.pos;
    let type = optColonType(p);
    if (type) {
      if (!p.optRegion()) p.state.regions.push(new Region(p.ctx, null, 0));
    } else if (StringAttr.is(value)) {
      type = LLVMArrayType.get(p.ctx, { elementType: i8(p.ctx), numElements: value.params.value.length });
      p.state.regions.push(new Region(p.ctx, null, 0));
    } else return p.fail("type can only be omitted for string globals", at);
    p.setAttr("global_type", typeAttr(type));
  },
  print(view, p) {
    const { op, constant, sym_name, value, comdat, initializer, global_type } = view;
    printPrefix(view, p);
    p.write(`${constant ? "constant " : ""}${p.symbol(sym_name)}(${value ? p.attr(value) : ""})`);
    if (comdat) p.write(` comdat(${p.attr(comdat)})`);
    p.optAttrDict(op, SPELT);
    if (StringAttr.is(value)) return;
    p.write(` : ${p.type(global_type)}`);
    if (initializer.empty) return;
    p.write(" ");
    p.region(initializer, { entryArgs: false });
  },
  verify({ op, global_type, value, linkage, comdat }, report) {
    if (NO_VALUE.has(global_type.def.name) || (!global_type.def.name.startsWith("llvm.") && global_type.def.name === "builtin.index"))
      return void report.error("expects type to be a valid element type for an LLVM global");
    if (op.parentOp && !isModule(op.parentOp)) return void report.error("must appear at the module level");
    if (StringAttr.is(value)) {
      const fits =
        LLVMArrayType.is(global_type) &&
        bitWidth(global_type.params.elementType) === 8 &&
        global_type.params.numElements === value.params.value.length;
      if (!fits) return void report.error("requires an i8 array type of the length equal to that of the string attribute");
    }
    if (linkage === "common" && value && !isZero(value)) return void report.error("expected zero value for 'common' linkage");
    if (linkage === "appending" && !LLVMArrayType.is(global_type)) return void report.error("expected array type for 'appending' linkage");
    if (comdat && !comdatSelector(op, comdat)) return void report.plain("expected comdat symbol");
    const aligned = op.attr("alignment");
    if (IntegerAttr.is(aligned) && !isUnsignedPowerOf2(BigInt.asUintN(64, aligned.params.value)))
      report.plain("alignment attribute is not a power of 2");
  },
  verifyRegions({ initializer, global_type, value }, report) {
    const block = initializer.firstBlock;
    if (!block) return;
    const returned = block.lastOp?.operands[0];
    if (!returned) return void report.error("initializer region cannot return void");
    if (returned.type !== global_type)
      return void report.error(
        `initializer region type '${typeText(returned.type)}' does not match global type '${typeText(global_type)}'`,
      );
    for (const nested of block.ops())
      if (!isMemoryEffectFree(nested)) return void report.plain("ops with side effects not allowed in global initializers");
    if (value) report.error("cannot have both initializer value and region");
  },
}));

const isUnsignedPowerOf2 = (value: bigint): boolean => value > 0n && (value & (value - 1n)) === 0n;
const isModule = (op: Operation): boolean => op.def.traits.has(SymbolTable) && op.def.isIsolated;
function isZero(value: Attribute): boolean {
  if (IntegerAttr.is(value)) return value.params.value === 0n;
  if (FloatAttr.is(value)) return BigInt.asUintN((bitWidth(value.params.type) ?? 64) - 1, value.params.bits) === 0n;
  if (DenseElementsAttr.is(value)) return value.params.elements.every((e) => e === 0n);
  return ArrayAttr.is(value) && value.params.elements.every(isZero);
}
/** The selector that `@comdat::@selector` names. */
function comdatSelector(op: Operation, ref: Attribute): Operation | undefined {
  if (!SymbolRefAttr.is(ref)) return undefined;
  let table = op.parentOp;
  while (table && !table.def.traits.has(SymbolTable)) table = table.parentOp;
  let at: Operation | undefined = table ?? undefined;
  for (const name of [ref.params.root, ...ref.params.nested]) {
    let found: Operation | undefined;
    for (const region of at?.regions ?? [])
      for (const block of region.blocks())
        for (const nested of block.ops()) {
          const symbol = nested.attr("sym_name");
          if (StringAttr.is(symbol) && symbol.params.value === name) found = nested;
        }
    at = found;
  }
  return at?.name === "llvm.comdat_selector" ? at : undefined;
}

export const AliasOp = defineOp("llvm.mlir.alias", () => ({
  attrs: {
    alias_type: TypeAttrC,
    sym_name: StrAttr,
    linkage: Linkage,
    dso_local: Unit,
    thread_local_: Unit,
    unnamed_addr: optionalAttr(UnnamedAddr),
    visibility_: defaultAttr(Visibility, ""),
  },
  regions: { initializer: SizedRegion1 },
  traits: [IsolatedFromAbove, SingleBlockImplicitTerminator("llvm.return"), SymbolTrait],
  parse(p) {
    parsePrefix(p);
    p.setAttr("sym_name", stringAttr(p.ctx, p.symbolName()));
    p.optAttrDict();
    const type = optColonType(p) ?? p.fail("expected ':'");
    p.region();
    p.setAttr("alias_type", typeAttr(type));
  },
  print(view, p) {
    const { op, sym_name, alias_type, initializer } = view;
    printPrefix(view, p);
    p.write(p.symbol(sym_name));
    p.optAttrDict(op, SPELT);
    p.write(` : ${p.type(alias_type)} `);
    p.region(initializer, { entryArgs: false });
  },
  verify({ alias_type, linkage }, report) {
    if (NO_VALUE.has(alias_type.def.name)) report.error("expects type to be a valid element type for an LLVM global alias");
    else if (["appending", "extern_weak", "common"].includes(linkage))
      report.error(
        `'${linkage}' linkage not supported in aliases, available options: private, internal, linkonce, weak, linkonce_odr, weak_odr, external or available_externally`,
      );
  },
  verifyRegions({ initializer }, report) {
    const block = initializer.firstBlock;
    const returned = block?.lastOp?.operands[0];
    if (!block || !returned || !LLVMPointerType.is(returned.type))
      return void report.error("initializer region must always return a pointer");
    for (const nested of block.ops())
      if (!isMemoryEffectFree(nested)) return void report.plain("ops with side effects are not allowed in alias initializers");
  },
}));

export const IFuncOp = defineOp("llvm.mlir.ifunc", () => ({
  attrs: {
    sym_name: SymbolNameAttr,
    i_func_type: TypeAttrC,
    resolver: FlatSymbolRefAttr,
    resolver_type: TypeAttrC,
    linkage: Linkage,
    dso_local: Unit,
    address_space: defaultAttr(NonNegativeI32Attr, 0),
    unnamed_addr: defaultAttr(UnnamedAddr, ""),
    visibility_: defaultAttr(Visibility, ""),
  },
  traits: [IsolatedFromAbove, SymbolTrait],
  parse(p) {
    parseEnumKeyword(p, "linkage", LINKAGES, Linkage, "external");
    parseEnumKeyword(p, "visibility_", VISIBILITIES, Visibility, "");
    parseEnumKeyword(p, "unnamed_addr", UNNAMED_ADDRS, UnnamedAddr, "");
    p.setAttr("sym_name", stringAttr(p.ctx, p.symbolName()));
    p.punct(":");
    p.setAttr("i_func_type", typeAttr(p.type()));
    p.punct(",");
    p.setAttr("resolver_type", typeAttr(p.type()));
    p.setAttr("resolver", p.attribute());
    p.optAttrDict();
  },
  print({ op, linkage, visibility_, unnamed_addr, sym_name, i_func_type, resolver_type, resolver, address_space }, p) {
    const words = [linkage, visibility_, unnamed_addr].filter((word) => word !== "");
    p.write(` ${words.join(" ")} ${p.symbol(sym_name)} : ${p.type(i_func_type)}, ${p.type(resolver_type)} ${p.symbol(resolver)}`);
    const spelt = ["sym_name", "i_func_type", "resolver", "resolver_type", "linkage", "unnamed_addr", "visibility_"];
    p.optAttrDict(op, address_space === 0 ? [...spelt, "address_space"] : spelt);
  },
  verify({ linkage }, report) {
    if (["appending", "extern_weak", "common", "available_externally"].includes(linkage))
      report.error(
        `'${linkage}' linkage not supported in ifuncs, available options: private, internal, linkonce, weak, linkonce_odr, weak_odr, or external linkage`,
      );
  },
}));

export const ComdatSelectorOp = defineOp("llvm.comdat_selector", () => ({
  attrs: { sym_name: SymbolNameAttr, comdat: Comdat },
  traits: [SymbolTrait],
  format: "$sym_name $comdat attr-dict",
}));
export const ComdatOp = defineOp("llvm.comdat", () => ({
  attrs: { sym_name: SymbolNameAttr },
  regions: { body: SizedRegion1 },
  traits: [NoTerminator, NoRegionArguments, SymbolTable, SymbolTrait],
  format: "$sym_name $body attr-dict",
  verifyRegions({ body }, report) {
    for (const block of body.blocks())
      for (const op of block.ops())
        if (!ComdatSelectorOp.is(op)) return void report.plain("only comdat selector symbols can appear in a comdat region");
  },
}));

/** Functions that run before or after main. */
function structors(name: string, list: "ctors" | "dtors") {
  return defineOp(name, () => ({
    attrs: { [list]: FlatSymbolRefArrayAttr, priorities: I32ArrayAttr, data: ArrayAttrC } as Record<
      "ctors" | "dtors" | "priorities" | "data",
      typeof ArrayAttrC
    >,
    format: `\`${list}\` \`=\` $${list} \`,\` \`priorities\` \`=\` $priorities \`,\` \`data\` \`=\` $data attr-dict`,
    interfaces: [
      implement(SymbolUser, {
        verifySymbolUses(op, lookup, report) {
          const names = op.attr(list);
          if (!ArrayAttr.is(names)) return;
          for (const ref of names.params.elements) {
            const symbol = SymbolRefAttr.is(ref) ? ref.params.root : "";
            const func = lookup(symbol);
            if (func?.name !== "llvm.func") return void report.error(`'${symbol}' does not reference a valid LLVM function`);
            if (func.regions[0]!.empty) return void report.error(`'${symbol}' does not have a definition`);
          }
        },
      }),
    ],
    verify({ op }, report) {
      const count = (attr: string) => ArrayAttr.params(op.attr(attr)!).elements;
      const data = count("data");
      if (!data.every((d) => ZeroAttr.is(d) || (SymbolRefAttr.is(d) && d.params.nested.length === 0)))
        report.plain("data element must be symbol or #llvm.zero");
      else if (count(list).length !== count("priorities").length || count(list).length !== data.length)
        report.plain(`${list}, priorities, and data must have the same number of elements`);
    },
  }));
}
export const GlobalCtorsOp = structors("llvm.mlir.global_ctors", "ctors");
export const GlobalDtorsOp = structors("llvm.mlir.global_dtors", "dtors");

const atModuleLevel = (op: Operation, report: OpReport): boolean => {
  if (!op.parentOp || isModule(op.parentOp)) return true;
  report.error("must appear at the module level");
  return false;
};
export const LinkerOptionsOp = defineOp("llvm.linker_options", () => ({
  attrs: { options: StrArrayAttr },
  format: "$options attr-dict",
  verify: ({ op }, report) => void atModuleLevel(op, report),
}));
export const ModuleFlagsOp = defineOp("llvm.module_flags", () => ({
  attrs: { flags: ArrayAttrC },
  format: "$flags attr-dict",
  verify({ op, flags }, report) {
    if (atModuleLevel(op, report) && !flags.every((flag) => ModuleFlagAttr.is(flag))) report.error("expected a module flag attribute");
  },
}));
