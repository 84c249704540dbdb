/**
 * How many elements a thread accesses at once, and what holds it back: the least of what the addresses, the mask, the layout and the
 * instruction allow. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp.
 */

import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../dialects/tt/ops/memory.js";
import { getPointeeBitWidth } from "../dialects/tt/types.js";
import { distributedParams, sharedParams, toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { AsyncCopyGlobalToLocalOp } from "../dialects/ttg/ops/async-copy.js";
import { targetOf } from "../dialects/ttg/target.js";
import type { MemDesc } from "../dialects/ttg/types.js";
import { elementTypeOrSelf, isFloat, RankedTensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { getContigPerThread, getOrder } from "../layout/encoding-queries.js";
import type { AxisInfo } from "./axis-info.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";

/** An op that reads or writes global memory by pointers. */
export interface MemoryAccess {
  readonly ptr: Value;
  readonly mask: Value | undefined;
}
export function memoryAccess(op: Operation): MemoryAccess | undefined {
  const copy = AsyncCopyGlobalToLocalOp.match(op);
  if (copy) return { ptr: copy.src, mask: copy.mask };
  const access = LoadOp.match(op) ?? StoreOp.match(op) ?? AtomicRMWOp.match(op);
  if (access) return { ptr: access.ptr, mask: access.mask };
  const cas = AtomicCASOp.match(op);
  return cas && { ptr: cas.ptr, mask: undefined };
}

/**
 * The limits on the width: runs of consecutive addresses; their alignment; runs of equal mask bits; consecutive elements that the layout
 * gives a thread; how an async copy's buffer is swizzled; the widest instruction.
 */
export type AccessLimitKind = "contiguity" | "divisibility" | "mask" | "layout" | "buffer" | "instruction" | "scalar";
export interface AccessLimit {
  readonly by: AccessLimitKind;
  /** Elements that it allows at once. */
  readonly elements: number;
}
/** How many consecutive elements one thread accesses at once, and in which dimension. */
export interface AccessWidth extends MemoryAccess {
  readonly op: Operation;
  /** The dimension along which a thread's elements lie. */
  readonly dim: number;
  /** Bits of an element in memory: at least 8. */
  readonly elementBits: number;
  /** Elements at once: the least of `limits`. */
  readonly elements: number;
  readonly bits: number;
  readonly limits: readonly AccessLimit[];
}

/** A layout that an access will have: the fastest dimension, and the neighbouring elements that each thread has along it. */
export interface ChosenLayout {
  readonly dim: number;
  readonly perThread: number;
}

/** The width that an access has with its layout, with a chosen one, or before it has one at most; undefined for ops that access no global memory. */
export function accessWidth(op: Operation, axes: ModuleAxisInfo, chosen?: ChosenLayout): AccessWidth | undefined {
  const access = memoryAccess(op);
  if (!access) return undefined;
  const { type } = access.ptr;
  const bits = getPointeeBitWidth(type);
  const encoding = RankedTensorType.is(type) ? distributedParams(type.params.encoding) : undefined;
  if (!RankedTensorType.is(type)) return widthOf(op, access, 0, bits, [{ by: "scalar", elements: 1 }]);
  const { shape } = type.params;
  const fastest = encoding ? getOrder(encoding, shape)[0]! : mostContiguous(axes.getOrWorst(access.ptr));
  if (encoding && !chosen && encoding.kind === "blocked" && encoding.order[0] !== fastest) {
    // Threads with one element each have no order; what the layout says is what was meant.
    const meant = accessWidth(op, axes, { dim: encoding.order[0]!, perThread: getContigPerThread(encoding, shape)[encoding.order[0]!]! })!;
    const actual = accessWidth(op, axes, { dim: fastest, perThread: getContigPerThread(encoding, shape)[fastest]! })!;
    return meant.elements === actual.elements ? meant : actual;
  }
  const dim = chosen?.dim ?? fastest;
  const perThread = chosen?.perThread ?? (encoding && getContigPerThread(encoding, shape)[dim]!);
  const limits: AccessLimit[] = axisLimits(access, axes, dim, bits);
  if (perThread !== undefined) limits.push({ by: "layout", elements: perThread });
  const copy = AsyncCopyGlobalToLocalOp.match(op);
  if (copy) {
    const buffer = (copy.result.type as MemDesc).params;
    if (sharedParams(buffer.encoding)) {
      const allocated = toLinearLayout(buffer.allocShape.slice(buffer.allocShape.length - buffer.shape.length), buffer.encoding);
      limits.push({
        by: "buffer",
        elements: toLinearLayout(shape, type.params.encoding!).invertAndCompose(allocated).getNumConsecutiveInOut(),
      });
    }
  }
  const widest = widestInstruction(op);
  if (widest < 128) limits.push({ by: "instruction", elements: Math.max(1, Math.trunc(widest / bits)) });
  return widthOf(op, access, dim, bits, limits);
}

/** The dimension that coalescing would have threads go along: of several the last. */
const mostContiguous = ({ contiguity }: AxisInfo): number => contiguity.lastIndexOf(Math.max(...contiguity));

/** The limits along a dimension from addresses, mask and the widest instruction (128 bits). */
function axisLimits({ ptr, mask }: MemoryAccess, axes: ModuleAxisInfo, dim: number, bits: number): AccessLimit[] {
  const { contiguity, divisibility } = axes.getOrWorst(ptr);
  return [
    { by: "contiguity", elements: contiguity[dim]! },
    { by: "divisibility", elements: Math.max(Math.trunc(divisibility[dim]! / Math.max(bits / 8, 1)), 1) },
    ...(mask ? [{ by: "mask", elements: Math.max(axes.getOrWorst(mask).constancy[dim] ?? 1, 1) } as const] : []),
    { by: "instruction", elements: Math.trunc(128 / bits) },
  ];
}

function widthOf(op: Operation, access: MemoryAccess, dim: number, bits: number, limits: readonly AccessLimit[]): AccessWidth {
  const copy = AsyncCopyGlobalToLocalOp.match(op);
  const least = Math.min(...limits.map((limit) => limit.elements));
  // A pass that knew more has noted how wide a copy may be.
  const elements = copy ? Math.min(Math.max(least, copy.contiguity), Math.trunc(128 / bits)) : least;
  const elementBits = Math.max(bits, 8);
  return { op, ...access, dim, elementBits, elements, bits: elements * elementBits, limits };
}

/** Bits of the widest instruction for the op: atomics take one element, two of f16, or where the GPU has it a vector of floats to add. */
function widestInstruction(op: Operation): number {
  if (AtomicCASOp.is(op)) return 0;
  const atomic = AtomicRMWOp.match(op);
  if (!atomic) return 128;
  const element = elementTypeOrSelf(atomic.val.type);
  const vectors = targetOf(op)?.vectorAtomics ?? false;
  if (vectors && atomic.atomic_rmw_op === "fadd" && ["f16", "bf16", "f32"].some((kind) => isFloat(element, kind as "f16"))) return 128;
  return isFloat(element, "f16") ? 32 : 0;
}
