/**
 * Stores to the shared memory of CTAs of a cluster that count at an mbarrier there:
 *
 *     st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [ $0 + 0 ], { $1, $2, $3, $4 }, [ $5 + 0 ];
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/MemoryOpToLLVM.cpp, AsyncSharedStoreOpConversion.
 */
import { LLVMPointerType, ptrType, voidType } from "../../../dialects/llvm/types/types.js";
import { MapaOp } from "../../../dialects/nvvm/ops/index.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncSharedStoreOp } from "../../../dialects/ttng/ops/barrier.js";
import { intType, isInteger, shapedParams, type TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { actionRemoveBroadcastedRegs } from "../../../layout/column-action.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import { linearLayoutOf, memDescOf, placeOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { lowerLdSt } from "../../ttg-to-llvm/shared-access.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { leaderAddress, sharingBitsOf } from "./cta-groups.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

export const ASYNC_SHARED_STORES: readonly LoweringRule[] = [
  rule(AsyncSharedStoreOp, ({ src, dst, mbarrier }, lo) => {
    const { b, ctx } = lo;
    const type = memDescOf(dst);
    const object = sharedMemoryObject(lo, dst);
    const barrier = sharedMemoryObject(lo, mbarrier).base;
    const { shape, encoding } = (src.type as TensorType).params;
    const total = toLinearLayout(shape, encoding!).invertAndCompose(linearLayoutOf(type));
    const values = lo.elements(src);
    const unique = actionRemoveBroadcastedRegs(total);
    const place = placeOf(lo, unique.apply(total), type, object);
    const own = lo.code.clusterCTAId(lo);
    const inCTA = (address: Value, cta: Value): Value => b.value(MapaOp, { a: address, b: cta }, ptrType(ctx, 7));
    lowerLdSt(lo, place, unique.applyToValues(values), laneAndWarpId(lo), (vals, address, index, vector, cta) => {
      const to = inCTA(address, cta ?? own);
      const at = leaderAddress(lo, inCTA(barrier, cta ?? own), sharingBitsOf(mbarrier));
      store(lo, vals.slice(index, index + shapedParams(vector).shape[0]!), to, at);
      return [];
    });
  }),
];

/** Stores of at most 128 bits in words of 32 or 64. */
function store(lo: Lowering, values: readonly Value[], to: Value, barrier: Value): void {
  const { b, ctx } = lo;
  const element = values[0]!.type;
  const bits = scalarBits(element);
  const most = 128 / bits;
  if (values.length > most) {
    for (let i = 0; i < values.length; i += most)
      store(lo, values.slice(i, i + most), b.gep(to.type, element, to, [b.i32(i)], { inbounds: true }), barrier);
    return;
  }
  const width = Math.max(bits, 32);
  const perWord = width / bits;
  const words: Value[] = [];
  for (let i = 0; i < values.length; i += perWord) words.push(asWord(lo, values.slice(i, i + perWord), width));
  const ptx = new PtxBuilder();
  const code = width === 32 ? "r" : "l";
  const parts = [
    "st.async",
    "weak",
    "shared::cluster",
    "mbarrier::complete_tx::bytes",
    words.length > 1 ? `v${words.length}` : "",
    `b${width}`,
  ];
  const address = ptx.address(to, "r");
  const at = ptx.address(barrier, "r");
  const stored = words.map((word) => ptx.input(word, code));
  ptx.instruction(parts, [address, words.length > 1 ? ptx.list(stored) : stored[0]!, at]);
  ptx.launch(b, voidType(ctx));
}
function asWord({ b, ctx }: Lowering, values: readonly Value[], width: number): Value {
  const type = intType(ctx, width);
  const [first] = values as [Value];
  if (values.length > 1) return b.bitcast(b.packVector(values), type);
  if (LLVMPointerType.is(first.type)) return b.ptrtoint(first, type);
  return isInteger(first.type) ? first : b.bitcast(first, type);
}
