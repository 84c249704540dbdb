/** Debug information. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMAttrDefs.td, "DebugInfo Attributes". */
import type { AttrParser } from "../../../ir/asm.js";
import { type Attribute, defineAttr } from "../../../ir/attribute.js";
import { attr, bool, dflt, dwarfName, flags, keywordOf, list, opt, type Param, structAttr, uint } from "./params.js";

const alias = { alias: true } as const;
const FLAGS = flags([
  "Zero",
  "Private",
  "Protected",
  "Public",
  "FwdDecl",
  "AppleBlock",
  "ReservedBit4",
  "Virtual",
  "Artificial",
  "Explicit",
  "Prototyped",
  "ObjcClassComplete",
  "ObjectPointer",
  "Vector",
  "StaticMember",
  "LValueReference",
  "RValueReference",
  "ExportSymbols",
  "SingleInheritance",
  "MultipleInheritance",
  "VirtualInheritance",
  "IntroducedVirtual",
  "BitField",
  "NoReturn",
  "TypePassByValue",
  "TypePassByReference",
  "EnumClass",
  "Thunk",
  "NonTrivial",
  "BigEndian",
  "LittleEndian",
  "AllCallsDescribed",
]);
const SUBPROGRAM_FLAGS = flags([
  "Virtual",
  "PureVirtual",
  "LocalToUnit",
  "Definition",
  "Optimized",
  "Pure",
  "Elemental",
  "Recursive",
  "MainSubprogram",
  "Deleted",
  "ObjCDirect",
]);
const number = dflt(uint, 0n);
const name = opt(attr());
const file = opt(attr("llvm.di_file"));
const expression = opt(attr("llvm.di_expression"));

export const DINullTypeAttr = defineAttr<Record<string, never>>("llvm.di_null_type", { alias: () => "di_null_type" });
export const DIFileAttr = defineAttr<{ readonly name: string; readonly directory: string }>("llvm.di_file", {
  parse(p) {
    p.punct("<");
    const text = p.string();
    p.keyword("in");
    const directory = p.string();
    p.punct(">");
    return { name: text, directory };
  },
  print: (params, p) => `<${p.string(params.name)} in ${p.string(params.directory)}>`,
  alias: () => "di_file",
});
const OPERATION = dwarfName("OP");
/** A DWARF operation with its arguments, as spelt. */
type Element = { readonly opcode: string; readonly arguments: readonly string[] };
export const DIExpressionElemAttr = defineAttr<Element>("llvm.di_expression_elem", {
  parse: (p) => parseElement(p),
  print: (params) => ` ${elementText(params)}`,
});
/** The operations are parameters of the expression itself, as upstream prints them. */
export const DIExpressionAttr = defineAttr<{ readonly operations: readonly Element[] }>("llvm.di_expression", {
  parse(p) {
    p.punct("<");
    const operations = p.atPunct("[") ? p.list("[", "]", () => parseElement(p)) : [];
    p.punct(">");
    return { operations };
  },
  print: ({ operations }) => (operations.length === 0 ? "<>" : `<[${operations.map(elementText).join(", ")}]>`),
});
function parseElement(p: AttrParser): Element {
  const opcode = OPERATION.parse(p);
  if (!p.atPunct("(")) return { opcode, arguments: [] };
  return { opcode, arguments: p.list("(", ")", () => p.optAnyKeyword() ?? p.integer().toString()) };
}
function elementText({ opcode, arguments: args }: Element): string {
  return args.length === 0 ? opcode : `${opcode}(${args.join(", ")})`;
}

/** Since 3.8's MLIR the nodes are in brackets. */
const NODES = list(attr());
const RETAINED: Param<readonly Attribute[]> = {
  parse: (p) => (p.atPunct("[") ? p.list("[", "]", () => p.attribute()) : NODES.parse(p)),
  print: (nodes, p) => (nodes[0]?.ctx.triton.debugVariables === "3.8" ? `[${NODES.print(nodes, p)}]` : NODES.print(nodes, p)),
};

