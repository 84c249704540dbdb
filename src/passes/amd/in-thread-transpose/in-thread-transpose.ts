/**
 * Operands of dots that lie in global memory along m or n are written to shared memory along k, so that a lane reads its elements at
 * once: a thread loads several rows and transposes them in its registers.
 *
 *     %v = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
 *     ttg.local_store %v, %buffer : tensor<64x128xf16, #blocked> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
 *     ->
 *     %v = tt.load %q : tensor<64x128x!tt.ptr<f16>, #rows>
 *     %t = amdg.in_thread_transpose %v : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #linear>
 *     ttg.local_store %t, %buffer : tensor<64x128xf16, #linear> -> !ttg.memdesc<64x128xf16, #rotating, #smem, mutable>
 *
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/InThreadTranspose.cpp.
 */
import { InThreadTransposeOp, inThreadTransposed } from "../../../dialects/amdg/ops/tiles.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, encodingOf, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams, DotOperandParams } from "../../../layout/encoding-params.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { makeBlockedForCTAs } from "../../../layout/encodings/blocked.js";
import { swizzledSharedForDot } from "../../../layout/encodings/shared-for-dot.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { convertDistributedOpEncoding, convertLayout } from "../../ttg/distributed-op-encoding.js";
import { networkOf, type SharedMemoryNetwork, searched, sourcesOf } from "./shared-memory-network.js";

/** Bits that a thread writes to shared memory at once. */
const STORE_BITS = 64;

export const inThreadTranspose = definePass("tritonamdgpu-in-thread-transpose", {
  name: "TritonAMDGPUInThreadTranspose",
  summary: "Extend global load sizePerThread to 2D shape and perform transpose within registers per thread before writing to shared memory",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/InThreadTranspose.cpp",
  statistics: { transposed: "operands that threads transpose" },
  run(root, { listener, count, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    const localLoads: Operation[] = [];
    root.walk((op) => void (LocalLoadOp.is(op) && localLoads.push(op)));
    for (const op of localLoads) {
      const operand = encodingParams(encodingOf(op.result(0).type));
      if (operand?.kind !== "dot_op" || (operand.parent.kind !== "amd_mfma" && operand.parent.kind !== "amd_wmma")) continue;
      const plan = planFor(op, operand);
      if (typeof plan === "string") {
        const message = `{0} reads an operand that threads do not transpose: ${plan}`;
        explain?.(op, "transpose.declined", { kind: "missed", message, fields: { reason: plan } });
        continue;
      }
      count("transposed");
      const { sizePerThread } = rw.from(op, () => transpose(rw, op, operand, plan));
      explain?.(op, "transpose.operand", {
        kind: "applied",
        message: `{0} reads an operand along k: each thread loads ${sizePerThread.join("x")} elements at {1} and transposes them`,
        refs: [plan.loads[0]!],
        fields: { sizePerThread },
      });
    }
  },
});

interface Plan extends SharedMemoryNetwork {
  /** The loads from global memory, all of one type. */
  readonly loads: readonly Operation[];
  readonly type: TensorType;
  readonly layout: BlockedParams;
  readonly kDim: number;
  /** Elements along k that a thread could load at most. */
  readonly most: number;
}

/** The buffer that is read, and the loads that fill it; a text says why it stays as it is. */
function planFor(localLoad: Operation, { opIdx }: DotOperandParams): Plan | string {
  const kDim = opIdx === 0 ? 1 : 0;
  const network = searched(() => networkOf(localLoad));
  if (typeof network === "string") return network;
  const loads = new Set<Operation>();
  for (const store of network.stores) {
    if (store.numOperands === 0) continue;
    const data = store.operand(0);
    const layout = encodingParams(encodingOf(data.type));
    if (layout?.kind !== "blocked") return "what is stored has no blocked layout";
    if (layout.order[0] === kDim) return "its elements are loaded along k already";
    const sources = searched(() => sourcesOf(data));
    if (typeof sources === "string") return sources;
    for (const { definingOp } of sources) if (LoadOp.is(definingOp)) loads.add(definingOp!);
  }
  const [first, ...others] = loads;
  if (!first) return "no tt.load fills its buffer";
  const type = first.result(0).type as TensorType;
  const { shape, encoding } = type.params;
  if (shape.length !== 2) return `it has ${shape.length} dimensions, not 2`;
  const layout = encodingParams(encoding);
  if (layout?.kind !== "blocked") return "what is loaded has no blocked layout";
  const most = Math.trunc(shape[kDim]! / (layout.threadsPerWarp[kDim]! * layout.warpsPerCTA[kDim]!));
  if (most < 2) return `a thread loads one element along k, since there are ${shape[kDim]} for all threads`;
  if (others.some((load) => load.result(0).type !== type)) return "the loads that fill its buffer differ in shape or layout";
  return { ...network, loads: [...loads], type, layout, kDim, most };
}

/** Returns the layout that the loads get. */
function transpose(rw: Rewriter, localLoad: Operation, operand: DotOperandParams, plan: Plan): BlockedParams {
  const { ctx } = rw;
  const { shape, elementType } = plan.type.params;
  const { order, threadsPerWarp, warpsPerCTA, cga } = plan.layout;
  const product = (sizes: Iterable<number>): number => [...sizes].reduce((a, b) => a * b, 1);
  const sizePerThread = [...plan.layout.sizePerThread];
  sizePerThread[plan.kDim] = Math.min(plan.most, Math.trunc(STORE_BITS / bitWidth(elementType)!));
  const request = { shape, sizePerThread, order, numWarps: product(warpsPerCTA), threadsPerWarp: product(threadsPerWarp) };
  const blocked = makeBlockedForCTAs(request, cga.getTotalInDimSize());
  const rows = encodingAttr(ctx, blocked);
  for (const load of plan.loads) convertDistributedOpEncoding(rw, load, rows);
  const transposed = encodingAttr(ctx, { kind: "linear", layout: inThreadTransposed(shape, blocked) });
  for (const store of plan.stores) {
    if (store.numOperands === 0) continue;
    const data = store.operand(0);
    const loc = store.locRef;
    const src = convertLayout(rw.setBefore(store), data, rows, loc);
    rw.setOperand(store, 0, rw.value(InThreadTransposeOp, { src }, { loc, types: [withEncoding(data.type as TensorType, transposed)] }));
  }
  const shared = rotatingShared(localLoad, operand);
  for (const buffer of plan.buffers) giveLayout(rw, buffer, shared);
  return blocked;
}

function rotatingShared(localLoad: Operation, operand: DotOperandParams): Attribute {
  const { shape, elementType } = (localLoad.result(0).type as TensorType).params;
  const order = operand.opIdx === 0 ? [1, 0] : [0, 1];
  const request = { shape, order, cga: getCTALayout(operand)!, bitwidth: bitWidth(elementType)!, needTrans: false };
  return encodingAttr(localLoad.ctx, { ...swizzledSharedForDot(operand, request), kind: "amd_rotating_shared" });
}
function giveLayout(rw: Rewriter, buffer: Value, encoding: Attribute): void {
  const { shape, elementType, encoding: before, memorySpace, mutableMemory } = (buffer.type as MemDesc).params;
  if (encodingParams(before)?.kind !== "swizzled_shared") return;
  rw.modify(buffer.parentBlock!.parentOp!, () => {
    buffer.setType(memDescType(shape, elementType, encoding, memorySpace, mutableMemory));
  });
}
