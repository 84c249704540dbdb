/**
 * As `rematerializationCost`, by the rules of 3.8: values that branches and loops hand on are followed, arithmetic costs more where a
 * thread has more to do in the new layout, and conversions in registers are free.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp (3.8), isRematBeneficial.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { cvtReordersRegisters } from "../../../layout/conversion.js";
import type { ConvertSlice } from "./convert-backward-slice.js";
import { byteCount, convertCost, isArithmetic, mathFactor, memoryCost, type RematerializationCost } from "./rematerialization-cost.js";

/** `isGone` knows the ops that were replaced and are not erased yet: their uses do not count. */
export function rematerializationCost38(
  convert: Operation,
  { slice, layout }: ConvertSlice,
  isGone: (op: Operation) => boolean,
): RematerializationCost {
  const ops = new Set<Operation>();
  for (const { definingOp } of slice) if (definingOp) ops.add(definingOp);
  const needed = neededOutside(slice, (use) => use.owner === convert || ops.has(use.owner) || isGone(use.owner));
  let rematerialize = 0;
  for (const op of ops) {
    const isNeeded = op.results.some((result) => needed.has(result));
    if (ConstantOp.is(op)) continue;
    if (isArithmetic(op))
      for (const result of op.results) {
        const factor = moreWork(result, layout.get(result)!) - (isNeeded ? 0 : 1);
        if (factor > 0) rematerialize += mathFactor(op) * byteCount(result) * factor;
      }
    else if (isNeeded) rematerialize += memoryCost(op);
  }
  return { convert: convertCost38(convert.operand(0), (convert.result(0).type as TensorType).params.encoding!), rematerialize };
}

/** The cost of a conversion of a value to a layout. */
export function convertCost38(value: Value, encoding: Attribute): number {
  const { shape, encoding: from } = (value.type as TensorType).params;
  return cvtReordersRegisters(toLinearLayout(shape, from!), toLinearLayout(shape, encoding)) ? 0 : convertCost(value);
}

/** How many times as many different elements a thread has in the new layout. */
function moreWork(value: Value, encoding: Attribute): number {
  const { shape, encoding: from } = (value.type as TensorType).params;
  const elements = (layout: Attribute) => toLinearLayout(shape, layout).removeZeroBasesAlongDim("register").getInDimSize("register");
  return Math.max(1, Math.trunc(elements(encoding) / elements(from!)));
}

/** The values of a slice that others need, and those that they are made of. */
function neededOutside(slice: ReadonlySet<Value>, isInside: (use: OpOperand) => boolean): ReadonlySet<Value> {
  const needed = new Set<Value>();
  for (const value of slice)
    for (const use of value.uses()) {
      if (isInside(use)) continue;
      if (flowsInto(use)?.every((target) => slice.has(target) || !target.firstUse)) continue;
      needed.add(value);
      break;
    }
  for (const value of needed) {
    const sources = flowsFrom(value) ?? (value.definingOp ?? value.argOwner!.parentOp!).operands;
    for (const source of sources) if (slice.has(source)) needed.add(source);
  }
  return needed;
}
/** The values that a loop or branch makes of an operand; undefined for an operand that it does not hand on. */
function flowsInto({ owner, index }: OpOperand): readonly Value[] | undefined {
  const around = YieldOp.is(owner) ? owner.parentOp! : owner;
  const carried = YieldOp.is(owner) ? index : index - 3;
  if (ForOp.is(around) && carried >= 0) return [around.regions[0]!.firstBlock!.args[carried + 1]!, around.result(carried)];
  return IfOp.is(around) && YieldOp.is(owner) ? [around.result(index)] : undefined;
}
/** The values that a loop or branch makes a value of; undefined for a value of another op. */
function flowsFrom(value: Value): readonly Value[] | undefined {
  const op = value.definingOp ?? value.argOwner!.parentOp!;
  const carried = value.definingOp ? value.index : value.index - 1;
  if (ForOp.is(op)) return carried < 0 ? undefined : [op.operand(carried + 3), op.regions[0]!.firstBlock!.lastOp!.operand(carried)];
  if (!IfOp.is(op)) return undefined;
  return op.regions.flatMap((region) => region.firstBlock?.lastOp?.operand(value.index) ?? []);
}
