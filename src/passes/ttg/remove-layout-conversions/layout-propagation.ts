/**
 * Forward propagation of layouts: those of anchors (accesses of memory, dots, arguments) reach all that depends on them, and
 * where several meet one is picked.
 *
 *     %a = tt.load %p                    // #a, an anchor
 *     %b = ttg.convert_layout %a         // #a -> #b
 *     %c = arith.addf %b, %b             // #b
 *
 * Here %b and %c could have #a: they get it, and the conversion is gone.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, LayoutPropagation.
 */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DescriptorOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { GatherOp } from "../../../dialects/tt/ops/gather.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { ExpandDimsOp, JoinOp, ReshapeOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { SameOperandsAndResultEncoding } from "../../../dialects/tt/traits.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { TMEMLoadOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { WarpGroupDotOp, WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Attribute } from "../../../ir/attribute.js";
import { encodingOf, RankedTensorType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { isExpensiveLoadOrStore } from "../memory-access.js";
import { inferDstEncoding } from "./infer-encoding.js";

const ANCHORS: ReadonlySet<OpDef> = new Set<OpDef>([DotOp, DotScaledOp, WarpGroupDotOp, AtomicRMWOp, AtomicCASOp, TMEMLoadOp]);
const SHAPE_OPS: ReadonlySet<OpDef> = new Set<OpDef>([ReduceOp, ExpandDimsOp, ReshapeOp, TransOp, JoinOp, SplitOp, ConvertLayoutOp]);
const ACCESSES: ReadonlySet<OpDef> = new Set<OpDef>([LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp]);

/** The layout to be of every value that an anchor's layout reaches, in the order they were reached. */
export function propagateLayouts(func: Operation): Map<Value, Attribute> {
  const candidates = anchorLayouts(func);
  const queue = [...candidates.keys()];
  for (let value = queue.pop(); value; value = queue.pop()) {
    const encodings = [...candidates.get(value)!];
    const changed: Value[] = [];
    // Newest use first, as upstream: which layout comes first decides where there is no better reason.
    for (let use = value.firstUse; use; use = use.nextUse)
      for (const [target, op] of reachedBy(use)) if (addEncodings(candidates, target, encodings, op)) changed.push(target);
    for (const target of changed) queue.push(target);
  }
  const layouts = new Map<Value, Attribute>();
  for (const [value, encodings] of candidates) layouts.set(value, resolveConflict(value, encodings));
  return layouts;
}

/** Whether the op's layout is to be kept, and handed on to what depends on it. */
export function isLayoutAnchor(op: Operation): boolean {
  if (op.def.interface(DescriptorOpInterface) || ANCHORS.has(op.def)) return true;
  if (LoadOp.is(op) || StoreOp.is(op)) return isExpensiveLoadOrStore(op);
  // A reshape that may reorder can give any layout, so nothing gets through it forwards; the backward pass may still change it.
  return GatherOp.match(op)?.efficient_layout ?? ReshapeOp.match(op)?.allow_reorder ?? false;
}

function anchorLayouts(func: Operation): Map<Value, Set<Attribute>> {
  const anchors = new Map<Value, Set<Attribute>>();
  const add = (value: Value): void => {
    const encoding = encodingOf(value.type);
    if (encoding) anchors.set(value, new Set([encoding]));
  };
  // Arguments count too: tests are easier to write so.
  for (const arg of func.regions[0]?.firstBlock?.args ?? []) add(arg);
  func.walkPostOrder((op) => {
    if (isLayoutAnchor(op)) op.results.forEach(add);
  });
  return anchors;
}

/** The values that get their layout from that of an operand, and the op whose rule says how. */
function* reachedBy(use: OpOperand): Iterable<readonly [Value, Operation]> {
  const { owner, index } = use;
  const { def } = owner;
  if (def === ForOp) {
    // The bounds are no tensors.
    yield [owner.regions[0]!.firstBlock!.args[index - 2]!, owner];
    yield [owner.result(index - 3), owner];
  } else if (def === WhileOp) yield [owner.regions[0]!.firstBlock!.args[index]!, owner];
  else if (def === YieldOp) {
    const parent = owner.parentOp!;
    if (ForOp.is(parent) || IfOp.is(parent)) yield [parent.result(index), owner];
    // Upstream takes the operands of a while's body for its results.
    else if (WhileOp.is(parent) && index < parent.numResults) yield [parent.result(index), owner];
    if (ForOp.is(parent)) yield [parent.regions[0]!.firstBlock!.args[index + 1]!, owner];
    if (WhileOp.is(parent)) yield [parent.regions[0]!.firstBlock!.args[index]!, owner];
  } else if (def === ConditionOp) {
    const loop = owner.parentOp!;
    yield [loop.regions[1]!.firstBlock!.args[index - 1]!, owner];
    yield [loop.result(index - 1), owner];
  } else if (def === WarpGroupDotWaitOp) yield [owner.result(index), owner];
  else if (def === GatherOp) {
    if (index === 1 && !GatherOp.match(owner)!.efficient_layout) yield [owner.result(), owner];
  } else if (def.traits.has(SameOperandsAndResultEncoding) || def.traits.has(Elementwise) || SHAPE_OPS.has(def))
    for (const result of owner.results) yield [result, owner];
}

/** Adds what the op makes of the encodings to a value's candidates. Returns whether there was a new one. */
function addEncodings(candidates: Map<Value, Set<Attribute>>, value: Value, encodings: readonly Attribute[], op: Operation): boolean {
  if (!RankedTensorType.is(value.type)) return false;
  let changed = false;
  for (const encoding of encodings) {
    // A conversion vanishes when its result takes on the layout of its source.
    const inferred = ConvertLayoutOp.is(op) ? encoding : inferDstEncoding(op, encoding);
    if (!inferred) continue;
    const known = candidates.get(value);
    if (known?.has(inferred)) continue;
    if (known) known.add(inferred);
    else candidates.set(value, new Set([inferred]));
    changed = true;
  }
  return changed;
}

/** Accesses of memory prefer a blocked layout, all else that of a dot; or else what came first. */
function resolveConflict(value: Value, encodings: ReadonlySet<Attribute>): Attribute {
  const [first] = encodings;
  if (encodings.size === 1) return first!;
  const isAccess = value.definingOp !== undefined && ACCESSES.has(value.definingOp.def);
  for (const encoding of encodings) {
    const kind = encodingParams(encoding)?.kind;
    const preferred = isAccess ? kind === "blocked" : kind === "nvidia_mma" || kind === "amd_mfma" || kind === "amd_wmma";
    if (preferred) return encoding;
  }
  return first!;
}
