import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { findLlvm } from "./amd-llvm.js";
import type { Programs } from "./io.js";
import { main } from "./tt-step.js";

const VECADD = "fixtures/target/amd/vecadd_f32-gfx942.mlir";
const MATH = "fixtures/target/amd/tl_math-gfx942.mlir";
const ASSEMBLY = `\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
\t.text
vecadd:                                 ; @vecadd
.Lfunc_begin0:
\ts_load_dwordx2 s[2:3], s[0:1], 0x0
.LBB0_0:
\ts_endpgm                                ; the end
\t.section\t.rodata,"a",@progbits
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 12
    .sgpr_count:     18
    .sgpr_spill_count: 2
    .vgpr_count:     45
    .vgpr_spill_count: 3
`;

/** Programs of an LLVM in /llvm, and what they were called with. */
function llvm(version: string, missing: readonly string[] = [], folders: Readonly<Record<string, readonly string[]>> = {}) {
  const calls: string[] = [];
  const programs: Programs = {
    listFolder: (path) => folders[path] ?? [],
    isProgram: (path) => path.startsWith("/llvm/") && !missing.includes(path),
    runProgram(program, args) {
      calls.push([program, ...args].join(" "));
      return { status: 0, output: args[0] === "--version" ? `LLVM version ${version}\n  amdgcn - AMD GCN GPUs\n` : "" };
    },
    withFolder: (use) => use("/folder"),
  };
  return { programs, calls };
}
async function run(args: readonly string[], programs?: Programs, folder: Readonly<Record<string, string>> = {}) {
  const files = {
    "kernel.linked.ll": "linked",
    "kernel.opt.ll": "optimized",
    "kernel.s": ASSEMBLY,
    "kernel.o": "object",
    "kernel.hsaco": "\x7fELF",
  };
  const made = Object.fromEntries(Object.entries(files).map(([name, text]) => [`/folder/${name}`, text]));
  const io = memoryIo("", { ...made, ...folder });
  const code = await main(args, { ...io, env: { PATH: "/llvm" }, ...(programs ? { programs } : {}) });
  return { code, out: io.out(), err: io.err(), written: io.written };
}

test("the first LLVM that is new enough, of ROCm, PATH and Debian", () => {
  const found = (version: string, missing: readonly string[] = []) => findLlvm(llvm(version, missing).programs, { PATH: "/usr/bin:/llvm" });
  expect(found("22.1.0")).toBe("/llvm");
  expect(found("19.1.7")).toBeUndefined();
  expect(found("22.1.0", ["/llvm/opt"])).toBeUndefined();
});

test("assembly and a code object are what LLVM makes of our LLVM IR", async () => {
  const { programs, calls } = llvm("22.1.0");
  const hsaco = await run([VECADD, "--emit", "hsaco", "-o", "x.hsaco", "--no-enable-fp-fusion"], programs);
  expect(hsaco).toMatchObject({ code: 0, err: "" });
  expect(hsaco.written.get("x.hsaco")).toBe("\x7fELF");
  expect(hsaco.written.get("/folder/kernel.ll")).toContain("define amdgpu_kernel void @vecadd");
  expect(calls).toEqual([
    "/llvm/llc --version",
    "/llvm/opt -S -mcpu=gfx942 -O3 /folder/kernel.ll -o /folder/kernel.opt.ll",
    "/llvm/llc -mcpu=gfx942 -O3 /folder/kernel.opt.ll -o /folder/kernel.s",
    "/llvm/llc -filetype=obj -mcpu=gfx942 -O3 /folder/kernel.opt.ll -o /folder/kernel.o",
    "/llvm/ld.lld -shared /folder/kernel.o -o /folder/kernel.hsaco",
  ]);
  expect(await run([VECADD, "--emit", "amdgcn"], programs)).toMatchObject({ code: 0, out: ASSEMBLY });
});

test("registers, spills and memory are read from the assembly", async () => {
  const { programs } = llvm("22.1.0");
  expect((await run([VECADD, "--ptxas-report"], programs)).out).toBe(`VGPRs          45, of them 8 AGPRs
SGPRs          18
spills         3 VGPRs, 2 SGPRs
scratch        12 bytes a lane
LDS            0 bytes
waves          8 of 8 waves on a SIMD unit
  VGPRs        10: 48 of 512 a lane
  SGPRs        44: 18 of 800
  LDS          no limit: 0 of 65536 bytes of a compute unit for 4 waves
  waves        8: a SIMD unit holds 8
code           2 instructions

vecadd:
        s_load_dwordx2 s[2:3], s[0:1], 0x0
.LBB0_0:
        s_endpgm
`);
  expect((await run([VECADD, "--codegen"], programs)).out).toContain(
    "45 VGPRs (8 of them AGPRs), 18 SGPRs; spills: 3 VGPRs, 2 SGPRs; 12 bytes of scratch a lane\n",
  );
  const { out } = await run([VECADD, "--findings"], programs);
  expect(out).toContain("45 registers a thread (8 of them AGPRs), 18 SGPRs a wave, 8 of 8 waves on a SIMD unit");
  expect(out).toContain("12 bytes a thread are spilled to scratch memory: 45 registers are not enough");
});

