/**
 * How LLVM types are spelt inside other LLVM types: any type as elsewhere, or an LLVM one without `!llvm.`.
 * Source: mlir/lib/Dialect/LLVMIR/IR/LLVMTypeSyntax.cpp.
 */
import type { AttrParser, AttrPrinter } from "../../../ir/asm.js";
import type { Type } from "../../../ir/attribute.js";
import { FloatType, IntegerType, VectorType } from "../../../ir/builtin-types.js";

const KEYWORDS: ReadonlySet<string> = new Set([
  "void",
  "token",
  "label",
  "metadata",
  "func",
  "ptr",
  "array",
  "struct",
  "target",
  "x86_amx",
  "ppc_fp128",
]);

/** Reads a type inside an LLVM type. */
export function parseNested(p: AttrParser): Type {
  const type = p.optType();
  if (type) return type;
  const at = p.pos;
  const keyword = p.anyKeyword();
  const def = KEYWORDS.has(keyword) ? p.ctx.typeDefs.get(`llvm.${keyword}`) : undefined;
  if (!def) return p.fail(`unknown LLVM type: ${keyword}`, at, "parse.type");
  const params = def.parse ? def.parse(p) : {};
  def.verify?.(params, (message) => p.fail(message, at, "parse.type-params"), p.ctx);
  return def.get(p.ctx, params);
}

/** The text of a type inside an LLVM type. */
export function printNested(type: Type, p: AttrPrinter): string {
  if (IntegerType.is(type) || FloatType.is(type) || VectorType.is(type) || !type.def.name.startsWith("llvm.")) return p.type(type);
  return type.def.name.slice(5) + p.stripped(type);
}
