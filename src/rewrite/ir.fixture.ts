/** IR for the tests of this folder: texts in and out, with a few ops to convert. */
import { ALL_DIALECTS } from "../dialects/index.js";
import { AnyRegion, AnyType, variadic } from "../ir/constraints.js";
import { Context } from "../ir/context.js";
import { defineDialect } from "../ir/define-dialect.js";
import { defineOp } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import { Pure } from "../ir/traits.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

/** Ops of two little dialects: `old` is to become `new`. */
export const OldOp = defineOp("old.op", () => ({ operands: { args: variadic(AnyType) }, results: { results: variadic(AnyType) } }));
export const OldWrapOp = defineOp("old.wrap", () => ({ regions: { body: AnyRegion } }));
export const NewOp = defineOp("new.op", () => ({ operands: { args: variadic(AnyType) }, results: { results: variadic(AnyType) } }));
export const CastOp = defineOp("new.cast", () => ({ operands: { in: AnyType }, results: { out: AnyType }, traits: [Pure] }));
export const TEST_DIALECTS = [defineDialect("old", { ops: [{ OldOp, OldWrapOp }] }), defineDialect("new", { ops: [{ NewOp, CastOp }] })];

export function parse(text: string): Operation {
  const ctx = new Context([...ALL_DIALECTS, ...TEST_DIALECTS]);
  ctx.allowUnregisteredDialects = true;
  const parsed = parseModule(ctx, "test.mlir", text);
  if (!parsed) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return parsed.module;
}
/** The text of what is in a module; it must verify. */
export function body(module: Operation): string {
  if (!verifyOperation(module)) throw new Error(module.ctx.diagnostics.map((d) => d.message).join("\n") + printOperation(module));
  return printOperation(module)
    .replace(/^module \{\n/, "")
    .replace(/^\}\n?$/m, "")
    .replace(/^ {2}/gm, "")
    .trimEnd();
}
/** The ops of a kind, in order. */
export function opsNamed(root: Operation, name: string): Operation[] {
  const ops: Operation[] = [];
  root.walk((op) => {
    if (op.name === name) ops.push(op);
  });
  return ops;
}
/** The text without indentation common to all lines. */
export function text(strings: TemplateStringsArray): string {
  const lines = strings
    .join("")
    .split("\n")
    .filter((line, i, all) => line.trim() !== "" || (i > 0 && i < all.length - 1));
  const indent = Math.min(...lines.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length));
  return lines
    .map((l) => l.slice(indent))
    .join("\n")
    .trimEnd();
}
