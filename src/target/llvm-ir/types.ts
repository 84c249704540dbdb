/** Types as LLVM IR spells them, and as the names of overloaded intrinsics do. Source: llvm/lib/IR/AsmWriter.cpp, Intrinsics.cpp. */

import {
  LLVMArrayType,
  LLVMFunctionType,
  LLVMPointerType,
  LLVMStructType,
  structBody,
  structElements,
} from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { FloatType, IndexType, IntegerType, VectorType } from "../../ir/builtin-types.js";
import { Bug } from "../../support/assert.js";

const FLOATS: Readonly<Record<string, string>> = {
  f16: "half",
  bf16: "bfloat",
  f32: "float",
  f64: "double",
  f80: "x86_fp80",
  f128: "fp128",
};

const texts = new WeakMap<Type, string>();
/** `!llvm.ptr<3>` is `ptr addrspace(3)`, `vector<4xi32>` is `<4 x i32>`. */
export function llvmType(type: Type): string {
  let text = texts.get(type);
  if (text === undefined) texts.set(type, (text = spell(type)));
  return text;
}

function spell(type: Type): string {
  if (IntegerType.is(type)) return `i${type.params.width}`;
  if (FloatType.is(type)) return FLOATS[type.params.kind] ?? unknown(type);
  if (IndexType.is(type)) return "i64";
  if (LLVMPointerType.is(type)) return type.params.addressSpace === 0 ? "ptr" : `ptr addrspace(${type.params.addressSpace})`;
  if (VectorType.is(type)) return `<${type.params.shape[0]} x ${llvmType(type.params.elementType)}>`;
  if (LLVMArrayType.is(type)) return `[${type.params.numElements} x ${llvmType(type.params.elementType)}]`;
  if (LLVMStructType.is(type)) {
    if (type.params.kind === "identified") return `%${symbolText(type.params.name)}`;
    return structText(structElements(type), type.params.packed);
  }
  if (LLVMFunctionType.is(type)) {
    const { returnType, params, varArg } = type.params;
    return `${llvmType(returnType)} (${[...params.map(llvmType), ...(varArg ? ["..."] : [])].join(", ")})`;
  }
  // void, token, label, metadata, x86_amx, ppc_fp128 are spelt as in the dialect.
  return type.def.name.startsWith("llvm.") ? type.def.name.slice("llvm.".length) : unknown(type);
}
function structText(elements: readonly Type[], packed: boolean): string {
  const body = elements.length === 0 ? "{}" : `{ ${elements.map(llvmType).join(", ")} }`;
  return packed ? `<${body}>` : body;
}
function unknown(type: Type): never {
  throw new Bug(`LLVM IR has no type ${type.def.name}`);
}

/** `%name = type { ... }` of an identified struct. */
export function namedStructText(type: Type): string {
  const body = LLVMStructType.is(type) ? structBody(type) : undefined;
  return `${llvmType(type)} = type ${!body || body.opaque ? "opaque" : structText(body.elements, body.packed)}`;
}

/** `i32`, `f16`, `v4f32`, `p3`: a type in the name of an overloaded intrinsic; undefined for one that no intrinsic is overloaded on. */
export function mangledType(type: Type): string | undefined {
  if (IntegerType.is(type)) return `i${type.params.width}`;
  if (FloatType.is(type)) return type.params.kind;
  if (LLVMPointerType.is(type)) return `p${type.params.addressSpace}`;
  if (VectorType.is(type)) return mangled(`v${type.params.shape[0]}`, [type.params.elementType]);
  if (LLVMArrayType.is(type)) return mangled(`a${type.params.numElements}`, [type.params.elementType]);
  if (LLVMStructType.is(type)) return mangled("sl_", structElements(type), "s");
  return undefined;
}
function mangled(prefix: string, types: readonly Type[], suffix = ""): string | undefined {
  const parts = types.map(mangledType);
  return parts.includes(undefined) ? undefined : `${prefix}${parts.join("")}${suffix}`;
}

/** A symbol's name, quoted where its letters ask for it. */
export function symbolText(name: string): string {
  return /^[-a-zA-Z$._][-a-zA-Z$._0-9]*$/.test(name) ? name : `"${escapedText(name)}"`;
}
/** Characters that are not printable, and `"` and `\`, as `\` and two digits. */
export function escapedText(text: string): string {
  return text.replace(/[^ -~]|["\\]/g, (c) => `\\${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
