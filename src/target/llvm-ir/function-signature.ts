/** The text of a function before its body: linkage, calling convention, attributes of it, its result and its parameters. */

import { CALLING_CONVENTIONS } from "../../dialects/llvm/attrs/index.js";
import { LLVMFunctionType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import {
  ArrayAttr,
  DictionaryAttr,
  dictEntries,
  dictGet,
  intOf,
  keywordOf,
  StringAttr,
  stringOf,
  TypeAttr,
} from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { Bug } from "../../support/assert.js";
import { intrinsicAttributes } from "../intrinsics/attributes.js";
import { byteAlign, byteSize } from "./data-layout.js";
import type { LlvmIrTarget } from "./target.js";
import { escapedText, llvmType } from "./types.js";

/** `internal `, `ptx_kernel `: the text between `define` and the result type, with a space after it. */
export function linkageText(func: Operation, isDeclaration: boolean, { kernel }: LlvmIrTarget): string {
  const linkage = keywordOf(func.attr("linkage")) ?? "external";
  const given = keywordOf(func.attr("CConv")) ?? "ccc";
  const convention = kernel(func)?.convention ?? CONVENTIONS[given] ?? given;
  const visibility = ["", "hidden ", "protected "][intOf(func.attr("visibility_")) ?? 0]!;
  const word = linkage === "external" || (isDeclaration && linkage !== "extern_weak") ? "" : `${linkage} `;
  return `${word}${func.hasAttr("dso_local") ? "dso_local " : ""}${visibility}${convention === "" ? "" : `${convention} `}`;
}
/** Keywords of the dialect that LLVM spells otherwise; the first is the default and not spelt. */
const CONVENTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(CALLING_CONVENTIONS).map((name) => [
    name,
    name === "ccc" ? "" : name === "ptx_kernelcc" ? "ptx_kernel" : name === "ptx_devicecc" ? "ptx_device" : name,
  ]),
);

// --- attributes of the function --------------------------------------------------------------

/** Attributes that are words, in LLVM's order. */
const WORDS = [
  ["always_inline", "alwaysinline"],
  ["convergent", "convergent"],
  ["inline_hint", "inlinehint"],
  ["no_inline", "noinline"],
  ["no_unwind", "nounwind"],
  ["optimize_none", "optnone"],
  ["will_return", "willreturn"],
] as const;
/** The attributes of a function as one text: words in LLVM's order, then pairs by key. */
export function functionAttributes(func: Operation, { kernel, attributes }: LlvmIrTarget): string {
  const words = new Set<string>(WORDS.filter(([name]) => func.hasAttr(name)).map(([, word]) => word));
  const pairs = new Map<string, string | undefined>([...(attributes?.(func) ?? []), ...(kernel(func)?.attributes ?? [])]);
  const passthrough = func.attr("passthrough");
  for (const entry of ArrayAttr.is(passthrough) ? passthrough.params.elements : []) {
    if (StringAttr.is(entry)) {
      if (/^[a-z_]+$/.test(entry.params.value)) words.add(entry.params.value);
      else pairs.set(entry.params.value, undefined);
    } else if (ArrayAttr.is(entry)) pairs.set(stringOf(entry.params.elements[0])!, stringOf(entry.params.elements[1])!);
  }
  // An intrinsic that is declared as a function.
  const name = stringOf(func.attr("sym_name"))!;
  const own = name.startsWith("llvm.") ? [intrinsicAttributes(name).function] : [];
  const quoted = [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (value === undefined ? `"${key}"` : `"${key}"="${escapedText(value)}"`));
  return [...[...words].sort(), ...own, ...quoted].filter((text) => text !== "").join(" ");
}

// --- parameters and result -------------------------------------------------------------------

/** Attributes of parameters that are words. */
const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  "llvm.inreg": "inreg",
  "llvm.nest": "nest",
  "llvm.noalias": "noalias",
  "llvm.nocapture": "captures(none)",
  "llvm.nofree": "nofree",
  "llvm.nonnull": "nonnull",
  "llvm.noundef": "noundef",
  "llvm.readnone": "readnone",
  "llvm.readonly": "readonly",
  "llvm.returned": "returned",
  "llvm.signext": "signext",
  "llvm.writeonly": "writeonly",
  "llvm.zeroext": "zeroext",
  "nvvm.grid_constant": '"nvvm.grid_constant"',
};
/** In LLVM's order: words, types, numbers, what has no meaning to LLVM itself. */
function attributesText(attr: Attribute | undefined, words: readonly string[] = []): string {
  const groups: [string[], string[], string[], string[]] = [[...words], [], [], []];
  for (const [name, value] of DictionaryAttr.is(attr) ? dictEntries(attr) : []) {
    const word = PARAMETER_WORDS[name];
    if (word) groups[word.startsWith('"') ? 3 : 0].push(word);
    else if (name === "llvm.byval" && TypeAttr.is(value)) groups[1].push(`byval(${llvmType(value.params.type)})`);
    else if (name === "llvm.align") groups[2].push(`align ${intOf(value)}`);
    else if (name === "llvm.dereferenceable") groups[2].push(`dereferenceable(${intOf(value)})`);
  }
  return groups
    .flat()
    .map((text) => ` ${text}`)
    .join("");
}
function entry(attr: Attribute | undefined, index: number): Attribute | undefined {
  return ArrayAttr.is(attr) ? attr.params.elements[index] : undefined;
}
/** The size and alignment of a parameter passed by value, such as a tensor map: the pointer is to the function's own copy. */
export function byValueOf(func: Operation, index: number): { readonly bytes: number; readonly align: number } | undefined {
  const attrs = entry(func.attr("arg_attrs"), index);
  const type = DictionaryAttr.is(attrs) ? dictGet(attrs, "llvm.byval") : undefined;
  if (!DictionaryAttr.is(attrs) || !TypeAttr.is(type)) return undefined;
  return { bytes: byteSize(type.params.type), align: intOf(dictGet(attrs, "llvm.align")) ?? byteAlign(type.params.type) };
}
/** `ptr addrspace(1) noalias` */
export function parameterText(func: Operation, index: number, { kernel }: LlvmIrTarget): string {
  return `${llvmType(signatureOf(func).params[index]!)}${attributesText(entry(func.attr("arg_attrs"), index), kernel(func)?.argumentWords)}`;
}
export function returnText(func: Operation): string {
  const attributes = attributesText(entry(func.attr("res_attrs"), 0)).trim();
  return `${attributes && `${attributes} `}${llvmType(signatureOf(func).returnType)}`;
}
/** The types of a function's parameters and result. */
export function signatureOf(func: Operation): { readonly params: readonly Type[]; readonly returnType: Type; readonly varArg: boolean } {
  const attr = func.attr("function_type");
  const type = TypeAttr.is(attr) ? attr.params.type : undefined;
  if (!LLVMFunctionType.is(type)) throw new Bug("llvm.func without a function type");
  return type.params;
}
