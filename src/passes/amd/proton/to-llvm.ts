/** The profiler's code for AMD's GPUs. Source: third_party/proton/Dialect/lib/ProtonGPUToLLVM/ProtonAMDGPUToLLVM. */
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import { IDS } from "../../../dialects/rocdl/ops/ids.js";
import { BarrierOp } from "../../../dialects/rocdl/ops/synchronization.js";
import { type AmdGpu, amdGpuOf } from "../../../gpu/amd.js";
import { i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { PassError } from "../../../pass/pass-error.js";
import { lowerProton, type ProtonTarget } from "../../proton/proton-lowering.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";

const NAMES = { thread: "workitem.id", block: "workgroup.id", block_dim: "workgroup.dim", grid_dim: "grid.dim" } as const;
/** The clock that all units share counts 100 million times a second. */
const NS_PER_TICK = 10;

/** A field of a hardware register: its first bit and its width. */
function readRegister(b: LLBuilder, register: string, bit: number, width: number): Value {
  const asm = `s_getreg_b32 $0, hwreg(${register}, ${bit}, ${width})`;
  return b.inlineAsm(asm, "=s", [], i32(b.ctx), { sideEffects: false });
}

const amd = (gpu: AmdGpu | undefined): ProtonTarget => ({
  id: (b, what, axis) => b.value(IDS[`${NAMES[what]}.${axis}`]!, {}, i32(b.ctx)),
  barrier: (b) => void b.create(BarrierOp, {}),
  clock(b, wide) {
    const cycles = b.intrinsic("llvm.amdgcn.s.memtime", i64(b.ctx), [])!;
    return wide ? cycles : b.trunc(cycles, i32(b.ctx));
  },
  globalTime: (b) => b.mul(b.intrinsic("llvm.amdgcn.s.memrealtime", i64(b.ctx), [])!, b.i64(NS_PER_TICK)),
  processorId(b, op) {
    const chiplet = gpu?.chiplet;
    if (!chiplet) throw new PassError(op, "the number of the compute unit is known on gfx942 and gfx950 only", "lower.unsupported");
    // Upstream makes a zero that nothing uses.
    b.i32(0);
    const xcd = readRegister(b, "HW_REG_XCC_ID", 0, 4);
    const unit = readRegister(b, "HW_REG_HW_ID", 8, 4);
    const engine = readRegister(b, "HW_REG_HW_ID", 13, 3);
    const ofChiplet = b.mul(xcd, b.i32(chiplet.units));
    return b.add(b.add(ofChiplet, b.mul(engine, b.i32(chiplet.ofEngine))), unit);
  },
  privateSpace: 5,
  storeRecord(code, record, pointer, predicate) {
    if (LLVMPointerType.params(pointer.type).addressSpace !== 3)
      throw new PassError(code.op, "a record is stored to LDS only on AMD's GPUs", "lower.unsupported");
    code.where(predicate, () => code.b.store(record, pointer, 8));
  },
  loadWord(b, pointer) {
    // Upstream makes a predicate that is true, and what a false one would give.
    b.i1(true);
    b.i32(0);
    return b.load(i32(b.ctx), pointer);
  },
});

export const convertProtonAMDGPUToLLVM = definePass("convert-proton-amd-gpu-to-llvm", {
  name: "ConvertProtonAMDGPUToLLVM",
  summary: "Convert ProtonGPU to LLVM",
  source: "third_party/proton/Dialect/lib/ProtonGPUToLLVM/ProtonAMDGPUToLLVM/ConvertProtonGPUToLLVM.cpp",
  options: { arch: option.string({ default: "", summary: "gfx target device architecture, e.g., gfx942" }) },
  run(module, { options, listener, fail }) {
    if (!lowerProton(module, amd(amdGpuOf(options.arch)), listener)) fail();
  },
});
