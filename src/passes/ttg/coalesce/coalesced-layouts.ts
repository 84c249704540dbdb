/**
 * Which layout an access of global memory should have.
 * Source: lib/Dialect/TritonGPU/Transforms/CoalesceUtils.cpp, Utility.cpp (getNumElementsPerThread).
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { type SliceGroup, SliceGroups } from "../../../analysis/slice-groups.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp } from "../../../dialects/tt/ops/memory.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, TARGET } from "../../../dialects/ttg/num-warps.js";
import { elementsOfAtomic } from "../../../gpu/gpu.js";
import { stringOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, IntegerType, isFloat, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { makeBlocked } from "../../../layout/encodings/blocked.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import type { TritonVersion } from "../../../support/triton-version.js";
import { getElementBitWidth, getMemAccessPtr, lookupNumWarps } from "../memory-access.js";

/** Dimensions by falling contiguity; of equal ones the first one is first, or the last one. */
export function argSort(numbers: readonly number[], amongEqual: TritonVersion["fastestAmongEqual"]): number[] {
  return numbers.map((_, i) => i).sort((a, b) => numbers[b]! - numbers[a]! || (amongEqual === "first" ? a - b : b - a));
}

export interface CoalescedLayout {
  readonly layout: BlockedParams;
  /** Elements that a thread accesses at once. */
  readonly perThread: number;
  /** Elements that its own addresses allow: `perThread` is more where a connected access is wider. */
  readonly own: number;
}

/** The layouts that coalesce gives to the memory accesses of a module. */
export class CoalescedLayouts {
  readonly #groups: SliceGroups;
  /** The accesses in each group of connected ops. */
  readonly #accesses = new Map<SliceGroup, Operation[]>();
  /** The widest access among those connected with a group, of equal shape and order. */
  readonly #widest = new Map<SliceGroup, Map<string, number>>();

  constructor(
    readonly root: Operation,
    readonly axes: ModuleAxisInfo,
    readonly threadsPerWarp: number,
  ) {
    this.#groups = new SliceGroups(root);
    root.walk((op) => {
      if (!RankedTensorType.is(getMemAccessPtr(op)?.type)) return;
      const group = this.#groups.groupOf(op);
      const known = this.#accesses.get(group);
      if (known) known.push(op);
      else this.#accesses.set(group, [op]);
    });
  }

  /** The fastest dimension is the most contiguous one; in it a thread gets as many elements as fit 128 bits. */
  layoutFor(op: Operation): CoalescedLayout {
    const ptr = getMemAccessPtr(op)!;
    const { shape, encoding } = (ptr.type as TensorType).params;
    const params = encodingParams(encoding);
    // Gluon's layout that is still to be chosen says nothing of CTAs: upstream supports one.
    const cga = params ? getCTALayout(params)! : defaultCga(shape.length);
    const shapePerCTA = params ? getShapePerCTAOf(params, shape) : shape;
    const numWarps = lookupNumWarps(op);
    const order = this.#orderOf(ptr);
    const own = this.#elementsPerThread(op, order, shapePerCTA);
    // Accesses that depend on each other had better have one layout: the widest decides.
    let perThread = Math.max(own, ptr.definingOp ? this.#widestLike(op, shape, order, shapePerCTA) : own);
    const numElems = shapePerCTA.reduce((n, size) => n * size, 1);
    perThread = Math.min(perThread, Math.max(Math.trunc(numElems / (numWarps * this.threadsPerWarp)), 1));
    // A store of more than its own width would leave gaps; for loads the cache makes up for them.
    if (!LoadOp.is(op)) perThread = Math.min(perThread, own);
    const sizePerThread = shape.map(() => 1);
    sizePerThread[order[0]!] = perThread;
    const request = { shape, sizePerThread, order, numWarps, threadsPerWarp: this.threadsPerWarp };
    return { layout: makeBlocked(request, cga), perThread, own };
  }

  #orderOf(ptr: Value): number[] {
    return argSort(this.axes.getOrWorst(ptr).contiguity, this.root.ctx.triton.fastestAmongEqual);
  }

  #widestLike(op: Operation, shape: readonly number[], order: readonly number[], shapePerCTA: readonly number[]): number {
    const group = this.#groups.groupOf(op);
    let widest = this.#widest.get(group);
    if (!widest) this.#widest.set(group, (widest = new Map()));
    const key = `${shape}/${order}/${shapePerCTA}`;
    const known = widest.get(key);
    if (known !== undefined) return known;
    let result = 1;
    for (const connected of this.#groups.reachable(group))
      for (const other of this.#accesses.get(connected) ?? []) {
        const ptr = getMemAccessPtr(other)!;
        if (!equal((ptr.type as TensorType).params.shape, shape) || !equal(this.#orderOf(ptr), order)) continue;
        result = Math.max(result, this.#elementsPerThread(other, order, shapePerCTA));
      }
    widest.set(key, result);
    return result;
  }

  /** Elements in the fastest dimension that are contiguous and aligned, at most 128 bits of them. */
  #elementsPerThread(op: Operation, order: readonly number[], shapePerCTA: readonly number[]): number {
    const ptr = getMemAccessPtr(op)!;
    const fastest = order[0]!;
    const { contiguity, divisibility } = this.axes.getOrWorst(ptr);
    const bits = getElementBitWidth(ptr.type as TensorType);
    // Counted in 32 bits upstream: what is divisible by more is not known to be divisible by anything.
    const multiple = Math.max(Math.trunc((divisibility[fastest]! % 2 ** 32) / Math.max(Math.trunc(bits / 8), 1)), 1);
    return Math.min(multiple, contiguity[fastest]!, shapePerCTA[fastest]!, Math.trunc(128 / bits), atomicLimit(op));
  }
}

/** Elements that one instruction of an atomic takes, where Triton knows it (since 3.8). */
function atomicLimit(op: Operation): number {
  if (!op.ctx.triton.capsAtomics) return Infinity;
  if (AtomicCASOp.is(op)) return 1;
  const atomic = AtomicRMWOp.match(op);
  if (!atomic) return Infinity;
  const type = elementTypeOrSelf(atomic.val.type);
  if (IntegerType.is(type) || isFloat(type, "f64")) return 1;
  return elementsOfAtomic(stringOf(enclosingModule(op)?.attr(TARGET)), atomic.atomic_rmw_op, typeText(type), bitWidth(type)!);
}

const equal = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((n, i) => n === b[i]);
