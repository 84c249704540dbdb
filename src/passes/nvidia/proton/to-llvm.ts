/** The profiler's code for NVIDIA's GPUs. Source: third_party/proton/Dialect/lib/ProtonGPUToLLVM/ProtonNvidiaGPUToLLVM. */
import { LLVMPointerType, voidType } from "../../../dialects/llvm/types/types.js";
import * as nvvm from "../../../dialects/nvvm/ops/registers.js";
import { i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { lowerProton, type ProtonCode, type ProtonTarget } from "../../proton/proton-lowering.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { codeFormsOf } from "../to-llvm/code-forms.js";
import { ctaBarrier } from "../to-llvm/cta-barrier.js";
import { PtxBuilder } from "../to-llvm/ptx-builder.js";
import { storeShared } from "../to-llvm/shared-memory.js";

const IDS = {
  thread: { x: nvvm.ThreadIdXOp, y: nvvm.ThreadIdYOp, z: nvvm.ThreadIdZOp },
  block: { x: nvvm.BlockIdXOp, y: nvvm.BlockIdYOp, z: nvvm.BlockIdZOp },
  block_dim: { x: nvvm.BlockDimXOp, y: nvvm.BlockDimYOp, z: nvvm.BlockDimZOp },
  grid_dim: { x: nvvm.GridDimXOp, y: nvvm.GridDimYOp, z: nvvm.GridDimZOp },
} as const;

/** A special register of 32 bits. */
function readRegister(b: LLBuilder, name: string): Value {
  const ptx = new PtxBuilder();
  ptx.instruction(["mov", "u32"], [ptx.output("=r"), ptx.constant(name)]);
  return ptx.launch(b, i32(b.ctx));
}
/** A program of one warp may have its buffer at an odd word: its records are stored word by word. */
function storeGlobal({ b, numWarps }: ProtonCode, record: Value, pointer: Value, predicate: Value): void {
  const words = b.unpackVector(record);
  const ptx = new PtxBuilder();
  if (numWarps > 1) {
    const address = ptx.address(pointer, "l");
    const values = ptx.list(words.map((word) => ptx.input(word, "r")));
    ptx.instruction(["st", "global", "cg", "v2", "b32"], [address, values], ptx.input(predicate, "b"));
  } else
    words.forEach((word, i) => {
      const operands = [ptx.address(pointer, "l", 4 * i), ptx.input(word, "r")];
      ptx.instruction(["st", "global", "cg", "b32"], operands, ptx.input(predicate, "b"));
    });
  ptx.launch(b, voidType(b.ctx));
}

const NVIDIA: ProtonTarget = {
  id: (b, what, axis) => b.value(IDS[what][axis], {}, i32(b.ctx)),
  barrier: (b) => void b.create(ctaBarrier(b.ctx), {}),
  clock(b, wide) {
    const low = readRegister(b, "%clock");
    if (!wide) return low;
    const high = readRegister(b, "%clock_hi");
    const type = i64(b.ctx);
    const lower = b.zext(low, type);
    return b.or(b.shl(b.zext(high, type), b.i64(32)), lower);
  },
  globalTime: (b) => b.intrinsic("llvm.nvvm.read.ptx.sreg.globaltimer", i64(b.ctx), [])!,
  processorId: (b) => b.value(nvvm.SmIdOp, {}, i32(b.ctx)),
  // ptxas makes a wrong cvta of local addresses, so that the variable is a generic one.
  privateSpace: 0,
  storeRecord(code, record, pointer, predicate) {
    if (LLVMPointerType.params(pointer.type).addressSpace === 1) storeGlobal(code, record, pointer, predicate);
    else storeShared(codeFormsOf(code.module.ctx.triton), code.b, pointer, record, { predicate });
  },
  loadWord(b, pointer) {
    // Upstream makes a predicate that is true, and a vector of one.
    b.i1(true);
    return b.unpackVector(b.packVector([b.load(i32(b.ctx), pointer, 4)]))[0]!;
  },
};

export const convertProtonNvidiaGPUToLLVM = definePass("convert-proton-nvidia-gpu-to-llvm", {
  name: "ConvertProtonNvidiaGPUToLLVM",
  summary: "Convert ProtonGPU to LLVM",
  source: "third_party/proton/Dialect/lib/ProtonGPUToLLVM/ProtonNvidiaGPUToLLVM/ConvertProtonGPUToLLVM.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
  },
  run(module, { listener, fail }) {
    if (!lowerProton(module, NVIDIA, listener)) fail();
  },
});
