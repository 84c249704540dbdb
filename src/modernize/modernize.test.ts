import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { main as ttStep } from "../cli/tt-step.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { memoryIo } from "../testing/memory-io.js";
import { modernize } from "./modernize.js";

/** The text of the IR as 3.6 has it, which verifies and is 3.6's when read back. */
function modern(text: string): string {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "old.mlir", text)!;
  modernize(module);
  verifyOperation(module);
  expect(ctx.diagnostics.map((d) => d.message)).toEqual([]);
  const printed = printOperation(module);
  const again = new Context(ALL_DIALECTS);
  const back = parseModule(again, "new.mlir", printed);
  expect(again.spelling).toBeUndefined();
  expect(back && printOperation(back.module)).toBe(printed);
  return printed;
}
const body = (ops: string) =>
  modern(`func public @f(%x: tensor<64xf32>, %y: tensor<64xi32>, %p: tensor<64x!tt.ptr<f32>>) {\n${ops}\n  return\n}\n`)
    .split("\n")
    .map((line) => line.trim());

describe("counterparts", () => {
  test("functions and programs", async () => {
    const lines = body("%0 = tt.get_program_id {axis = 1 : i32} : i32\n%1 = tt.splat %0 : (i32) -> tensor<64xi32>");
    expect(lines).toContain("tt.func public @f(%arg0: tensor<64xf32>, %arg1: tensor<64xi32>, %arg2: tensor<64x!tt.ptr<f32>>) {");
    expect(lines).toContain("%0 = tt.get_program_id y : i32");
    expect(lines).toContain("%1 = tt.splat %0 : i32 -> tensor<64xi32>");
    expect(lines).toContain("tt.return");
  });
  test("loads and stores name the type of the pointers", async () => {
    const lines = body(
      "%0 = tt.load %p {cache = 2 : i32, evict = 1 : i32, isVolatile = false} : tensor<64xf32>\ntt.store %p, %0 : tensor<64xf32>",
    );
    expect(lines).toContain("%0 = tt.load %arg2 cacheModifier = ca : tensor<64x!tt.ptr<f32>>");
    expect(lines).toContain("tt.store %arg2, %0 : tensor<64x!tt.ptr<f32>>");
  });
  test("a reduction's keyword is a region", async () => {
    const lines = body("%0 = tt.reduce %x {axis = 0 : i32, redOp = 12 : i32} : tensor<64xf32> -> f32");
    expect(lines).toContain('%0 = "tt.reduce"(%arg0) <{axis = 0 : i32}> ({');
    expect(lines.some((line) => line.startsWith("%1 = arith.maxnumf %"))).toBe(true);
  });
  test("comparisons and selects are arith's", async () => {
    const lines = body(
      '%0 = "triton_gpu.cmpi"(%y, %y) {predicate = 2 : i64} : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>\n' +
        '%1 = "triton_gpu.select"(%0, %x, %x) : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>',
    );
    expect(lines).toContain("%0 = arith.cmpi slt, %arg1, %arg1 : tensor<64xi32>");
    expect(lines).toContain("%1 = arith.select %0, %arg0, %arg0 : tensor<64xi1>, tensor<64xf32>");
  });
  test("pointers of the LLVM dialect are opaque", async () => {
    const text = modern(
      "llvm.func @f(%p: !llvm.ptr<f32, 1>, %i: i32) attributes {nvvm.kernel = 1 : ui1, nvvm.maxntid = 64 : i32} {\n" +
        "  %0 = llvm.getelementptr %p[%i] : (!llvm.ptr<f32, 1>, i32) -> !llvm.ptr<f32, 1>\n  %1 = llvm.load %0 : !llvm.ptr<f32, 1>\n  llvm.return\n}\n",
    );
    expect(text).toContain("%0 = llvm.getelementptr %arg0[%arg1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32");
    expect(text).toContain("%1 = llvm.load %0 : !llvm.ptr<1> -> f32");
  });
});

test("listings of the articles and dumps have no old names left, but for tensors in shared memory", async () => {
  const kept = /triton_gpu\.(?:alloc_tensor|insert_slice_async|extract_slice|convert_layout)|tensor\.extract_slice/g;
  // A layout of 16 threads, and a fragment without the module's number of warps, are none that 3.6 takes.
  const unfit = ["after-convert-triton-to-tritongpu.mlir", "convert-layout.mlir"];
  for (const folder of ["seed003", "seed004"])
    for (const name of readdirSync(`fixtures/${folder}`).filter((file) => file.endsWith(".mlir") && !unfit.includes(file)))
      expect(modern(readFileSync(`fixtures/${folder}/${name}`, "latin1")).replace(kept, ""), name).not.toMatch(
        /triton_gpu|nvgpu\.|\bfunc\.|tensor\./,
      );
});

test("tt-step --modernize prints it, and steps through old logs in it", async () => {
  const run = async (...argv: string[]) => {
    const io = memoryIo("");
    expect(await ttStep(argv, io), io.err()).toBe(0);
    return io.out();
  };
  expect(await run("fixtures/seed003/gemm.mlir", "--modernize")).toContain("tt.func public @matmul_kernel_0d1d2d3d4c56c78c(");
  expect(await run("fixtures/dumps/seed003.log", "--modernize", "--print-after", "4")).toContain(
    "#mma = #ttg.nvidia_mma<{versionMajor = 2,",
  );
});

test("a listing with layouts that 3.6 does not have is shown as it is, with the reason", async () => {
  const io = memoryIo("");
  expect(await ttStep(["fixtures/seed003/after-convert-triton-to-tritongpu.mlir", "--list"], io), io.err()).toBe(0);
  expect(io.out()).toMatch(/^ *0 {2}ttgir {3}listing +\d+ ops\n$/);
  expect(io.err()).toMatch(
    /3\.6 refuses line 19 of it \(Result has an invalid layout: .*16 threads per warp.*\): it is shown as it is, and no pass runs on it/,
  );
});
