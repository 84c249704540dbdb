/** Barriers, fences, mbarriers and waits. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, NVVMDialect.cpp. */
import type { Attribute } from "../../../ir/attribute.js";
import {
  anyOf,
  defaultAttr,
  I,
  I1,
  I16Attr,
  I32,
  I32Attr,
  I64Attr,
  NonNegativeI32Attr,
  optional,
  optionalAttr,
  type TypeConstraint,
  Unit,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments } from "../../../ir/traits.js";
import { LLVMType, Pointer, pointerIn } from "../../llvm/type-constraints.js";
import * as A from "../attrs.js";

const Shared = pointerIn(3);
const plain = (name: string) => defineOp(`nvvm.${name}`, () => ({ format: "attr-dict" }));
export const Barrier0Op = plain("barrier0");
export const BreakpointOp = plain("breakpoint");
export const ExitOp = plain("exit");
export const FenceMbarrierInitOp = plain("fence.mbarrier.init");
export const FenceScClusterOp = plain("fence.sc.cluster");
export const CpAsyncCommitGroupOp = plain("cp.async.commit.group");
export const CpAsyncBulkCommitGroupOp = plain("cp.async.bulk.commit.group");
export const WgmmaFenceAlignedOp = plain("wgmma.fence.aligned");
export const WgmmaGroupSyncAlignedOp = plain("wgmma.commit.group.sync.aligned");

const aligned = (name: string) => defineOp(`nvvm.${name}`, () => ({ attrs: { aligned: Unit }, format: "attr-dict" }));
export const ClusterArriveOp = aligned("cluster.arrive");
export const ClusterArriveRelaxedOp = aligned("cluster.arrive.relaxed");
export const ClusterWaitOp = aligned("cluster.wait");

export const SyncWarpOp = defineOp("nvvm.bar.warp.sync", () => ({
  operands: { mask: LLVMType },
  format: "$mask attr-dict `:` type($mask)",
}));
export const BarrierOp = defineOp("nvvm.barrier", () => ({
  operands: { barrierId: optional(I32), numberOfThreads: optional(I32) },
  traits: [AttrSizedOperandSegments],
  format: "(`id` `=` $barrierId^)? (`number_of_threads` `=` $numberOfThreads^)? attr-dict",
  verify({ barrierId, numberOfThreads }, report) {
    if (numberOfThreads && !barrierId) report.error("barrier id is missing, it should be set between 0 to 15");
  },
}));
export const BarrierArriveOp = defineOp("nvvm.barrier.arrive", () => ({
  operands: { barrierId: optional(I32), numberOfThreads: I32 },
  format: "(`id` `=` $barrierId^)? `number_of_threads` `=` $numberOfThreads attr-dict",
}));
export const ElectSyncOp = defineOp("nvvm.elect.sync", () => ({
  operands: { membermask: optional(I32) },
  results: { pred: I1 },
  format: "($membermask^)? attr-dict `->` type(results)",
}));
export const GriddepcontrolOp = defineOp("nvvm.griddepcontrol", () => ({
  attrs: { kind: A.enumC(A.GridDepActionAttr) },
  format: "$kind attr-dict",
}));
/** `duration` is in nanoseconds. */
export const NanosleepOp = defineOp("nvvm.nanosleep", () => ({
  attrs: {
    duration: {
      ...I32Attr,
      description: "32-bit signless integer attribute whose minimum value is 1 whose maximum value is 1000000",
      test: (a: Attribute) => I32Attr.test(a) && I32Attr.read(a) >= 1 && I32Attr.read(a) <= 1000000,
    },
  },
  format: "attr-dict $duration",
}));
export const PMEventOp = defineOp("nvvm.pmevent", () => ({
  attrs: { maskedEventId: optionalAttr(I16Attr), eventId: optionalAttr(I32Attr) },
  format: "attr-dict (`id` `=` $eventId^)? (`mask` `=` $maskedEventId^)?",
  verify({ maskedEventId, eventId }, report) {
    if (maskedEventId === undefined && eventId === undefined) report.error("either `id` or `mask` must be set");
    else if (maskedEventId !== undefined && eventId !== undefined) report.error("`id` and `mask` cannot be set at the same time");
    else if (eventId !== undefined && (eventId < 0 || eventId > 15)) report.error("`id` must be between 0 and 15");
  },
}));
export const SetMaxRegisterOp = defineOp("nvvm.setmaxregister", () => ({
  attrs: { regCount: I32Attr, action: A.enumC(A.SetMaxRegisterActionAttr) },
  format: "$action $regCount attr-dict",
  verify({ regCount }, report) {
    if (regCount % 8 !== 0) report.error("new register size must be multiple of 8");
    else if (regCount < 24 || regCount > 256) report.error("new register size must be in between 24 to 256");
  },
}));

