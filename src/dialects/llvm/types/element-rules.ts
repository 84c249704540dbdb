/** The types that LLVM types may have as elements. Source: mlir/lib/Dialect/LLVMIR/IR/LLVMTypes.cpp, isValidElementType and the like. */
import type { Type } from "../../../ir/attribute.js";

const names = (...list: readonly string[]): ReadonlySet<string> => new Set(list.map((n) => `llvm.${n}`));
const NO_ARRAY_ELEMENT = names("void", "label", "metadata", "func", "token");
const NO_STRUCT_ELEMENT = names("void", "label", "metadata", "func", "token");
const NO_ARGUMENT = names("void", "func");
const NO_RESULT = names("func", "metadata", "label");

export const isValidArrayElement = (type: Type): boolean => !NO_ARRAY_ELEMENT.has(type.def.name);
export const isValidStructElement = (type: Type): boolean => !NO_STRUCT_ELEMENT.has(type.def.name);
export const isValidFunctionArgument = (type: Type): boolean => !NO_ARGUMENT.has(type.def.name);
export const isValidFunctionResult = (type: Type): boolean => !NO_RESULT.has(type.def.name);
