import { SubOp, UDivOp } from "../../../dialects/llvm/ops/arithmetic.js";
import { BitcastOp } from "../../../dialects/llvm/ops/casts.js";
import { LLVMStructType, structElements } from "../../../dialects/llvm/types/types.js";
import { ClusterCTAIdOp, LoadAcquireOp, WarpIdOp as OldWarpIdOp, WGMMAOp, WGMMAWaitGroupOp } from "../../../dialects/nvgpu/ops/ops.js";
import { ShflKindAttr } from "../../../dialects/nvvm/attrs.js";
import { ClusterId, ThreadIdXOp } from "../../../dialects/nvvm/ops/registers.js";
import { ShflOp } from "../../../dialects/nvvm/ops/warp.js";
import { firstThreadOfGroup, maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { WarpIdOp } from "../../../dialects/ttg/ops/since-3-7.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, i32, intType, isFloat } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { asmInputs, inlineAsm } from "../../llvm/inline-asm.js";
import { isolateWarpGroups } from "../../llvm/isolate-warp-groups.js";
import { i32Constant } from "./constants.js";
import { lowerTensorMemoryBase } from "./tensor-memory-base.js";
import { wgmmaText } from "./wgmma-text.js";

export const convertNVGPUToLLVM = definePass("convert-nv-gpu-to-llvm", {
  name: "ConvertNVGPUToLLVM",
  summary: "Convert NVGPU to LLVM",
  source: "third_party/nvidia/lib/NVGPUToLLVM/NVGPUToLLVMPass.cpp",
  run(root, { listener }) {
    applyPatternsGreedily(root, [lowerClusterCTAId, lowerWgmma, lowerLoadAcquire, lowerWgmmaWaitGroup, ...lowerWarpIds], { listener });
    lowerTensorMemoryBase(root, listener);
    isolateWarpGroups(root);
  },
});

const lowerClusterCTAId = pattern("cluster-cta-id", ClusterCTAIdOp, (view, rw) =>
  rw.replace(view, rw.value(ClusterId, {}, { types: [i32(rw.ctx)] })),
);

/** The warp within its group, from the number of the thread; a shuffle shows ptxas that all lanes have the same. */
const lowerWarpIds = [OldWarpIdOp, WarpIdOp].map((def) => pattern("warp-id", def, ({ op }, rw) => lowerWarpId(op, rw)));
function lowerWarpId(op: Operation, rw: Rewriter): boolean {
  if (maybeLookupNumWarps(op) === 1) return rw.replace(op, i32Constant(rw, 0));
  const type = i32(rw.ctx);
  let thread = rw.value(ThreadIdXOp, {}, { types: [type] });
  const first = firstThreadOfGroup(op);
  if (first !== undefined) thread = rw.value(SubOp, { lhs: thread, rhs: i32Constant(rw, first) });
  const warp = rw.value(UDivOp, { lhs: thread, rhs: i32Constant(rw, 32) });
  if (op.hasAttr("omitUniformHint")) return rw.replace(op, warp);
  const lane = i32Constant(rw, 0);
  const clamp = i32Constant(rw, 0x1f);
  const kind = ShflKindAttr.get(rw.ctx, { value: "idx" });
  const everyLane = i32Constant(rw, -1);
  return rw.replace(
    op,
    rw.value(ShflOp, { thread_mask: everyLane, val: warp, offset: lane, mask_and_clamp: clamp, kind }, { types: [type] }),
  );
}

const lowerLoadAcquire = pattern("load-acquire", LoadAcquireOp, ({ op, addr, mask, sem, scope, result }, rw) => {
  const width = Math.max(8, bitWidth(result.type) ?? 64);
  const register = width === 64 ? "l" : width === 32 ? "r" : "c";
  const semantics = sem === "acquire" || sem === "relaxed" ? `.${sem}` : "";
  const zero = `mov.u${Math.max(width, 16)} $0, 0x0;`;
  const load = `${mask ? "@$2 " : ""}ld.global.${scope}${semantics}.b${width} $0, [ $1 + 0 ];`;
  const type = intType(rw.ctx, width);
  const loaded = inlineAsm(rw, {
    asm: `${zero}\n\t${load}`,
    constraints: `=${register},l${mask ? ",b" : ""}`,
    operands: mask ? [addr, mask] : [addr],
    type,
  });
  return rw.replace(op, type === result.type ? loaded : rw.value(BitcastOp, { arg: loaded }, { types: [result.type] }));
});

/** The register class of an element of a struct. */
function registerOf(type: Type): string {
  const bits = bitWidth(type) ?? 64;
  if (bits === 32) return isFloat(type, "f32") ? "f" : "r";
  return bits === 16 ? "h" : "l";
}
const elementsOf = (type: Type): readonly Type[] => (LLVMStructType.is(type) ? structElements(type) : [type]);

/** The registers in flight are named, so that none is used before. */
const lowerWgmmaWaitGroup = pattern("wgmma-wait-group", WGMMAWaitGroupOp, ({ op, input, pendings, output }, rw) => {
  const elements = elementsOf(output.type);
  const inputs = asmInputs(rw, [{ value: input, constraint: "0" }]);
  const asm = `// wait for regs: ${elements.map((_, i) => `$${i}`).join(",")}\n\twgmma.wait_group.sync.aligned ${pendings};`;
  const constraints = [...elements.map((type) => `=${registerOf(type)}`), ...inputs.constraints].join(",");
  return rw.replace(op, inlineAsm(rw, { asm, constraints, operands: inputs.operands, type: output.type }));
});

const lowerWgmma = pattern("wgmma", WGMMAOp, (view, rw) => {
  const { op, opA, opB, opC, useC, res } = view;
  const elements = elementsOf(res.type);
  const output = isFloat(elements[0], "f32") ? "=f" : "=r";
  const inputs = asmInputs(rw, [
    ...(opC ? [{ value: opC, constraint: "0" }] : []),
    { value: opA, constraint: LLVMStructType.is(opA.type) ? "r" : "l" },
    { value: opB, constraint: "l" },
    ...(opC ? [{ value: useC, constraint: "b" }] : []),
  ]);
  const asm = wgmmaText(view, elements.length, LLVMStructType.is(opA.type) ? structElements(opA.type).length : undefined);
  const constraints = [...elements.map(() => output), ...inputs.constraints].join(",");
  return rw.replace(op, inlineAsm(rw, { asm, constraints, operands: inputs.operands, type: res.type }));
});
