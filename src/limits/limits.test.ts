import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kernelOf } from "../dialects/builtin/function-op.js";
import { GPU_PRODUCTS } from "../gpu/products.js";
import { type CompileRequest, compile, readSource } from "../index.js";
import { runPtx } from "../simulate/ptx/run.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { exceeded, figuresOf } from "./figures.js";
import { readyLaunch } from "./launch.js";
import { type LimitsRequest, limitsOf } from "./limits.js";
import { occupancyOf } from "./occupancy.js";

const SHAPES = {} as const;
/** 4096 programs of 1024 elements each. */
const VECADD = { args: { n: 4 * 2 ** 20 }, shapes: SHAPES, grid: [4096] };
/** 64x64 tiles of 256x256x512, in steps of 64. */
const MATMUL = { args: { M: 256, N: 256, K: 512, sam: 512, sbk: 256, scm: 256 }, shapes: SHAPES, grid: [16] };
const SOFTMAX = { args: { stride: 1024, cols: 1000 }, shapes: SHAPES, grid: [512] };
const LAYERNORM = { args: { cols: 4096 }, shapes: SHAPES, grid: [64] };
const ATTENTION = { args: { heads: 8, T: 512, sz: 8 * 512 * 64, sh: 512 * 64, st: 64 }, shapes: SHAPES, grid: [4, 16] };

function compiled(name: string, target: string, request: CompileRequest = {}) {
  const path = `fixtures/kernels/${name}.ttir`;
  const source = readSource({ name: path, text: readFileSync(path, "latin1") });
  if (source.kind !== "module") throw new Error("no module");
  const names = argumentNames(kernelOf(source.module)!, source.request.text);
  const made = compile(source, { target, artifacts: ["ptx", "executable"], ...request });
  if (made.kind !== "compiled") throw new Error(made.message);
  return { trace: made.trace, names };
}
function limits(name: string, target: string, request: Omit<LimitsRequest, "names">, options: CompileRequest = {}) {
  const { trace, names } = compiled(name, target, options);
  const found = limitsOf(trace, { ...request, names });
  if (found.kind !== "limits") throw new Error(found.message);
  return found;
}

test.each(["cuda:80", "cuda:90", "cuda:100"])("vecadd on %s: counted by hand", (target) => {
  const { program, traffic, coverage, programs } = limits("vecadd", target, VECADD);
  // 1024 floats of a and of b are 2 * 4096 bytes in sectors of 32, those of c half as many.
  expect(program).toMatchObject({ sectorsRead: 256, sectorsWritten: 128, wavefronts: 0, tensorInstructions: 0 });
  // One addition for each of 1024 elements, 32 to a warp.
  expect(program.pipes.fma).toBe(32);
  expect(traffic.program).toEqual({ read: 8192, write: 4096 });
  expect(traffic.wave).toEqual({ read: traffic.wavePrograms * 8192, write: traffic.wavePrograms * 4096 });
  expect(traffic.grid).toEqual({ read: programs * 8192, write: programs * 4096 });
  expect(coverage).toMatchObject({ kind: "kinds", kinds: 1, followed: 2, error: 0 });
});

test("vecadd is bound by DRAM: reads at the bandwidth of its data sheet, writes as far as L2 cannot hold them", () => {
  const { binding, bounds } = limits("vecadd", "cuda:90", VECADD);
  expect(binding).toBe("DRAM");
  const writes = 16 * 2 ** 20 - 50 * 2 ** 20;
  expect(bounds[0]!.from).toBeCloseTo((32 * 2 ** 20 + Math.max(0, writes)) / 3350e9, 12);
});