// --- fences ----------------------------------------------------------------------------------

export const FenceProxyOp = defineOp("nvvm.fence.proxy", () => ({
  attrs: { kind: A.enumC(A.ProxyKindAttr), space: optionalAttr(A.enumC(A.SharedSpaceAttr)) },
  format: "attr-dict",
  verify({ kind, space }, report) {
    if (kind === "tensormap") report.error("tensormap proxy is not a supported proxy kind");
    else if (kind === "generic") report.error("generic proxy not a supported proxy kind");
    else if (kind === "async.shared" && !space) report.error("async_shared fence requires space attribute");
    else if (kind !== "async.shared" && space) report.error("only async_shared fence can have space attribute");
  },
}));
const proxies = {
  scope: A.enumC(A.MemScopeKindAttr),
  fromProxy: defaultAttr(A.enumC(A.ProxyKindAttr), "generic"),
  toProxy: defaultAttr(A.enumC(A.ProxyKindAttr), "tensormap"),
} as const;
const PROXIES = "(`from_proxy` `=` $fromProxy^)? (`to_proxy` `=` $toProxy^)? attr-dict";
function verifyProxies(fromProxy: string, toProxy: string, report: OpReport): void {
  if (fromProxy !== "generic") report.error("uni-directional proxies only support generic for from_proxy attribute");
  else if (toProxy !== "tensormap") report.error("uni-directional proxies only support tensormap for to_proxy attribute");
}
export const FenceProxyAcquireOp = defineOp("nvvm.fence.proxy.acquire", () => ({
  operands: { addr: pointerIn(0), size: I32 },
  attrs: proxies,
  format: `$scope $addr \`,\` $size ${PROXIES}`,
  verify: ({ fromProxy, toProxy }, report) => verifyProxies(fromProxy, toProxy, report),
}));
export const FenceProxyReleaseOp = defineOp("nvvm.fence.proxy.release", () => ({
  attrs: proxies,
  format: `$scope ${PROXIES}`,
  verify: ({ fromProxy, toProxy }, report) => verifyProxies(fromProxy, toProxy, report),
}));

// --- mbarriers: on any pointer, and on one to shared memory ----------------------------------