test("the assembly of a cache folder is written as it is, and assembled", async () => {
  const folder = {
    "cache/vecadd.ttgir": 'module attributes {"ttg.num-warps" = 4 : i32} {\n  tt.func public @vecadd() {\n    tt.return\n  }\n}\n',
    "cache/vecadd.llir": "define amdgpu_kernel void @vecadd() {\n  ret void\n}\n",
    "cache/vecadd.amdgcn": ASSEMBLY,
    "cache/vecadd.json": '{"target": {"backend": "hip", "arch": "gfx942"}, "num_stages": 2, "shared": 16384}',
  };
  expect(await run(["cache", "--emit", "amdgcn"], llvm("14.0.6").programs, folder)).toMatchObject({ code: 0, out: ASSEMBLY });
  const report = (await run(["cache", "--ptxas-report"], llvm("14.0.6").programs, folder)).out;
  expect(report).toContain("VGPRs          45, of them 8 AGPRs");
  expect(report).toContain("LDS            0 bytes, and 16384 that the launch asks for\nwaves          4 of 8 waves on a SIMD unit (LDS)");
  expect((await run(["cache", "--findings"], llvm("14.0.6").programs, folder)).out).toContain(
    "vecadd on hip:gfx942: 4 warps, 2 stages, 16384 bytes of shared memory, 45 registers a thread",
  );
  const { programs, calls } = llvm("22.1.0");
  expect((await run(["cache", "--emit", "hsaco", "-o", "x.hsaco"], programs, folder)).written.get("x.hsaco")).toBe("\x7fELF");
  expect(calls.slice(1)).toEqual([
    "/llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj /folder/kernel.s -o /folder/kernel.o",
    "/llvm/ld.lld -shared /folder/kernel.o -o /folder/kernel.hsaco",
  ]);
  expect((await run(["cache", "--emit", "hsaco"], llvm("22.1.0", ["/llvm/llvm-mc"]).programs, folder)).err).toContain(
    "there is no llvm-mc beside /llvm/llc",
  );
  expect(
    (await run(["cache", "--list"], undefined, folder)).out,
  ).toBe(`    0  ttgir    ttgir                                                     3 ops
    1  llir   * llir
    2  amdgcn * amdgcn
`);
});

test("a kernel that calls ROCm's libraries is linked with them", async () => {
  const { programs, calls } = llvm("22.1.0", [], { "/opt/rocm/amdgcn/bitcode": ["ockl.bc", "ocml.bc"] });
  expect(await run([MATH, "--emit", "amdgcn"], programs)).toMatchObject({ code: 0, err: "" });
  expect(calls).toContain(
    "/llvm/llvm-link -S --only-needed /folder/kernel.ll /opt/rocm/amdgcn/bitcode/ocml.bc /opt/rocm/amdgcn/bitcode/ockl.bc -o /folder/kernel.linked.ll",
  );
  expect((await run([MATH, "--emit", "amdgcn"], llvm("22.1.0").programs)).err).toContain("ROCm's device libraries are not found");
});

test("without an LLVM that is new enough it is said what is missing", async () => {
  const { err, code } = await run([VECADD, "--emit", "amdgcn"], llvm("14.0.6").programs);
  expect({ err, code }).toEqual({ err: expect.stringContaining("there is no LLVM 21 or newer for AMD: put its opt and llc"), code: 2 });
  expect((await run([VECADD, "--emit", "hsaco"], llvm("22.1.0", ["/llvm/ld.lld"]).programs)).err).toContain(
    "there is no ld.lld beside /llvm/llc",
  );
  expect((await run([VECADD, "--codegen"], llvm("14.0.6").programs)).out).toContain(
    "registers and spills are not known: there is no LLVM 21",
  );
  expect((await run(["fixtures/target/vecadd_f32-sm80.mlir", "--emit", "hsaco"], llvm("22.1.0").programs)).err).toContain(
    "cuda:80 has no hsaco: its machine code is cubin",
  );
  expect((await run([VECADD, "--emit", "cubin"], llvm("22.1.0").programs)).err).toContain(
    "hip:gfx942 has no cubin: its machine code is amdgcn and hsaco",
  );
});