export const DIAnnotationAttr = structAttr("llvm.di_annotation", { name: attr(), value: attr() });
export const DIBasicTypeAttr = structAttr(
  "llvm.di_basic_type",
  { tag: opt(dwarfName("TAG")), name: attr(), sizeInBits: number, encoding: opt(dwarfName("ATE")) },
  alias,
);
export const DICommonBlockAttr = structAttr(
  "llvm.di_common_block",
  { scope: attr(), decl: opt(attr("llvm.di_global_variable")), name: attr(), file, line: number },
  alias,
);
export const DICompileUnitAttr = structAttr(
  "llvm.di_compile_unit",
  {
    id: attr(),
    sourceLanguage: dwarfName("LANG"),
    file: attr("llvm.di_file"),
    producer: name,
    isOptimized: bool,
    emissionKind: keywordOf({ None: 0, Full: 1, LineTablesOnly: 2, DebugDirectivesOnly: 3 }),
    nameTableKind: dflt(keywordOf({ Default: 0, GNU: 1, None: 2, Apple: 3 }), "Default"),
  },
  alias,
);
export const DICompositeTypeAttr = structAttr(
  "llvm.di_composite_type",
  {
    recId: opt(attr()),
    isRecSelf: dflt(bool, false),
    tag: opt(dwarfName("TAG")),
    name,
    file,
    line: number,
    scope: opt(attr()),
    baseType: opt(attr()),
    flags: dflt(FLAGS, "Zero"),
    sizeInBits: number,
    alignInBits: number,
    dataLocation: expression,
    rank: expression,
    allocated: expression,
    associated: expression,
    elements: opt(list(attr())),
  },
  alias,
);
export const DIDerivedTypeAttr = structAttr(
  "llvm.di_derived_type",
  {
    tag: opt(dwarfName("TAG")),
    name,
    file,
    line: number,
    scope: opt(attr()),
    baseType: opt(attr()),
    sizeInBits: number,
    alignInBits: number,
    offsetInBits: number,
    dwarfAddressSpace: opt(uint),
    flags: dflt(FLAGS, "Zero"),
    extraData: opt(attr()),
  },
  alias,
);
export const DIGenericSubrangeAttr = structAttr("llvm.di_generic_subrange", {
  count: opt(attr()),
  lowerBound: attr(),
  upperBound: opt(attr()),
  stride: attr(),
});
export const DISubrangeAttr = structAttr("llvm.di_subrange", {
  count: opt(attr()),
  lowerBound: opt(attr()),
  upperBound: opt(attr()),
  stride: opt(attr()),
});
export const DIGlobalVariableAttr = structAttr(
  "llvm.di_global_variable",
  {
    scope: opt(attr()),
    name,
    linkageName: name,
    file: attr("llvm.di_file"),
    line: uint,
    type: attr(),
    isLocalToUnit: dflt(bool, false),
    isDefined: dflt(bool, false),
    alignInBits: number,
  },
  alias,
);
export const DIGlobalVariableExpressionAttr = structAttr(
  "llvm.di_global_variable_expression",
  { var: attr("llvm.di_global_variable"), expr: expression },
  alias,
);
export const DIImportedEntityAttr = structAttr(
  "llvm.di_imported_entity",
  { tag: opt(dwarfName("TAG")), scope: attr(), entity: attr(), file, line: number, name, elements: opt(list(attr())) },
  alias,
);
export const DILabelAttr = structAttr("llvm.di_label", { scope: attr(), name, file, line: number }, alias);
export const DILexicalBlockAttr = structAttr("llvm.di_lexical_block", { scope: attr(), file, line: number, column: number }, alias);
export const DILexicalBlockFileAttr = structAttr("llvm.di_lexical_block_file", { scope: attr(), file, discriminator: uint }, alias);
export const DILocalVariableAttr = structAttr(
  "llvm.di_local_variable",
  {
    scope: attr(),
    name,
    file,
    line: number,
    arg: number,
    alignInBits: number,
    type: opt(attr()),
    flags: dflt(FLAGS, "Zero"),
  },
  alias,
);
export const DIModuleAttr = structAttr(
  "llvm.di_module",
  { file, scope: opt(attr()), name, configMacros: name, includePath: name, apinotes: name, line: number, isDecl: dflt(bool, false) },
  alias,
);
export const DINamespaceAttr = structAttr("llvm.di_namespace", { name, scope: opt(attr()), exportSymbols: bool }, alias);
export const DIStringTypeAttr = structAttr(
  "llvm.di_string_type",
  {
    tag: opt(dwarfName("TAG")),
    name: attr(),
    sizeInBits: number,
    alignInBits: number,
    stringLength: opt(attr()),
    stringLengthExp: expression,
    stringLocationExp: expression,
    encoding: opt(dwarfName("ATE")),
  },
  alias,
);
export const DISubprogramAttr = structAttr(
  "llvm.di_subprogram",
  {
    recId: opt(attr()),
    isRecSelf: dflt(bool, false),
    id: opt(attr()),
    compileUnit: opt(attr("llvm.di_compile_unit")),
    scope: opt(attr()),
    name,
    linkageName: name,
    file,
    line: number,
    scopeLine: number,
    subprogramFlags: opt(SUBPROGRAM_FLAGS),
    type: opt(attr("llvm.di_subroutine_type")),
    retainedNodes: opt(RETAINED),
    annotations: opt(list(attr())),
  },
  alias,
);
export const DISubroutineTypeAttr = structAttr(
  "llvm.di_subroutine_type",
  { callingConvention: opt(dwarfName("CC")), types: opt(list(attr())) },
  alias,
);