const predicate = { predicate: optional(I1) };
const onBoth = <D>(make: (suffix: string, addr: TypeConstraint) => D): readonly [D, D] => [make("", Pointer), make(".shared", Shared)];
export const [MBarrierInitOp, MBarrierInitSharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.init${suffix}`, () => ({
    operands: { addr, count: I32, ...predicate },
    format: "$addr `,` $count (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)",
  })),
);
export const [MBarrierInvalOp, MBarrierInvalSharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.inval${suffix}`, () => ({ operands: { addr }, format: "$addr attr-dict `:` type(operands)" })),
);
export const MBarrierArriveOp = defineOp("nvvm.mbarrier.arrive", () => ({
  operands: { addr: Pointer },
  results: { res: LLVMType },
  format: "$addr attr-dict `:` type($addr) `->` type($res)",
}));
export const MBarrierArriveSharedOp = defineOp("nvvm.mbarrier.arrive.shared", () => ({
  operands: { addr: Shared },
  results: { res: LLVMType },
  format: "$addr attr-dict `:` qualified(type($addr)) `->` type($res)",
}));
export const [MBarrierArriveNocompleteOp, MBarrierArriveNocompleteSharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.arrive.nocomplete${suffix}`, () => ({
    operands: { addr, count: I32 },
    results: { res: LLVMType },
    format: "$addr `,` $count attr-dict `:` type(operands) `->` type($res)",
  })),
);
export const [MBarrierArriveExpectTxOp, MBarrierArriveExpectTxSharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.arrive.expect_tx${suffix}`, () => ({
    operands: { addr, txcount: I32, ...predicate },
    format: "$addr `,` $txcount (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)",
  })),
);
export const [MBarrierTestWaitOp, MBarrierTestWaitSharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.test.wait${suffix}`, () => ({
    operands: { addr, state: LLVMType },
    results: { res: LLVMType },
    format: "$addr `,` $state attr-dict `:` type(operands) `->` type($res)",
  })),
);
export const [MBarrierTryWaitParityOp, MBarrierTryWaitParitySharedOp] = onBoth((suffix, addr) =>
  defineOp(`nvvm.mbarrier.try_wait.parity${suffix}`, () => ({
    operands: { addr, phase: I32, ticks: I32 },
    format: "$addr `,` $phase `,` $ticks attr-dict `:` type(operands)",
  })),
);

// --- waits -----------------------------------------------------------------------------------

export const CpAsyncWaitGroupOp = defineOp("nvvm.cp.async.wait.group", () => ({ attrs: { n: I32Attr }, format: "$n attr-dict" }));
export const CpAsyncBulkWaitGroupOp = defineOp("nvvm.cp.async.bulk.wait_group", () => ({
  attrs: {
    group: { ...NonNegativeI32Attr, description: "32-bit signless integer attribute whose minimum value is 0" },
    read: Unit,
  },
  format: "$group attr-dict",
}));
export const WgmmaWaitGroupSyncOp = defineOp("nvvm.wgmma.wait.group.sync.aligned", () => ({
  attrs: { group: I64Attr },
  format: "attr-dict $group",
}));
export const MapaOp = defineOp("nvvm.mapa", () => ({
  operands: { a: anyOf("LLVM pointer in address space 0 or LLVM pointer in address space 3", pointerIn(0), Shared), b: I32 },
  results: { res: anyOf("LLVM pointer in address space 0 or LLVM pointer in address space 7", pointerIn(0), pointerIn(7)) },
  format: "$a`,` $b attr-dict `:` type($a) `->` type($res)",
}));
export const ClusterLaunchControlTryCancelOp = defineOp("nvvm.clusterlaunchcontrol.try.cancel", () => ({
  operands: { smemAddress: Shared, mbarrier: Shared },
  attrs: { multicast: Unit },
  format: "(`multicast` $multicast^ `,`)? $smemAddress `,` $mbarrier attr-dict",
}));
export const ClusterLaunchControlQueryCancelOp = defineOp("nvvm.clusterlaunchcontrol.query.cancel", () => ({
  operands: { try_cancel_response: I(128) },
  attrs: { query_type: A.enumC(A.ClusterLaunchControlQueryTypeAttr) },
  results: { res: anyOf("1-bit signless integer or 32-bit signless integer", I1, I32) },
  format: "`query` `=` $query_type `,` $try_cancel_response attr-dict `:` type($res)",
  verify({ query_type, res }, report) {
    const wanted = query_type === "is_canceled" ? I1 : I32;
    if (!wanted.test(res.type))
      report.error(
        query_type === "is_canceled"
          ? "is_canceled query type returns an i1"
          : "get_first_cta_id_x, get_first_cta_id_y, get_first_cta_id_z query types return an i32",
      );
  },
}));
