/** Source: lib/Dialect/TritonNvidiaGPU/Transforms/TMALowering.cpp. */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { DescriptorStoreLikeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import {
  DescriptorGatherOp,
  DescriptorLoadOp,
  DescriptorReduceOp,
  DescriptorScatterOp,
  DescriptorStoreOp,
} from "../../../dialects/tt/ops/descriptor.js";
import { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { pointerType } from "../../../dialects/tt/types.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { GlobalScratchAllocOp } from "../../../dialects/ttg/ops/misc.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import { barrierType } from "../../../dialects/ttng/barrier-type.js";
import { BarrierExpectOp, FenceAsyncSharedOp, InitBarrierOp, InvalBarrierOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { TMAStoreWaitOp } from "../../../dialects/ttng/ops/tma.js";
import { boolAttr, i32Attr } from "../../../ir/builtin-attrs.js";
import { i8, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { anyOpPattern, pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { replaceUsesWithLocalLoad } from "../../ttg/shared-memory-uses.js";
import { createTMADesc, TMA_SIZE_BYTES } from "./create-tma-desc.js";
import { getEncodingFromDescriptor } from "./descriptor-layouts.js";
import { bytesPerCTA, copyFromDescriptor, copyToDescriptor } from "./tma-copies.js";

export const tmaLowering = definePass("triton-nvidia-tma-lowering", {
  name: "TritonNvidiaGPUTMALoweringPass",
  summary: "lower to TMA load/store operations",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/TMALowering.cpp",
  run(root, { listener, report, fail }) {
    let failed = false;
    const createDescriptor = pattern("tma-create-desc-lowering", MakeTensorDescOp, (make, rw) => {
      const types = [pointerType(i8(rw.ctx))];
      const size = { nbytes: TMA_SIZE_BYTES, alignment: TMA_SIZE_BYTES };
      const desc = createTMADesc(rw, rw.value(GlobalScratchAllocOp, size, { loc: make.op.locRef, types }), make);
      if (typeof desc !== "string") return rw.replace(make, desc);
      report.error(make.op, desc);
      failed = true;
      return rw.noMatch(desc);
    });
    const patterns = [
      ...[DescriptorLoadOp, DescriptorGatherOp].map((def) => anyOpPattern("tma-load-lowering", (op) => op.def === def, lowerTMALoad)),
      ...[DescriptorStoreOp, DescriptorScatterOp, DescriptorReduceOp].map((def) =>
        anyOpPattern("tma-store-lowering", (op) => op.def === def, lowerTMAStore),
      ),
      createDescriptor,
    ];
    if (!applyPatternsGreedily(root, patterns, { listener }).converged || failed) fail();
  },
});

function lowerTMALoad(op: Operation, rw: Rewriter): true {
  const { ctx } = rw;
  const options = { loc: op.locRef };
  const type = op.result(0).type as TensorType;
  const { shape, elementType } = type.params;
  const encoding = getEncodingFromDescriptor(type, op.operand(0));
  const shared = SharedMemorySpace.get(ctx, {});
  const buffer = rw.value(LocalAllocOp, {}, { ...options, types: [memDescType(shape, elementType, encoding, shared, true)] });
  const barrier = rw.value(LocalAllocOp, {}, { ...options, types: [barrierType(ctx, getNumCTAs(enclosingModule(op)))] });
  rw.create(InitBarrierOp, { alloc: barrier, count: 1 }, options);
  const size = bytesPerCTA(type, encoding);
  const pred = rw.value(ConstantOp, { value: boolAttr(ctx, true) }, options);
  rw.create(BarrierExpectOp, { alloc: barrier, size, pred }, options);
  copyFromDescriptor(rw, op, barrier, buffer, pred);
  const phase = rw.value(ConstantOp, { value: i32Attr(ctx, 0) }, options);
  rw.create(WaitBarrierOp, { alloc: barrier, phase, deps: [] }, options);
  rw.create(InvalBarrierOp, { alloc: barrier }, options);
  replaceUsesWithLocalLoad(rw, op.result(0), buffer);
  return rw.erase(op);
}

function lowerTMAStore(op: Operation, rw: Rewriter): true {
  const options = { loc: op.locRef };
  const { src, desc } = op.def.interface(DescriptorStoreLikeOpInterface)!;
  const type = src(op).type as TensorType;
  const { shape, elementType } = type.params;
  const buffer = memDescType(shape, elementType, getEncodingFromDescriptor(type, desc(op)), SharedMemorySpace.get(rw.ctx, {}));
  const alloc = rw.value(LocalAllocOp, { src: src(op) }, { ...options, types: [buffer] });
  rw.create(FenceAsyncSharedOp, { bCluster: false }, options);
  copyToDescriptor(rw, op, alloc);
  rw.create(TMAStoreWaitOp, { pendings: 0 }, options);
  return rw.erase(op);
}
