/**
 * The values that would have to be computed in another layout to remove a conversion.
 *
 *     %r = tt.make_range                 // #a
 *     %x = arith.addi %r, %c             // #a
 *     %y = ttg.convert_layout %x         // #a -> #b
 *
 * The slice of %x for #b is %x, %r and %c, all in #b; it ends at ops that give any layout (here both).
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, getConvertBackwardSlice.
 */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { WhileOp } from "../../../dialects/scf/ops/while.js";
import { GatherOp } from "../../../dialects/tt/ops/gather.js";
import { CatOp } from "../../../dialects/tt/ops/shape.js";
import { UpcastFpOpInterface } from "../../../dialects/ttg/upcast-fp.js";
import type { Attribute } from "../../../ir/attribute.js";
import { encodingOf, RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { canFoldIntoConversion, isFreeConvert } from "./fold-into-conversion.js";
import { inferSrcEncoding } from "./infer-encoding.js";

/** Values, in the order they were found in, and the layout that each is wanted in. */
export interface ConvertSlice {
  readonly slice: Set<Value>;
  readonly layout: Map<Value, Attribute>;
  /** Values that are there already in their layout, and by what; undefined where that does not come before all uses. */
  readonly existing: Map<Value, Value | undefined>;
}
export interface ConvertSliceOptions {
  /** Ops at which to stop: they are in the slice, what they use is not. */
  readonly stopPropagation?: ((op: Operation) => boolean) | undefined;
  /** A value that is there already and stands for the operand in that layout; false if it does not come before the use. */
  readonly getExistingConversion?: (use: OpOperand, encoding: Attribute) => Value | false | undefined;
  /** Whether the slice ends at such a value; else it goes on from it. */
  readonly endAtExisting?: boolean;
  /** Whether values that are in the layout wanted, or there already in it, are no part of the slice. */
  readonly omitFitting?: boolean;
  /** A slice that is there already: none of its values may be wanted in another layout. */
  readonly from?: ConvertSlice | undefined;
}

/** The slice of an operand for an encoding, or a phrase that says why there is none. */
export function getConvertBackwardSlice(root: OpOperand, rootEncoding: Attribute, options: ConvertSliceOptions): ConvertSlice | string {
  const { stopPropagation, getExistingConversion, endAtExisting, omitFitting, from } = options;
  const slice = new Set<Value>(from?.slice);
  const layout = new Map<Value, Attribute>(from?.layout);
  const existing = new Map<Value, Value | undefined>(from?.existing);
  const seen = new Map<OpOperand, Set<Attribute>>();
  const queue: { readonly use: OpOperand; readonly encoding: Attribute }[] = [];
  const enqueue = (use: OpOperand, encoding: Attribute): void => {
    const known = seen.get(use);
    if (known?.has(encoding)) return;
    if (known) known.add(encoding);
    else seen.set(use, new Set([encoding]));
    queue.push({ use, encoding });
  };
  const updateLayout = (value: Value, encoding: Attribute): boolean => {
    const known = layout.get(value);
    if (known !== undefined) return known === encoding;
    layout.set(value, encoding);
    return true;
  };

  enqueue(root, rootEncoding);
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { use, encoding } = next;
    let { value } = use;
    if (!RankedTensorType.is(value.type)) continue;
    const isOfLoop = ForOp.is(value.definingOp) || WhileOp.is(value.definingOp);
    if (isOfLoop && !omitFitting) return "a loop's result";
    if (!updateLayout(value, encoding)) return "a value is wanted in two layouts";
    if (omitFitting && encodingOf(value.type) === encoding) continue;
    const known = getExistingConversion?.(use, encoding);
    if (isOfLoop && !known) return "a loop's result";
    if (known && !existing.has(value)) existing.set(value, known);
    else if (known === false) existing.set(value, undefined);
    if (known && omitFitting) continue;
    slice.add(value);
    if (known && endAtExisting) continue;
    if (known) {
      if (!updateLayout(known, encoding)) return "a value is wanted in two layouts";
      slice.add(known);
      value = known;
    }

    const op = value.definingOp;
    if (!op) {
      const block = value.argOwner!;
      const loop = ForOp.match(block.parentOp);
      if (!loop) return "an argument of a block that is no loop's body";
      const iter = value.index - 1;
      enqueue(loop.op.operandUses[3 + iter]!, encoding);
      enqueue(block.lastOp!.operandUses[iter]!, encoding);
      continue;
    }
    if (IfOp.is(op)) {
      if (stopPropagation?.(op)) continue;
      for (const region of op.regions) enqueue(region.firstBlock!.lastOp!.operandUses[value.index]!, encoding);
      continue;
    }
    for (const result of op.results) {
      if (result === value || !RankedTensorType.is(result.type)) continue;
      if (!updateLayout(result, encoding)) return "a value is wanted in two layouts";
      slice.add(result);
    }
    if (isFreeConvert(op)) {
      enqueue(op.operandUses[0]!, encoding);
      continue;
    }
    if (canFoldIntoConversion(op, encoding) || stopPropagation?.(op)) continue;
    if (CatOp.is(op)) return "tt.cat would have fewer elements per thread";
    if (op.numOperands === 0) continue;
    const upcast = op.def.interface(UpcastFpOpInterface);
    const ofAll = upcast ? undefined : inferSrcEncoding(op, encoding);
    for (const [i, operand] of op.operandUses.entries()) {
      const srcEncoding = upcast ? upcast.inferSrcEncoding(op, i, encoding) : ofAll;
      if (!srcEncoding) return `no layout of the operands of ${op.name} gives the one wanted`;
      // Where the source of a gather is makes no difference to the layout of the result.
      if (GatherOp.is(op) ? i === 1 : omitFitting || encodingOf(operand.value.type) !== srcEncoding) enqueue(operand, srcEncoding);
    }
  }
  return { slice, layout, existing };
}
