/**
 * Shared code of reductions and scans: applying the combining region to two lists of values, and their places in shared memory.
 * Source: lib/Conversion/TritonGPUToLLVM/ReduceScanCommon.h.
 */

import { BrOp, CondBrOp } from "../../dialects/llvm/ops/control-flow.js";
import type { Type } from "../../ir/attribute.js";
import { bitWidth, type TensorType } from "../../ir/builtin-types.js";
import { isSpeculatable } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { sharedMemoryBase } from "./control-flow.js";
import type { Lowering } from "./lowering.js";
import { convertType } from "./type-converter.js";

/** The region of an op cannot be lowered; its reason was reported. */
export class CombineFailed extends Error {}

/** The operands' elements: `[register][operand]`. */
export function unpackInputs(lo: Lowering, op: Operation): Value[][] {
  const columns = op.operands.map((operand) => lo.elements(operand));
  return columns[0]!.map((_, i) => columns.map((column) => column[i]!));
}
export const elementTypes = (op: Operation): Type[] => op.operands.map((v) => convertType((v.type as TensorType).params.elementType));

/**
 * The region's results for `acc` and `cur`; `cur` itself when there is no `acc` yet. With a predicate the region runs only where that
 * holds, unless running it does no harm; elsewhere the results are undefined.
 */
export function combine(
  lo: Lowering,
  op: Operation,
  acc: readonly Value[] | undefined,
  cur: readonly Value[],
  predicate?: Value | undefined,
): readonly Value[] {
  if (!acc) return cur;
  const region = op.regions[0]!;
  const { b } = lo;
  const harmless = [...region.firstBlock!.ops()].every(isSpeculatable);
  if (!predicate || harmless) {
    const results = lo.inlineBlock(region, [...acc, ...cur]);
    if (!results) throw new CombineFailed();
    return results;
  }
  const from = b.block;
  const types = cur.map((v) => v.type);
  const run = lo.addBlockAfter(from, [...types, ...types]);
  const after = lo.addBlockAfter(run, types);
  b.create(CondBrOp, {
    condition: predicate,
    trueDest: run,
    trueDestOperands: [...acc, ...cur],
    falseDest: after,
    falseDestOperands: types.map((type) => b.undef(type)),
  });
  b.setEnd(run);
  const results = lo.inlineBlock(region, run.args);
  if (!results) throw new CombineFailed();
  b.create(BrOp, { dest: after, destOperands: results });
  b.setEnd(after);
  return after.args;
}

/** Where each operand's part of the scratch memory begins: wide elements come first. `elems` elements each. */
export function scratchBases(lo: Lowering, op: Operation, elems: number): Value[] {
  const { b } = lo;
  const widths = op.operands.map((v) => bitWidth((v.type as TensorType).params.elementType) ?? 64);
  const order = widths.map((_, i) => i).sort((i, j) => widths[j]! - widths[i]!);
  const types = elementTypes(op);
  const bases: Value[] = [];
  let base = sharedMemoryBase(lo, op);
  order.forEach((operand, i) => {
    if (i > 0) base = b.gep(base.type, types[order[i - 1]!]!, base, [b.i32(elems)]);
    bases[operand] = base;
  });
  return bases;
}
