/**
 * Tensor maps, the descriptors of TMA, made by the kernel itself: filled in field by field in shared memory, then copied to global memory,
 * from where the copies' unit reads them after a fence.
 *
 *     @$2 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TMAToLLVM.cpp.
 */
import { AddrSpaceCastOp } from "../../../dialects/llvm/ops/casts.js";
import { voidType } from "../../../dialects/llvm/types/types.js";
import { ReinterpretTensorDescOp, TensormapCreateOp, TensormapFenceproxyAcquireOp } from "../../../dialects/ttng/ops/tma.js";
import { bitWidth, i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { sharedMemoryBase } from "../../ttg-to-llvm/control-flow.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { isFirstThread } from "./mbarrier.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

/** Bytes of a tensor map. */
const TENSORMAP_SIZE = 128;

/** True in the first warp. */
function isInFirstWarp(lo: Lowering): Value {
  return lo.b.icmp("slt", threadId(lo), lo.b.i32(32));
}

/** Sets a field of the map at `map`: to a constant, or to a value, and of several of its kind that of number `index`. */
function replaceField(lo: Lowering, map: Value, field: string, to: number | Value, index?: number): void {
  const ptx = new PtxBuilder();
  const address = ptx.address(map, "l");
  const bits = typeof to === "number" ? 32 : (bitWidth(to.type) ?? 64);
  const value = typeof to === "number" ? ptx.hex(to) : ptx.input(to, bits === 64 ? "l" : "r");
  const operands = index === undefined ? [address, value] : [address, ptx.hex(index), value];
  const first = ptx.input(isFirstThread(lo), "b");
  ptx.instruction(["tensormap.replace.tile", field, "shared::cta", "b1024", `b${bits}`], operands, first);
  ptx.launch(lo.b, voidType(lo.ctx));
}

export const TENSORMAPS: readonly LoweringRule[] = [
  rule(TensormapCreateOp, (create, lo) => {
    const { op, desc_ptr, global_address, box_dim, global_dim, global_stride, element_stride } = create;
    const { b, ctx } = lo;
    const map = sharedMemoryBase(lo, op);
    const thread = threadId(lo);
    const firstWarp = b.icmp("slt", thread, b.i32(32));
    lo.code.storeShared(lo, b.gep(map.type, i32(ctx), map, [thread]), b.i32(0), { predicate: firstWarp });
    lo.code.barrier(lo, true);

    const replaceAll = (field: string, values: readonly Value[]) => {
      for (const [i, value] of values.entries()) replaceField(lo, map, field, value, i);
    };
    replaceField(lo, map, "global_address", lo.value(global_address));
    replaceField(lo, map, "rank", box_dim.length - 1);
    replaceAll("box_dim", lo.allValues(box_dim));
    replaceAll("global_dim", lo.allValues(global_dim));
    for (const [i, given] of lo.allValues(global_stride).entries()) {
      // ptxas of PTX 8.5 and before wants it in units of 16 bytes.
      const stride = lo.target.ptxVersion <= 85 ? b.ashr(given, b.i64(4)) : given;
      replaceField(lo, map, "global_stride", stride, i);
    }
    replaceAll("element_stride", lo.allValues(element_stride));
    replaceField(lo, map, "elemtype", create.elem_type);
    replaceField(lo, map, "interleave_layout", create.interleave_layout);
    replaceField(lo, map, "swizzle_mode", create.swizzle_mode);
    replaceField(lo, map, "fill_mode", create.fill_mode);

    const ptx = new PtxBuilder();
    const operands = [ptx.address(lo.value(desc_ptr), "l"), ptx.address(map, "l"), ptx.hex(TENSORMAP_SIZE)];
    const copy = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned";
    ptx.instruction([copy], operands, ptx.input(isInFirstWarp(lo), "b"));
    ptx.launch(b, voidType(ctx));
  }),
  rule(TensormapFenceproxyAcquireOp, ({ desc_ptr }, lo) => {
    const ptx = new PtxBuilder();
    const operands = [ptx.address(lo.value(desc_ptr), "l"), ptx.hex(TENSORMAP_SIZE)];
    const firstWarp = isInFirstWarp(lo);
    ptx.instruction(["fence.proxy.tensormap::generic.acquire.gpu"], operands, ptx.input(firstWarp, "b"));
    // ptxas leaves a fence out otherwise.
    ptx.instruction(["cp.async.bulk.commit_group"], [], ptx.input(firstWarp, "b"));
    ptx.instruction(["cp.async.bulk.wait_group.read 0"], [], ptx.input(firstWarp, "b"));
    ptx.launch(lo.b, voidType(lo.ctx));
    lo.code.barrier(lo);
  }),
  // A descriptor that the host made is reached by its address.
  rule(ReinterpretTensorDescOp, ({ rawDesc, result }, lo) =>
    lo.setValue(result, lo.b.op(AddrSpaceCastOp, [lo.value(rawDesc)], convertType(result.type))),
  ),
];
