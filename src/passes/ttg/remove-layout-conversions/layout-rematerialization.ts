/**
 * Computes slices again in another layout, so that a conversion goes away or moves to where it is cheaper.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, LayoutRematerialization.
 */
import { topologicalSort } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { GatherOp } from "../../../dialects/tt/ops/gather.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { ReshapeOp } from "../../../dialects/tt/ops/shape.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../../ir/attribute.js";
import { type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { View } from "../../../ir/define-op.js";
import { Dominance } from "../../../ir/dominance.js";
import { LoopLike } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { Bug } from "../../../support/assert.js";
import { convertLayout } from "../distributed-op-encoding.js";
import { isExpensiveLoadOrStore } from "../memory-access.js";
import { replaceForOpWithNewSignature, replaceIfOpWithNewSignature } from "../replace-with-new-signature.js";
import { type ConvertSlice, type ConvertSliceOptions, getConvertBackwardSlice } from "./convert-backward-slice.js";
import { type RematerializationCost, rematerializationCost } from "./rematerialization-cost.js";
import { rematerializationCost38 } from "./rematerialization-cost-3-8.js";

export type ConvertView = View<typeof ConvertLayoutOp>;

/** Hears of a conversion that went. */
export type Removed = (convert: ConvertView) => void;

/** Visits the conversions of a function and returns how many went. `visit` replaces one by means of `remat`. */
export function forEachConversion(
  func: Operation,
  rw: Rewriter,
  visit: (convert: ConvertView, remat: LayoutRematerialization) => void,
  onRemoved?: Removed,
): number {
  const remat = new LayoutRematerialization(rw);
  const converts: ConvertView[] = [];
  func.walkPostOrder((op) => {
    const convert = ConvertLayoutOp.match(op);
    if (convert) converts.push(convert);
  });
  let removed = 0;
  for (const convert of converts) {
    rw.from(convert, () => visit(convert, remat));
    if (remat.isRemoved(convert)) {
      removed++;
      onRemoved?.(convert);
    }
    // A conversion that stays may serve for other slices.
    else remat.addRematValue(convert.src, encodingOfTensor(convert.result), convert.result);
  }
  remat.cleanup();
  return removed;
}

export const encodingOfTensor = (value: Value): Attribute => (value.type as TensorType).params.encoding!;

/** Whether the op may be computed again in another layout. */
export function canBeRemat(op: Operation): boolean {
  if (LoadOp.is(op) || StoreOp.is(op)) return !isExpensiveLoadOrStore(op);
  if (AtomicRMWOp.is(op) || AtomicCASOp.is(op) || DotOp.is(op)) return false;
  const gather = GatherOp.match(op);
  if (gather) return !gather.efficient_layout;
  if (op.ctx.triton.repeatsNoDots && (op.def.interface(DotOpInterface) || ReshapeOp.match(op)?.efficient_layout)) return false;
  return !WhileOp.is(op) && !ConditionOp.is(op);
}

/** The costs of a conversion and of its slice, by the rules of the version; `isGone` knows ops that are no users any more. */
export const costByVersion = (
  { op }: ConvertView,
  found: ConvertSlice,
  isGone: (op: Operation) => boolean = () => false,
): RematerializationCost =>
  op.ctx.triton.costsFollowLoops ? rematerializationCost38(op, found, isGone) : rematerializationCost(op, found.slice);

/** The values that were computed again in one walk over a function's conversions. */
export class LayoutRematerialization {
  readonly #dominance = new Dominance();
  /** Values and what stands for them in another layout. */
  readonly #remats = new Map<Value, Map<Attribute, Value>>();
  /** The last layout of each value in `#remats`: the one that follows when its loop is made anew. */
  readonly #mapped = new Map<Value, Attribute>();
  /** In the order in which they were replaced; they stay in the IR, as users of values, until the end. */
  readonly #toDelete = new Set<Operation>();

  constructor(readonly rw: Rewriter) {}

  addRematValue(value: Value, encoding: Attribute, by: Value): void {
    const known = this.#remats.get(value);
    if (known) known.set(encoding, by);
    else this.#remats.set(value, new Map([[encoding, by]]));
    this.#mapped.set(value, encoding);
  }
  getRematValue(value: Value, encoding: Attribute): Value | undefined {
    return this.#remats.get(value)?.get(encoding);
  }
  isRemoved({ op }: ConvertView): boolean {
    return this.#toDelete.has(op);
  }
  /** Replaces a conversion by a value that is there in its layout before it. */
  reuse(convert: ConvertView): boolean {
    const known = this.getRematValue(convert.src, encodingOfTensor(convert.result));
    if (!known || !this.#dominance.valueDominates(known, convert.op)) return false;
    this.#replaceConvert(convert, known);
    return true;
  }
  #replaceConvert(convert: ConvertView, by: Value): void {
    this.rw.replaceOpUses(convert.op, [by]);
    this.#toDelete.add(convert.op);
  }
  /** Erases what was replaced. */
  cleanup(): void {
    for (const op of [...this.#toDelete].reverse()) this.rw.erase(op);
  }

  // --- slices ---------------------------------------------------------------------------------

  getConvertBackwardSlice(
    root: OpOperand,
    encoding: Attribute,
    stopPropagation?: ConvertSliceOptions["stopPropagation"],
    from?: ConvertSlice,
  ) {
    return getConvertBackwardSlice(root, encoding, {
      stopPropagation,
      endAtExisting: this.rw.ctx.triton.slicesEndAtExisting,
      omitFitting: this.rw.ctx.triton.leavesOutFitting,
      from,
      getExistingConversion: (use, wanted) => {
        const remat = this.getRematValue(use.value, wanted);
        // Conversions are visited in post-order, so it is enough to look at this use.
        return remat && this.#dominance.valueDominates(remat, use.owner) && remat;
      },
    });
  }
  /** The costs of a conversion and of its slice. */
  costOf(convert: ConvertView, found: ConvertSlice): RematerializationCost {
    return costByVersion(convert, found, (op) => this.#toDelete.has(op));
  }
  /** As above, if all ops of the slice may be computed again; with `from`, that slice and more. */
  getRematerializableSlice(
    root: OpOperand,
    encoding: Attribute,
    stopPropagation?: ConvertSliceOptions["stopPropagation"],
    from?: ConvertSlice,
  ): ConvertSlice | string {
    const found = this.getConvertBackwardSlice(root, encoding, stopPropagation, from);
    if (typeof found === "string") return found;
    if (found.slice.size === 0) return "no tensor";
    for (const { definingOp } of found.slice) {
      if (definingOp && !canBeRemat(definingOp)) return `${definingOp.name} cannot be computed again`;
    }
    return found;
  }

  // --- rewriting ------------------------------------------------------------------------------

  /** Computes a slice in its layouts, beside what it is now, and replaces the conversion. `mapping` holds values that are there already. */
  rewriteSlice({ slice, layout, existing }: ConvertSlice, convert: ConvertView, mapping: Mapping = new Mapping()): void {
    const { rw } = this;
    if (rw.ctx.triton.leavesOutFitting) for (const [value, by] of existing) if (by) mapping.map(value, by);
    const { opsToRewrite, yieldOperands } = this.#collect(slice, layout, mapping);
    const replacements: (readonly [Value, Value])[] = [];
    const deadOps: Operation[] = [];
    for (const op of topologicalSort([...opsToRewrite])) {
      rw.from(op, () => {
        const loop = ForOp.match(op);
        const ifOp = IfOp.match(op);
        if (loop) this.#rewriteFor(loop, slice, layout, mapping, replacements);
        else if (ifOp) this.#rewriteIf(ifOp, slice, layout, mapping, replacements);
        else if (YieldOp.is(op)) this.#extendYield(op, yieldOperands.get(op) ?? [], mapping);
        else this.#rewriteOp(op, layout, mapping);
        if (loop || ifOp) deadOps.push(op);
      });
    }
    this.#replaceConvert(convert, lookup(mapping, convert.src));
    this.#updateRematMapping(replacements);
    for (const [from, to] of replacements) rw.replaceAllUses(from, to);
    for (const op of deadOps) this.#toDelete.add(op);
  }

  /** The ops of a slice, without those whose values are there already, which leave the slice; and which yields get more operands. */
  #collect(slice: Set<Value>, layout: ReadonlyMap<Value, Attribute>, mapping: Mapping) {
    const opsToRewrite = new Set<Operation>();
    const yieldOperands = new Map<Operation, number[]>();
    const addYield = (op: Operation, index: number): void => {
      opsToRewrite.add(op);
      const known = yieldOperands.get(op);
      if (known) known.push(index);
      else yieldOperands.set(op, [index]);
    };
    const existing: Value[] = [];
    for (const value of slice) {
      const remat = this.rw.ctx.triton.leavesOutFitting ? undefined : this.getRematValue(value, layout.get(value)!);
      const op = value.definingOp;
      if (remat) {
        mapping.map(value, remat);
        existing.push(value);
      } else if (op) {
        opsToRewrite.add(op);
        if (IfOp.is(op)) for (const region of op.regions) addYield(region.firstBlock!.lastOp!, value.index);
      } else {
        const block = value.argOwner!;
        const loop = block.parentOp!;
        opsToRewrite.add(loop);
        addYield(block.lastOp!, value.index - (loop.def.interface(LoopLike)?.inductionVars?.(loop).length ?? 0));
      }
    }
    for (const value of existing) slice.delete(value);
    return { opsToRewrite, yieldOperands };
  }

  #rewriteFor(
    loop: ForView,
    slice: ReadonlySet<Value>,
    layout: ReadonlyMap<Value, Attribute>,
    mapping: Mapping,
    replacements: (readonly [Value, Value])[],
  ): void {
    const { op, initArgs, region } = loop;
    const iterArgs = region.firstBlock!.args.slice(1);
    const carried = iterArgs.filter((arg) => slice.has(arg)).map((arg) => arg.index - 1);
    const made = replaceForOpWithNewSignature(
      this.rw,
      loop,
      carried.map((i) => lookup(mapping, initArgs[i]!)),
    );
    op.results.forEach((result, i) => {
      replacements.push([result, made.op.result(i)]);
    });
    const { args } = made.region.firstBlock!;
    carried.forEach((i, n) => {
      const at = initArgs.length + n;
      const oldArg = args[i + 1]!;
      const encoding = layout.get(oldArg)!;
      mapping.map(op.result(i), made.op.result(at));
      mapping.map(oldArg, args[at + 1]!);
      // The argument is in the slice, the result is not.
      this.addRematValue(made.op.result(i), encoding, made.op.result(at));
      this.addRematValue(oldArg, encoding, args[at + 1]!);
    });
  }

  #rewriteIf(
    ifOp: IfView,
    slice: ReadonlySet<Value>,
    layout: ReadonlyMap<Value, Attribute>,
    mapping: Mapping,
    replacements: (readonly [Value, Value])[],
  ): void {
    const { op } = ifOp;
    const wanted = op.results.filter((result) => slice.has(result));
    const types = wanted.map((result) => withEncoding(result.type as TensorType, layout.get(result)!));
    const made = replaceIfOpWithNewSignature(this.rw, ifOp, types);
    op.results.forEach((result, i) => {
      replacements.push([result, made.op.result(i)]);
    });
    wanted.forEach((result, n) => {
      const by = made.op.result(op.numResults + n);
      mapping.map(result, by);
      this.addRematValue(result, layout.get(result)!, by);
    });
  }

  /** The new operands come in the order of the new results. */
  #extendYield(op: Operation, indices: readonly number[], mapping: Mapping): void {
    const { rw } = this;
    const added = [...indices].sort((a, b) => a - b).map((i) => lookup(mapping, op.operand(i)));
    rw.setBefore(op).create(YieldOp, { results: [...op.operands, ...added] }, { loc: op.locRef });
    rw.erase(op);
  }

  #rewriteOp(op: Operation, layout: ReadonlyMap<Value, Attribute>, mapping: Mapping): void {
    const { rw } = this;
    rw.setBefore(op);
    if (ConstantOp.is(op)) {
      const result = op.result();
      const encoding = layout.get(result)!;
      const converted = convertLayout(rw, rw.clone(op).result(), encoding, op.locRef);
      mapping.map(result, converted);
      this.addRematValue(result, encoding, converted);
      return;
    }
    const copy = rw.clone(op, mapping);
    op.results.forEach((result, i) => {
      const encoding = layout.get(result);
      if (!encoding) return;
      copy.setResultType(i, withEncoding(result.type as TensorType, encoding));
      this.addRematValue(result, encoding, copy.result(i));
    });
  }

  /** Moves the entries for the results of a replaced loop or if to the results of the new one. */
  #updateRematMapping(replacements: readonly (readonly [Value, Value])[]): void {
    const newOf = new Map(replacements);
    for (const [old, by] of replacements) {
      const encoding = this.#mapped.get(old);
      if (!encoding) continue;
      const remat = this.#remats.get(old)!.get(encoding)!;
      this.#remats.get(old)!.delete(encoding);
      this.#mapped.delete(old);
      this.addRematValue(by, encoding, newOf.get(remat) ?? remat);
    }
  }
}

function lookup(mapping: Mapping, value: Value): Value {
  const mapped = mapping.values.get(value);
  if (!mapped) throw new Bug("a value of a slice was not computed");
  return mapped;
}
