/** Which buffers an op reads and writes, and what says that it has. Source: ConcurrencySanitizer.cpp, getMemEffectsOpInfo. */
import { sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp, LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescType } from "../../../dialects/ttg/types.js";
import type { MemType } from "../../../dialects/tti/ops/instrument.js";
import { ArriveBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { TCGen5CommitOp, TCGen5MMAOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAGatherOp,
  AsyncTMAScatterOp,
} from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { OpDef, TypedOpDef, ViewOf } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { CommitKind } from "./tracked-state.js";

interface Access {
  readonly kind: "read" | "write";
  readonly buffer: Value;
  /** The operand's name in messages; empty where there is but one. */
  readonly operand: string;
}
export interface MemoryAccesses {
  readonly accesses: readonly Access[];
  readonly pred?: Value | undefined;
  /** The mbarriers that it arrives at, or has others arrive at. */
  readonly barriers?: readonly { readonly barrier: Value; readonly pred?: Value; readonly count: number }[];
  /** Threads learn of the accesses by mbarriers, or by waiting for groups of a kind; a group may be the op alone. */
  readonly tracking?: "barriers" | { readonly kind: CommitKind; readonly isGroup: boolean };
}

/** The memory that a buffer is in. */
export function memoryOf({ type }: Value): MemType {
  return MemDescType.is(type) && sharedParams(type.params.encoding) ? "shared_mem" : "tensor_mem";
}

const reads = (buffer: Value, operand = ""): Access => ({ kind: "read", buffer, operand });
const writes = (buffer: Value, operand = ""): Access => ({ kind: "write", buffer, operand });

type Row = readonly [OpDef, (op: Operation) => MemoryAccesses | undefined];
function row<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, of: (view: ViewOf<O, A, R, G, S>) => MemoryAccesses | undefined): Row {
  return [def, (op) => of(def.viewOf(op) as ViewOf<O, A, R, G, S>)];
}
const byBarriers = (...accesses: readonly Access[]): MemoryAccesses => ({ accesses, tracking: "barriers" });

const ROWS: ReadonlyMap<OpDef, Row[1]> = new Map([
  row(AsyncTMACopyGlobalToLocalOp, ({ pred, barrier, result }) => ({
    ...byBarriers(writes(result)),
    pred,
    barriers: [{ barrier, count: 1 }],
  })),
  row(AsyncTMACopyLocalToGlobalOp, ({ src }) => ({
    accesses: [reads(src)],
    tracking: { kind: "async_copy_shared_to_global", isGroup: true },
  })),
  row(AsyncTMAGatherOp, ({ pred, barrier, result }) => ({ ...byBarriers(writes(result)), pred, barriers: [{ barrier, count: 1 }] })),
  row(AsyncTMAScatterOp, ({ src }) => ({ accesses: [reads(src)] })),
  row(AsyncCopyGlobalToLocalOp, ({ result }) => ({
    accesses: [writes(result)],
    tracking: { kind: "async_copy_global_to_shared", isGroup: false },
  })),
  row(LocalLoadOp, ({ src }) => byBarriers(reads(src))),
  row(LocalStoreOp, ({ dst }) => byBarriers(writes(dst))),
  row(LocalAllocOp, ({ src, result }) => src && byBarriers(writes(result))),
  row(TMEMLoadOp, ({ src }) => byBarriers(reads(src))),
  row(TMEMStoreOp, ({ dst }) => byBarriers(writes(dst))),
  row(TMEMAllocOp, ({ src, result }) => src && byBarriers(writes(result))),
  row(TCGen5MMAOp, ({ a, b, d, pred, barriers, barrier_preds }) => ({
    ...byBarriers(reads(a, "A"), reads(b, "B"), writes(d, "Acc")),
    pred,
    barriers: barriers.map((barrier, i) => ({ barrier, pred: barrier_preds[i]!, count: 1 })),
  })),
  row(TCGen5CommitOp, ({ barrier, pred }) => ({ ...byBarriers(), pred, barriers: [{ barrier, count: 1 }] })),
  row(ArriveBarrierOp, ({ alloc, pred, count }) => ({ ...byBarriers(), pred, barriers: [{ barrier: alloc, count }] })),
  row(WarpGroupDotOp, ({ a, b, isAsync }) =>
    isAsync
      ? {
          accesses: [reads(a, "A"), reads(b, "B")].filter(({ buffer }) => memoryOf(buffer) === "shared_mem"),
          tracking: { kind: "warpgroup_mma operand read", isGroup: true },
        }
      : undefined,
  ),
]);

export const accessesOf = (op: Operation): MemoryAccesses | undefined => ROWS.get(op.def)?.(op);