test("matmul on sm_80: counted by hand", () => {
  const { program, loops, traffic, ops } = limits("matmul", "cuda:80", MATMUL);
  // Eight steps of K: tiles of 64x64 halves of A and B are 8192 bytes each. The tile of C is written once.
  expect(program).toMatchObject({ sectorsRead: (8 * 2 * 8192) / 32, sectorsWritten: 8192 / 32 });
  expect(program.flops).toEqual({ f16: 2 * 64 * 64 * 512 });
  // A warp's mma multiplies 16x8x16.
  expect(program.tensorInstructions).toBe((64 * 64 * 512) / (16 * 8 * 16));
  expect(loops).toHaveLength(1);
  expect(loops[0]).toMatchObject({ iterations: 8, depth: 1 });
  expect(loops[0]!.perIteration.tensorInstructions).toBe((64 * 64 * 64) / (16 * 8 * 16));
  // Four programs share a row of tiles of A, four a column of B: the grid reads both once.
  expect(traffic).toMatchObject({ exact: true, grid: { read: 2 * (256 * 512 + 512 * 256), write: 2 * 256 * 256 } });
  expect(traffic.program).toEqual({ read: 8 * 2 * 8192, write: 8192 });
  expect(ops.map(({ name }) => name)).toEqual(expect.arrayContaining(["tt.dot", "ttg.async_copy_global_to_local", "tt.store"]));
});

test("a wgmma of four warps is counted once, and a tcgen05.mma as its descriptor says", () => {
  for (const target of ["cuda:90", "cuda:100"]) expect(limits("matmul", target, MATMUL).program.flops).toEqual({ f16: 2 * 64 * 64 * 512 });
});

test.each([
  ["softmax", "cuda:80", SOFTMAX],
  ["layernorm", "cuda:80", LAYERNORM],
  ["matmul", "cuda:80", MATMUL],
  ["matmul", "cuda:90", MATMUL],
  ["matmul", "cuda:100", MATMUL],
  ["flash_attention", "cuda:80", ATTENTION],
] as const)("%s on %s: what is counted without data is what a whole execution does", (name, target, request) => {
  const { trace, names } = compiled(name, target);
  const launch = readyLaunch(trace, { ...request, names });
  if ("kind" in launch) throw new Error(launch.message);
  const run = (addressesOnly: boolean) =>
    runPtx(trace.artifacts.ptx!, { ...launch, programs: [[1, 0, 0]], addressesOnly, checks: false }).sites.map(
      ({ text, executions, requests, sectors, lines, wavefronts, idealWavefronts }) => ({
        text,
        executions,
        requests,
        sectors,
        lines,
        wavefronts,
        idealWavefronts,
      }),
    );
  const [counted, whole] = [run(true), run(false)];
  // While it waits for a copy a warp asks as often as it has to.
  const isExact = ({ text }: { readonly text: string }) => !/mbarrier|^@?%?p?\d* ?bra/.test(text);
  expect(counted.filter(isExact)).toEqual(whole.filter(isExact));
});

test("occupancy is that of the CUDA occupancy calculator", () => {
  const ctas = (capability: number, threads: number, registers: number, sharedBytes: number) => {
    const { ctasPerSm, by } = occupancyOf({ capability, threads, numCtas: 1, registers, sharedBytes, tensorColumns: 0 });
    return [ctasPerSm, ...by];
  };
  expect(ctas(80, 256, 32, 0)).toEqual([8, "registers", "warps"]);
  expect(ctas(80, 128, 255, 0)).toEqual([2, "registers"]);
  expect(ctas(90, 128, 64, 100_000)).toEqual([2, "shared memory"]);
  expect(ctas(90, 32, 16, 0)).toEqual([32, "CTAs"]);
  expect(ctas(86, 256, 32, 0)).toEqual([6, "warps"]);
});

test("every number of a GPU has a source", () => {
  for (const gpu of GPU_PRODUCTS) for (const source of Object.values(gpu.sources)) expect(source.length, gpu.name).toBeGreaterThan(10);
});

test.each([
  [{ ...VECADD, args: {} }, "the costs depend on a number that is not given: --arg n=N"],
  [{ ...VECADD, args: { N: 1024 } }, "there is no argument 'N'; did you mean 'n'?"],
  [{ ...VECADD, args: { n: 1000 } }, "argument 'n' is compiled as a multiple of 16, and 1000 is none"],
  [{ ...VECADD, gpu: "h1000" }, "unknown GPU 'h1000'; did you mean 'h100'?"],
  [{ ...VECADD, gpu: "a100" }, "the A100 SXM 80 GB is cuda:80, and the code is compiled for cuda:90"],
  [{ ...VECADD, shapes: { b_ptr: [1024] } }, "the kernel reads beyond 'b_ptr', which has 4096 bytes"],
  [{ ...VECADD, shapes: { q: [1024] } }, "there is no argument 'q'"],
])("wrong input is an error: %j", (request, message) => {
  const { trace, names } = compiled("vecadd", "cuda:90");
  expect(limitsOf(trace, { ...request, names })).toMatchObject({ kind: "error", message: expect.stringContaining(message) });
});

