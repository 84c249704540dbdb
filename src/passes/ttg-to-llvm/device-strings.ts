/** Constants of the module, and functions that printing and assertions use. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, addStringToModule. */
import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMArrayType, LLVMFunctionType } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { buildOperation } from "../../ir/builder.js";
import { stringAttr } from "../../ir/builtin-attrs.js";
import { i8 } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import type { Lowering } from "./lowering.js";
import type { Format } from "./target-code.js";

/** A string of the module, with the first free name of `key0`, `key1`, ...: its address. */
export function addString(lo: Lowering, key: string, content: string): Value {
  const { b, ctx } = lo;
  const type = LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: content.length });
  const name = addConstant(lo, key, type, stringAttr(ctx, content), lo.forms.sharesStrings);
  const zero = b.i32(0);
  return b.gep(b.ptr(), i8(ctx), b.addressOf(name, b.ptr()), [zero]);
}
/** A format of printf as a global of the module. */
export const addFormat = (lo: Lowering, text: string): Format => ({ address: addString(lo, "printfFormat_", text), bytes: text.length });
/** The name of a constant of the module, a new one unless there is one with these contents. */
export function addConstant(lo: Lowering, key: string, type: Type, value: Attribute, shared = true): string {
  const { ctx, module } = lo;
  const known = shared ? constantWith(module, type, value) : undefined;
  if (known !== undefined) return known;
  let number = 0;
  while (lookupSymbol(module, `${key}${number}`)) number++;
  const name = `${key}${number}`;
  const args = { global_type: type, sym_name: name, linkage: "internal", constant: true, value };
  atModuleStart(lo, buildOperation(ctx, ll.GlobalOp, args, 0, []));
  return name;
}
function constantWith(module: Operation, type: Type, value: Attribute): string | undefined {
  for (const op of module.regions[0]!.firstBlock!.ops()) {
    const global = ll.GlobalOp.match(op);
    if (global?.constant && global.linkage === "internal" && global.global_type === type && global.value === value) return global.sym_name;
  }
  return undefined;
}
function atModuleStart(lo: Lowering, op: ReturnType<typeof buildOperation>): void {
  const block = lo.module.regions[0]!.firstBlock!;
  block.insert(op, block.firstOp);
}
/** Declares a function at the start of the module, unless it is known. */
export function declare(
  lo: Lowering,
  name: string,
  returnType: Type,
  params: readonly Type[],
  attrs: Readonly<Record<string, Attribute>> = {},
): void {
  if (lookupSymbol(lo.module, name)) return;
  const function_type = LLVMFunctionType.get(lo.ctx, { returnType, params, varArg: false });
  atModuleStart(lo, buildOperation(lo.ctx, ll.LLVMFuncOp, { sym_name: name, function_type, ...attrs }, 0, []));
}
