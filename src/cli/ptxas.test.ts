import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import type { Io, Programs } from "./io.js";
import { findPtxas, ptxasReport } from "./ptxas.js";
import { main } from "./tt-step.js";

const VECADD = "fixtures/target/vecadd_f32-sm80.mlir";
const LOG = "ptxas info    : Used 26 registers, 400 bytes cmem[0]\n    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n";

/** Programs that are there, and what they were called with. */
function programs(
  there: Readonly<Record<string, { readonly status: number; readonly output: string }>>,
  folders: Readonly<Record<string, readonly string[]>> = {},
) {
  const calls: string[][] = [];
  const made: Programs = {
    listFolder: (path) => folders[path] ?? [],
    isProgram: (path) => path in there,
    runProgram(program, args) {
      calls.push([program, ...args]);
      return there[program]!;
    },
    withFolder: (use) => use("/folder"),
  };
  return { made, calls };
}
async function run(args: readonly string[], env: Io["env"], made?: Programs) {
  const io = memoryIo("", { "/folder/kernel.cubin": "\x7fELF\xff" });
  const code = await main(args, { ...io, env, ...(made ? { programs: made } : {}) });
  return { code, out: io.out(), err: io.err(), written: io.written };
}

test("ptxas is looked for in TRITON_PTXAS_PATH, PATH, CUDA_HOME and a Triton beside Python", async () => {
  const wheel = "/venv/lib/python3.11/site-packages/triton/backends/nvidia/bin";
  const all = {
    "/mine/ptxas": true,
    "/usr/bin/ptxas": true,
    "/cuda/bin/ptxas": true,
    [`${wheel}/ptxas`]: true,
    [`${wheel}/ptxas-blackwell`]: true,
  };
  const env = { TRITON_PTXAS_PATH: "/mine/ptxas", PATH: "/usr/bin:/venv/bin", CUDA_HOME: "/cuda" };
  const found = (missing: readonly string[], capability = 80) => {
    const there = Object.fromEntries(
      Object.keys(all)
        .filter((p) => !missing.includes(p))
        .map((p) => [p, { status: 0, output: "" }]),
    );
    return findPtxas(programs(there, { "/venv/lib": ["python3.11"] }).made, env, capability);
  };
  expect(found([])).toBe("/mine/ptxas");
  expect(found(["/mine/ptxas"])).toBe("/usr/bin/ptxas");
  expect(found(["/mine/ptxas", "/usr/bin/ptxas"])).toBe("/cuda/bin/ptxas");
  expect(found(["/mine/ptxas", "/usr/bin/ptxas", "/cuda/bin/ptxas"])).toBe(`${wheel}/ptxas`);
  expect(found(["/mine/ptxas"], 100)).toBe(`${wheel}/ptxas-blackwell`);
  expect(found(Object.keys(all))).toBeUndefined();
});

test("a cubin is what ptxas makes of our PTX", async () => {
  const { made, calls } = programs({ "/bin/ptxas": { status: 0, output: LOG } });
  const result = await run([VECADD, "--emit", "cubin", "-o", "x.cubin", "--no-enable-fp-fusion"], { PATH: "/bin" }, made);
  expect(result).toMatchObject({ code: 0, err: "" });
  expect(result.written.get("x.cubin")).toBe("\x7fELF\xff");
  expect(result.written.get("/folder/kernel.ptx")).toContain(".entry vecadd");
  expect(calls).toEqual([
    ["/bin/ptxas", "-lineinfo", "-v", "--fmad=false", "--gpu-name=sm_80", "/folder/kernel.ptx", "-o", "/folder/kernel.cubin"],
  ]);
});

test("what ptxas reports, with the machine code where a disassembler is beside it", async () => {
  const sass =
    "\t\tFunction : vecadd\n        /*0000*/                   MOV R1, c[0x0][0x28] ;     /* 0x00000a0000017a02 */\n        /*0010*/                   NOP;  /* 0x0 */\n";
  const { made } = programs({ "/bin/ptxas": { status: 0, output: LOG }, "/bin/cuobjdump": { status: 0, output: sass } });
  expect(await run([VECADD, "--ptxas-report"], { PATH: "/bin" }, made)).toMatchObject({
    code: 0,
    out: `registers      26
stack          8 bytes
spills         4 bytes stored, 12 bytes loaded
shared memory  0 bytes (what the launch asks for is added)
cubin          5 bytes
SASS           1 instructions

        /*0000*/ MOV R1, c[0x0][0x28] ;
`,
  });
  expect(ptxasReport({ cubin: "", log: LOG, sass: undefined })).toContain("neither cuobjdump nor nvdisasm is beside ptxas");
});

test("one line says what is missing", async () => {
  const { made } = programs({});
  expect(await run([VECADD, "--emit", "cubin"], {}, made)).toMatchObject({
    code: 2,
    err: "tt-step: ptxas is not found: put it on PATH, or name it in $TRITON_PTXAS_PATH; it comes with CUDA ($CUDA_HOME) and with Triton's Python package\n",
  });
  expect(await run([VECADD, "--emit", "ptx", "--llc"], { PATH: "/bin" }, made)).toMatchObject({
    code: 2,
    err: "tt-step: --llc: there is no llc on PATH\n",
  });
  const old = programs({ "/bin/llc": { status: 0, output: "Debian LLVM version 14.0.6\n" } });
  expect(await run([VECADD, "--emit", "ptx", "--llc"], { PATH: "/bin" }, old.made)).toMatchObject({
    code: 2,
    err: "tt-step: --llc: /bin/llc is of LLVM 14.0.6; Triton's IR needs LLVM 21 or newer\n",
  });
  const refused = programs({ "/bin/ptxas": { status: 255, output: "ptxas /folder/kernel.ptx, line 3; error" } });
  expect(await run([VECADD, "--emit", "cubin"], { PATH: "/bin" }, refused.made)).toMatchObject({
    code: 2,
    err: "tt-step: ptxas makes no cubin of the PTX:\nptxas kernel.ptx, line 3; error\n",
  });
  expect(readFileSync(VECADD, "latin1")).toContain("llvm.func @vecadd");
});
