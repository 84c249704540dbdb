/** `nvidia.ampere`: cp.async, mbarriers, mma. Source: python/triton/experimental/gluon/language/nvidia/ampere. */
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import {
  ArriveBarrierOp,
  AsyncCopyMbarrierArriveOp,
  InitBarrierOp,
  InvalBarrierOp,
  WaitBarrierOp,
} from "../../../dialects/ttng/ops/barrier.js";
import { self, truth } from "../../language/builtins/arguments.js";
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../../language/define-builtin.js";
import { check } from "../../language/errors.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emitOp } from "../../language/semantic/emit.js";
import { constexprShape, evictionPolicy, loadCacheModifier } from "../../language/semantic/memory.js";
import { broadcastValues } from "../../language/semantic/shape.js";
import { isBlock } from "../../language/types.js";
import { EMPTY_TUPLE, extentsOf, type Tensor, unwrap } from "../../language/values.js";
import { ints } from "../layouts/define-layout.js";
import { NVMMA_DISTRIBUTED } from "../layouts/distributed.js";
import { expect, listText } from "../semantic/shape.js";
import { buffer, handle, sequence } from "./arguments.js";
import { checkDotOperands, dotInto, tensorOperands } from "./core.js";

const asyncLoad = (name: string): BuiltinDef =>
  defineBuiltin(
    name,
    { smem: REQUIRED, pointer: REQUIRED, mask: null, cache_modifier: "", eviction_policy: "", volatile: false },
    (s, a) => {
      const smem = buffer(a.smem);
      const access = {
        cache: loadCacheModifier(unwrap(a.cache_modifier)),
        evict: evictionPolicy(unwrap(a.eviction_policy)),
        isVolatile: truth(a.volatile),
      };
      let pointer = self(a.pointer);
      const given = unwrap(a.mask);
      let mask = given === null ? undefined : self(given);
      if (mask) [pointer, mask] = broadcastValues(s, pointer, mask);
      expect(
        listText(smem.type.shape) === listText(extentsOf(pointer)),
        () =>
          `expected smem shape to match pointer shape but got smem.shape = ${listText(smem.type.shape)}, ` +
          `pointer.shape = ${constexprShape(extentsOf(pointer))}`,
      );
      emitOp(s, AsyncCopyGlobalToLocalOp, { src: pointer.handle, result: smem.handle, mask: mask?.handle, ...access });
      return null;
    },
  );

export const ASYNC_COPY: readonly BuiltinDef[] = [
  asyncLoad("async_copy_global_to_shared"),
  asyncLoad("async_load"),
  defineBuiltin("mbarrier_arrive", { mbarrier: REQUIRED, increment_count: true }, (s, a) => {
    emitOp(s, AsyncCopyMbarrierArriveOp, { barrier: handle(a.mbarrier), noIncrement: !truth(a.increment_count) });
    return null;
  }),
  defineBuiltin("commit_group", {}, (s) => {
    emitOp(s, AsyncCommitGroupOp, { inputTokens: [] });
    return null;
  }),
  defineBuiltin("wait_group", { num_outstanding: 0n }, (s, a) => {
    emitOp(s, AsyncWaitOp, { inputTokens: [], asyncToken: [], num: Number(unwrap(a.num_outstanding)) });
    return null;
  }),
];

const BARRIER: readonly BuiltinDef[] = [
  defineBuiltin("init", { mbarrier: REQUIRED, count: REQUIRED }, (s, a) => {
    emitOp(s, InitBarrierOp, { alloc: handle(a.mbarrier), count: Number(unwrap(a.count)) });
    return null;
  }),
  defineBuiltin("invalidate", { mbarrier: REQUIRED }, (s, a) => {
    emitOp(s, InvalBarrierOp, { alloc: handle(a.mbarrier) });
    return null;
  }),
  defineBuiltin("wait", { mbarrier: REQUIRED, phase: REQUIRED, pred: true, deps: EMPTY_TUPLE }, (s, a) => {
    const phase = toTensor(s, a.phase);
    const pred = toTensor(s, a.pred);
    const deps = sequence(a.deps).map(handle);
    emitOp(s, WaitBarrierOp, { alloc: handle(a.mbarrier), phase: phase.handle, pred: pred.handle, deps });
    return null;
  }),
];
/** Arrivals on an mbarrier: from Hopper on with a count. */
export const ARRIVE = (counted: boolean): BuiltinDef =>
  defineBuiltin("arrive", { mbarrier: REQUIRED, ...(counted ? { count: 1n } : {}), pred: true }, (s, a) => {
    const count = "count" in a ? Number(unwrap(a.count as never)) : 1;
    const pred = toTensor(s, a.pred);
    emitOp(s, ArriveBarrierOp, { alloc: handle(a.mbarrier), count, pred: pred.handle });
    return null;
  });
export const AMPERE_MBARRIER: readonly BuiltinDef[] = [...BARRIER, ARRIVE(false)];
export const COMMON_MBARRIER = BARRIER;

export const MMA_V2 = defineBuiltin("mma_v2", { a: REQUIRED, b: REQUIRED, acc: REQUIRED, input_precision: null }, (s, given) => {
  const [a, b, acc] = tensorOperands({ a: given.a, b: given.b, acc: given.acc }) as [Tensor, Tensor, Tensor];
  const layout = isBlock(acc.type) ? acc.type.layout : undefined;
  check(layout?.cls === NVMMA_DISTRIBUTED, "acc must have an NVMMADistributedLayout");
  check(listText(ints(layout!.fields.get("version"))) === "[2, 0]", "MMA layout must have version 2.0");
  checkDotOperands(a, b, layout!);
  return dotInto(s, [a, b, acc], unwrap(given.input_precision));
});