test("vecadd and matmul on gfx942: counted by hand, in waves of 64 lanes", () => {
  const added = limits("vecadd", "hip:gfx942", VECADD);
  expect(added.program).toMatchObject({ sectorsRead: 256, sectorsWritten: 128, wavefronts: 0, tensorInstructions: 0 });
  expect(added.binding).toBe("DRAM");
  // 16 MB are read twice and written once; the last cache may hold what is written.
  expect(added.bounds[0]!.from).toBeCloseTo((32 * 2 ** 20) / 5325e9, 12);
  // Registers are not known without LLVM; four waves leave room for eight workgroups.
  expect(added.registers).toBeUndefined();
  const figures = figuresOf(added);
  expect(
    exceeded(figures, figures, [
      ["sectors", 0],
      ["registers", 0],
    ]),
  ).toEqual(["registers: not known for this target"]);
  expect(added.occupancy).toMatchObject({ ctasPerSm: 8, by: ["waves"] });

  const { program, loops, ops, bounds } = limits("matmul", "hip:gfx942", MATMUL);
  // Lanes of 32 store 8 bytes in a row each: as many sectors.
  expect(program).toMatchObject({ sectorsRead: (8 * 2 * 8192) / 32, sectorsWritten: 8192 / 8 });
  expect(program.flops).toEqual({ f16: 2 * 64 * 64 * 512 });
  // Eight steps: a wave makes 32x32 of the tile, 64 of K, by products of 32x32x8.
  expect(program.tensorInstructions).toBe(8 * 4 * 8);
  // The tiles are written once, and each of 2x2 waves reads half of both.
  expect(program.wavefronts).toBe((8 * (2 * 8192 + 4 * 2 * 4096)) / 128);
  expect(loops.map(({ iterations, warps }) => [iterations, warps])).toEqual([[7, 8]]);
  expect(ops.map(({ name }) => name)).toEqual(expect.arrayContaining(["tt.load", "ttg.local_load", "tt.dot", "tt.store"]));
  const matrix = bounds.find(({ resource }) => resource === "matrix cores, f16")!;
  expect(matrix.from).toBeCloseTo((2 * 64 * 64 * 512) / 2048 / 2100e6, 15);
});

test("a target that is no GPU's has no record", () => {
  const { trace, names } = compiled("vecadd", "cuda:90");
  const found = limitsOf({ ...trace, target: "__proto__" }, { ...VECADD, names });
  expect(found).toMatchObject({ kind: "error", message: expect.stringMatching(/^no GPU of __proto__ has a record/) });
});

test("an AMD product takes code of its own target only", () => {
  const { trace, names } = compiled("vecadd", "hip:gfx942");
  expect(limitsOf(trace, { ...VECADD, names, gpu: "mi355x" })).toMatchObject({
    kind: "error",
    message: "the Instinct MI355X is hip:gfx950, and the code is compiled for hip:gfx942",
  });
  const other = compiled("vecadd", "hip:gfx1200");
  expect(limitsOf(other.trace, { ...VECADD, names: other.names })).toMatchObject({ kind: "error" });
});

test("work group processors of RDNA count as one, with their pair of compute units", () => {
  const { trace, names } = compiled("vecadd", "hip:gfx1201");
  const found = limitsOf(trace, { ...VECADD, names });
  expect(found).toMatchObject({ kind: "limits", gpu: { name: "rx9070xt", sms: 32 }, binding: "DRAM" });
  // 33.6 MB at 640 GB/s, and the 16.8 MB that are written if L2 keeps none.
  const { time } = found as Extract<typeof found, { readonly kind: "limits" }>;
  expect(time.from * 1e6).toBeCloseTo(52.4, 1);
  expect(time.to * 1e6).toBeCloseTo(78.6, 1);
});
