/**
 * Printing and assertions on the device.
 * Source: lib/Conversion/TritonGPUToLLVM/PrintOpToLLVM.cpp, AssertOpToLLVM.cpp.
 */

import { LLVMPointerType } from "../../dialects/llvm/types/types.js";
import { AssertOp, PrintOp } from "../../dialects/tt/ops/debug.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { bitWidth, FloatType, RankedTensorType } from "../../ir/builtin-types.js";
import { CallSiteLoc, FileLineColLoc, NameLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import type { Format } from "./target-code.js";
import { emitIndices } from "./thread-indices.js";

// --- print --------------------------------------------------------------------------------------

/** How one value is printed: `%p`, `%f`, `%3i`, `%llu`, `0x%08x`. */
function formatOf(
  type: Type,
  { hex = false, width = "", signed = false }: { hex?: boolean; width?: number | ""; signed?: boolean } = {},
): string {
  if (LLVMPointerType.is(type)) return "%p";
  const bits = bitWidth(type)!;
  if (hex) return `0x%0${Math.floor(bits / 4)}${bits > 32 ? "ll" : ""}x`;
  if (FloatType.is(type)) return `%${width}f`;
  return `%${width}${bits === 64 ? "ll" : ""}${signed ? "i" : "u"}`;
}
/** vprintf takes no more arguments than this. */
const MAX_OPERANDS = 32;

const PRINT = rule(PrintOp, ({ op, prefix, hex, isSigned }, lo) => {
  const pid = [0, 1, 2].map((axis) => lo.code.programId(lo, axis));
  const pidText = `pid (${pid.map((v) => formatOf(v.type)).join(", ")})`;
  if (op.numOperands === 0) {
    lo.code.printf(
      lo,
      `${pidText}${prefix}`,
      pid.map((value) => ({ value, signed: true })),
    );
    return;
  }
  op.operands.forEach((operand, i) => {
    const signed = isSigned[i]! > 0;
    const elements = lo.elements(operand);
    const { type } = operand;
    const tensor = RankedTensorType.is(type) ? type : undefined;
    const indices = tensor ? emitIndices(lo, tensor, true) : [[]];
    const widths = tensor ? tensor.params.shape.map((extent) => (extent > 0 ? Math.ceil(Math.log10(extent)) : 0)) : [];
    let format: Format | undefined;
    elements.forEach((element, e) => {
      const index = indices[e]!;
      const shown = index.slice(0, MAX_OPERANDS - pid.length - 2);
      const texts = shown.map((v, d) => formatOf(v.type, { width: widths[d]! }));
      if (shown.length < index.length) texts.push("... (truncated)");
      const which = op.numOperands > 1 ? `(operand ${i}) ` : "";
      const text = `${pidText} idx (${texts.join(", ")})${prefix}${which}${formatOf(element.type, { hex, signed })}`;
      format = lo.code.printf(
        lo,
        format ?? text,
        [...pid, ...shown, element].map((value) => ({ value, signed })),
      );
    });
  });
});

// --- assert -------------------------------------------------------------------------------------

/** The line that an assertion is on: in the function called, not in its callers. */
function sourceLine(loc: Attribute): { readonly file: string; readonly line: number } {
  let at = loc;
  while (CallSiteLoc.is(at)) at = at.params.callee;
  while (NameLoc.is(at)) at = at.params.child;
  return FileLineColLoc.is(at) ? at.params : { file: "unknown", line: 0 };
}

/** Ends the program with a message where `failed` holds; code goes on after it. */
export function failWhere(lo: Lowering, op: Operation, failed: Value, message: string): void {
  const { b } = lo;
  const from = b.block;
  const ifBlock = lo.addBlockAfter(from);
  const thenBlock = lo.addBlockAfter(ifBlock);
  b.setEnd(ifBlock);
  const { file, line } = sourceLine(op.loc);
  lo.code.assertFail(lo, message, file, line);
  lo.branch(thenBlock, []);
  b.setEnd(from);
  lo.condBranch(failed, ifBlock, thenBlock);
  b.setEnd(thenBlock);
}

const ASSERT = rule(AssertOp, ({ op, condition, message }, lo) => {
  const { b } = lo;
  const elements = lo.elements(condition);
  const { type } = elements[0]!;
  let failed = b.int(type, 0);
  for (const element of elements) failed = b.or(failed, b.icmp("eq", element, b.int(type, 0)));

  failWhere(lo, op, failed, message);
  // Threads hold other elements in other layouts: none goes on before all have checked theirs.
  if (RankedTensorType.is(condition.type)) lo.code.barrier(lo);
});

export const DEBUG: readonly LoweringRule[] = [PRINT, ASSERT];
