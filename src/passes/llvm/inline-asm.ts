import { ExtractValueOp } from "../../dialects/llvm/ops/aggregates.js";
import { PtrToIntOp, ZExtOp } from "../../dialects/llvm/ops/casts.js";
import { InlineAsmOp } from "../../dialects/llvm/ops/inline-asm.js";
import { LLVMPointerType, LLVMStructType, LLVMVoidType, structElements } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { stringAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, intType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** PTX with its operands: results first, as `$0`, `$1`, ... in the text and in the constraints. */
export interface InlineAsm {
  readonly asm: string;
  readonly constraints: string;
  readonly operands: readonly Value[];
  /** Nothing unless given. */
  readonly type?: Type;
  /** On unless said otherwise. */
  readonly sideEffects?: boolean;
}

/** `llvm.inline_asm` as Triton makes it: AT&T dialect, an empty list of operand attributes, and `!llvm.void` for no result. */
export function inlineAsm(rw: Rewriter, { asm, constraints, operands, type, sideEffects = true }: InlineAsm): Value {
  const { ctx } = rw;
  return rw.value(
    InlineAsmOp,
    {
      operands,
      asm_string: stringAttr(ctx, asm),
      constraints: stringAttr(ctx, constraints),
      has_side_effects: sideEffects,
      asm_dialect: "att",
      operand_attrs: [],
    },
    { types: [type ?? LLVMVoidType.get(ctx, {})] },
  );
}

/** Operands as inline asm takes them, each with its constraint. */
export interface AsmInputs {
  readonly operands: readonly Value[];
  readonly constraints: readonly string[];
}

/**
 * Takes structs apart and brings values to the width of their register class. A number as constraint ties an operand to that result; the
 * elements of a struct to that and the following ones.
 */
export function asmInputs(rw: Rewriter, given: readonly { readonly value: Value; readonly constraint: string }[]): AsmInputs {
  const operands: Value[] = [];
  const constraints: string[] = [];
  for (const { value, constraint } of given) {
    const tied = /^\d+$/.test(constraint);
    const elements = LLVMStructType.is(value.type) ? unpack(rw, value) : [value];
    elements.forEach((element, i) => {
      operands.push(tied ? element : toRegister(rw, element, constraint));
      constraints.push(tied ? String(Number(constraint) + i) : constraint);
    });
  }
  return { operands, constraints };
}

function unpack(rw: Rewriter, struct: Value): Value[] {
  const { type } = struct;
  if (!LLVMStructType.is(type)) return [struct];
  return structElements(type).map((element, i) => rw.value(ExtractValueOp, { container: struct, position: [i] }, { types: [element] }));
}

const REGISTER_BITS: Readonly<Record<string, number>> = { b: 1, h: 16, r: 32, l: 64, f: 32, d: 64 };

function toRegister(rw: Rewriter, value: Value, constraint: string): Value {
  const bits = REGISTER_BITS[constraint]!;
  const type = intType(rw.ctx, bits);
  if (LLVMPointerType.is(value.type)) return rw.value(PtrToIntOp, { arg: value }, { types: [type] });
  return (bitWidth(value.type) ?? bits) < bits ? rw.value(ZExtOp, { arg: value }, { types: [type] }) : value;
}
