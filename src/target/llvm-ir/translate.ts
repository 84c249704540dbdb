/**
 * The LLVM dialect as the text of an LLVM IR module, as `mlir::translateModuleToLLVMIR` and Triton's make_llir leave it
 * before LLVM's own passes: constants are written where they are used, block arguments are phis, nothing is simplified.
 * Source: mlir/lib/Target/LLVMIR/ModuleTranslation.cpp; printing: llvm/lib/IR/AsmWriter.cpp.
 */

import { LLVMStructType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { intOf, keywordOf, StringAttr, stringOf, TypeAttr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { intrinsicAttributes } from "../intrinsics/attributes.js";
import { type IntrinsicCall, isImmediate } from "../intrinsics/call.js";
import { constantOf, constantText } from "./constants.js";
import { DebugInfo, type MetadataNode } from "./debug-info.js";
import { definitionText, FunctionBody } from "./function-body.js";
import { functionAttributes, linkageText, parameterText, returnText, signatureOf } from "./function-signature.js";
import { InstructionMetadata } from "./instruction-metadata.js";
import type { InlineAsm, LlvmIrTarget } from "./target.js";
import { escapedText, llvmType, namedStructText, symbolText } from "./types.js";

/** The module as LLVM IR text. Debug metadata appears where the functions' locations name a subprogram. */
export function llvmIrText(module: Operation, target: LlvmIrTarget): string {
  const debug = new DebugInfo();
  const ops = [...(module.regions[0]?.firstBlock?.ops() ?? [])];
  const functions = ops.filter((op) => op.name === "llvm.func");
  const intrinsics = new Map<string, IntrinsicCall>();
  const attached = new InstructionMetadata();
  const declare = (call: IntrinsicCall): void => {
    if (!intrinsics.has(call.name)) intrinsics.set(call.name, call);
  };
  const bodies = functions.map((func) => new FunctionBody(func, debug, attached, declare, target));

  const slots = new Slots();
  const flags = moduleFlags(
    target,
    bodies.some((b) => b.subprogram !== undefined),
  );
  for (const node of [...debug.compileUnits, ...flags]) slots.number(node);
  for (const body of bodies) for (const node of body.metadata()) slots.number(node);

  const groups = new AttributeGroups();
  const definitions = bodies.map((body) => {
    const { func, subprogram } = body;
    const attributes = functionAttributes(func, target);
    const dbg = subprogram ? `!dbg !${subprogram.slot}` : "";
    const isDeclared = func.regions[0]!.empty;
    const asm = isDeclared ? target.assembly?.(func) : undefined;
    if (asm) return definitionInAssembly(func, asm, groups);
    const group = groups.reference(attributes);
    return `${comment(attributes)}${isDeclared ? declaration(func, dbg, group, target) : definitionText(body, dbg, group)}`;
  });
  const declared = [...intrinsics.values()].map((call) => intrinsicDeclaration(call, groups));

  const globals = ops.filter((op) => op.name === "llvm.mlir.global").map(globalText);
  const structs = namedStructs(functions);
  const head = [
    `; ModuleID = 'LLVMDialectModule'`,
    `source_filename = "LLVMDialectModule"`,
    `target datalayout = "${target.dataLayout}"`,
    ...(target.triple === undefined ? [] : [`target triple = "${target.triple}"`]),
  ];
  const sections = [
    head.join("\n"),
    structs.join("\n"),
    [...globals, ...(target.globals ?? [])].join("\n"),
    ...definitions,
    ...declared,
    groups.text(),
    namedMetadata(debug.compileUnits, flags),
    slots.text(),
  ];
  return `${sections.filter((s) => s !== "").join("\n\n")}\n`;
}

/** Numbers for metadata nodes, in the order in which they are met. */
class Slots {
  readonly #nodes: MetadataNode[] = [];
  number(node: MetadataNode): void {
    if (node.slot >= 0) return;
    node.slot = this.#nodes.push(node) - 1;
    for (const operand of node.operands) this.number(operand);
  }
  text(): string {
    return this.#nodes.map((node, i) => `!${i} = ${node.text()}`).join("\n");
  }
}

/** `attributes #0 = { nounwind }`: each set once. */
class AttributeGroups {
  readonly #numbers = new Map<string, number>();
  /** ` #3`, or nothing for no attributes. */
  reference(attributes: string): string {
    if (attributes === "") return "";
    let number = this.#numbers.get(attributes);
    if (number === undefined) this.#numbers.set(attributes, (number = this.#numbers.size));
    return ` #${number}`;
  }
  text(): string {
    return [...this.#numbers].map(([attributes, number]) => `attributes #${number} = { ${attributes} }`).join("\n");
  }
}

/** Attributes that are words are said again in a comment. */
function comment(attributes: string): string {
  const words = attributes.replace(/"[^"]*"(="[^"]*")? ?/g, "").trim();
  return words === "" ? "" : `; Function Attrs: ${words}\n`;
}

function moduleFlags({ flags }: LlvmIrTarget, hasDebugInfo: boolean): MetadataNode[] {
  const texts = [...(hasDebugInfo ? ['!{i32 2, !"Debug Info Version", i32 3}'] : []), ...flags];
  return texts.map((text) => ({ slot: -1, operands: [], text: () => text }));
}
function namedMetadata(units: readonly MetadataNode[], flags: readonly MetadataNode[]): string {
  const named = (name: string, nodes: readonly MetadataNode[]) =>
    nodes.length === 0 ? [] : [`!${name} = !{${nodes.map((n) => `!${n.slot}`).join(", ")}}`];
  return [...named("llvm.dbg.cu", units), ...named("llvm.module.flags", flags)].join("\n");
}

function declaration(func: Operation, dbg: string, group: string, target: LlvmIrTarget): string {
  const signature = signatureOf(func);
  const params = signature.params.map((_, i) => parameterText(func, i, target));
  if (signature.varArg) params.push("...");
  const name = symbolText(stringOf(func.attr("sym_name"))!);
  return `declare ${dbg && `${dbg} `}${linkageText(func, true, target)}${returnText(func)} @${name}(${params.join(", ")})${group}`;
}

/** Defines a library's function with inline assembly as its body: the LLVM IR is complete, and a later inliner removes the function. */
function definitionInAssembly(func: Operation, { text, constraints }: InlineAsm, groups: AttributeGroups): string {
  const attributes = "alwaysinline nounwind willreturn memory(none)";
  const params = signatureOf(func).params.map((type, i) => `${llvmType(type)} %${i}`);
  const type = returnText(func);
  const name = symbolText(stringOf(func.attr("sym_name"))!);
  const asm = `asm "${escapedText(text)}", "${constraints}"`;
  return `${comment(attributes)}define internal ${type} @${name}(${params.join(", ")})${groups.reference(attributes)} {
  %result = call ${type} ${asm}(${params.join(", ")})
  ret ${type} %result
}`;
}

function intrinsicDeclaration(call: IntrinsicCall, groups: AttributeGroups): string {
  const { function: attributes, result, params } = intrinsicAttributes(call.name);
  const types = call.args.map((arg, i) => `${llvmType(isImmediate(arg) ? arg.type : arg.type)}${params?.[i] ? ` ${params[i]}` : ""}`);
  const group = groups.reference(attributes);
  const answer = `${result ? `${result} ` : ""}${call.type ? llvmType(call.type) : "void"}`;
  return `${comment(attributes)}declare ${answer} @${symbolText(call.name)}(${types.join(", ")})${group}`;
}

const LINKAGE_KEYWORDS: Readonly<Record<string, string>> = { external: "" };
function globalText(op: Operation): string {
  const value = op.attr("value");
  const type = TypeAttr.params(op.attr("global_type")!).type;
  const initializer = value ? constantText(constantOf(value, type)) : initializerText(op);
  const keyword = keywordOf(op.attr("linkage")) ?? "external";
  const linkage = keyword === "external" && initializer === undefined ? "external" : (LINKAGE_KEYWORDS[keyword] ?? keyword);
  const space = intOf(op.attr("addr_space")) ?? 0;
  const alignment = intOf(op.attr("alignment"));
  const section = op.attr("section");
  const words = [
    linkage,
    op.hasAttr("dso_local") ? "dso_local" : "",
    ["", "hidden", "protected"][intOf(op.attr("visibility_")) ?? 0]!,
    op.hasAttr("thread_local_") ? "thread_local" : "",
    ["", "local_unnamed_addr", "unnamed_addr"][intOf(op.attr("unnamed_addr")) ?? 0]!,
    space === 0 ? "" : `addrspace(${space})`,
    op.hasAttr("externally_initialized") ? "externally_initialized" : "",
    op.hasAttr("constant") ? "constant" : "global",
    llvmType(type),
    initializer ?? "",
  ].filter((word) => word !== "");
  const tail = `${StringAttr.is(section) ? `, section "${section.params.value}"` : ""}${alignment === undefined ? "" : `, align ${alignment}`}`;
  return `@${symbolText(stringOf(op.attr("sym_name"))!)} = ${words.join(" ")}${tail}`;
}
/** The initializer that a region returns. */
function initializerText(op: Operation): string | undefined {
  const block = op.regions[0]?.firstBlock;
  return block ? FunctionBody.initializer(block) : undefined;
}

/** Definitions of the identified structs that occur in functions. */
function namedStructs(functions: readonly Operation[]): string[] {
  const found = new Map<string, string>();
  const look = (type: Type | undefined) => {
    if (LLVMStructType.is(type) && type.params.kind === "identified") found.set(llvmType(type), namedStructText(type));
  };
  for (const func of functions)
    func.walk((op) => {
      for (const result of op.results) look(result.type);
      const element: Attribute | undefined = op.attr("elem_type");
      if (TypeAttr.is(element)) look(element.params.type);
    });
  return [...found.values()];
}
