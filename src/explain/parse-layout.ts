/** A layout from the text of a type, for programs that ask about layouts alone. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { printTensorView } from "../layout/print-layout.js";
import { Parser } from "../syntax/parser.js";
import { layoutOfType, type ValueLayout } from "./value-layout.js";

/**
 * Reads the type of a tensor or buffer with its encoding written out, as `tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 8], ...}>>`.
 * `layout` of the result maps register, lane, warp and block (or an offset in shared memory) to coordinates of the tensor. A text that
 * is no type, and a type without a layout, give diagnostics.
 */
export function parseLayout(type: string): ValueLayout | { readonly diagnostics: readonly Diagnostic[] } {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = new Parser(ctx, ctx.addSource("type", type)).parseWhole((p) => p.type());
  if (!parsed) return { diagnostics: ctx.diagnostics };
  const found = layoutOfType(parsed);
  return "reason" in found ? { diagnostics: [{ severity: "error", code: "", message: found.reason, notes: [] }] } : found;
}

/**
 * Who holds each element, as `triton-tensor-layout` prints it: a cell `T4:1` is thread 4, register 1; several owners are joined by `|`.
 * For a layout of shared memory: which element each place holds. One line a row.
 */
export function threadMap({ layout }: Pick<ValueLayout, "layout">): string {
  const lines: string[] = [];
  printTensorView(layout, (line) => void lines.push(line));
  return `${lines.join("\n")}\n`;
}
