import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { type RunResult, runModule } from "./run.js";

const HEAD = `#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%p: !tt.ptr<i32>) {`;
const TAIL = "tt.return\n}\n}";
const range = (name: string, count: number) =>
  `%${name} = tt.make_range {start = 0 : i32, end = ${count} : i32} : tensor<${count}xi32, #blocked>`;
const store = (value: string, count: number) => `%i = tt.make_range {start = 0 : i32, end = ${count} : i32} : tensor<${count}xi32, #blocked>
%ps = tt.splat %p : !tt.ptr<i32> -> tensor<${count}x!tt.ptr<i32>, #blocked>
%at = tt.addptr %ps, %i : tensor<${count}x!tt.ptr<i32>, #blocked>, tensor<${count}xi32, #blocked>
tt.store %at, ${value} : tensor<${count}x!tt.ptr<i32>, #blocked>`;
function run(body: string): RunResult {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "t.ttgir", `${HEAD}\n${body}\n${TAIL}`);
  expect(ctx.diagnostics).toEqual([]);
  return runModule(parsed!.module, { programs: [[0, 0, 0]] });
}
const stored = ({ memory }: RunResult, count: number): number[] => [...new Int32Array(memory.contents("arg0", 4 * count).buffer)];

describe("memdesc_reinterpret", () => {
  const memdesc = (shape: string) => `!ttg.memdesc<${shape}, #shared, #smem, mutable>`;
  test("halves of words, and words of halves written through the view", () => {
    const result = run(`${range("x", 128)}
%m = ttg.local_alloc %x : (tensor<128xi32, #blocked>) -> ${memdesc("128xi32")}
%h = ttg.memdesc_reinterpret %m : ${memdesc("128xi32")} -> ${memdesc("256xi16")}
%v = ttg.local_load %h : ${memdesc("256xi16")} -> tensor<256xi16, #blocked>
%one = arith.constant dense<1> : tensor<256xi16, #blocked>
%s = arith.addi %v, %one : tensor<256xi16, #blocked>
ttg.local_store %s, %h : tensor<256xi16, #blocked> -> ${memdesc("256xi16")}
%w = ttg.local_load %m : ${memdesc("128xi32")} -> tensor<128xi32, #blocked>
${store("%w", 128)}`);
    expect(result.findings).toEqual([]);
    expect(stored(result, 128)).toEqual(Array.from({ length: 128 }, (_, i) => 0x10000 + i + 1));
  });
  test("a part of the view, and a view of the view", () => {
    const result = run(`${range("x", 128)}
%m = ttg.local_alloc %x : (tensor<128xi32, #blocked>) -> ${memdesc("128xi32")}
%h = ttg.memdesc_reinterpret %m : ${memdesc("128xi32")} -> ${memdesc("256xi16")}
%q = ttg.memdesc_subslice %h [128] : ${memdesc("256xi16")} -> !ttg.memdesc<128xi16, #shared, #smem, mutable, 256>
%b = ttg.local_load %q : !ttg.memdesc<128xi16, #shared, #smem, mutable, 256> -> tensor<128xi16, #blocked>
%e = arith.extsi %b : tensor<128xi16, #blocked> to tensor<128xi32, #blocked>
${store("%e", 128)}`);
    expect(stored(result, 6)).toEqual([64, 0, 65, 0, 66, 0]);
  });
});

describe("buffers that share bytes", () => {
  const overlapping = (second: number) => `${range("x", 128)}
%a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<128xi32, #blocked>) -> !ttg.memdesc<128xi32, #shared, #smem>
%b = ttg.local_alloc %x {allocation.offset = ${second} : i32} : (tensor<128xi32, #blocked>) -> !ttg.memdesc<128xi32, #shared, #smem>
%v = ttg.local_load %a : !ttg.memdesc<128xi32, #shared, #smem> -> tensor<128xi32, #blocked>
${store("%v", 128)}`;
  test("are found when one is read after the other was written", () => {
    expect(run(overlapping(256)).findings.map((f) => `${f.severity} ${f.kind}: ${f.message}`)).toEqual([
      "error overlap: ttg.local_load reads the buffer of ttg.local_alloc at t.ttgir:7:6; bytes 256 to 511 of shared memory are ttg.local_alloc at t.ttgir:8:6's, too, and ttg.local_alloc wrote them since",
    ]);
    expect(run(overlapping(512)).findings).toEqual([]);
  });
  test("scratch memory of an op counts as well", () => {
    const body = (offset: number) => `${range("x", 128)}
%a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<128xi32, #blocked>) -> !ttg.memdesc<128xi32, #shared, #smem>
%r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
^bb0(%l: i32, %m: i32):
  %s = arith.addi %l, %m : i32
  tt.reduce.return %s : i32
}) {allocation.offset = ${offset} : i32} : (tensor<128xi32, #blocked>) -> i32
%v = ttg.local_load %a : !ttg.memdesc<128xi32, #shared, #smem> -> tensor<128xi32, #blocked>
tt.store %p, %r : !tt.ptr<i32>`;
    expect(run(body(0)).findings.map((f) => f.kind)).toEqual(["overlap"]);
    expect(run(body(512)).findings).toEqual([]);
  });
});

test("a load of tensor memory that reduces gives the minimum of each row, of absolute values where it says so", () => {
  const rows = "#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>";
  const red = `tensor<128xf32, #ttg.slice<{dim = 1, parent = ${rows}}>>`;
  const buffer =
    "!ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory, mutable>";
  const least = (attrs: string) =>
    run(`%r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = ${rows}}>>
%c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = ${rows}}>>
%r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = ${rows}}>> -> tensor<128x1xi32, ${rows}>
%c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = ${rows}}>> -> tensor<1x64xi32, ${rows}>
%r2 = tt.broadcast %r1 : tensor<128x1xi32, ${rows}> -> tensor<128x64xi32, ${rows}>
%c2 = tt.broadcast %c1 : tensor<1x64xi32, ${rows}> -> tensor<128x64xi32, ${rows}>
%x = arith.subi %c2, %r2 : tensor<128x64xi32, ${rows}>
%f = arith.sitofp %x : tensor<128x64xi32, ${rows}> to tensor<128x64xf32, ${rows}>
%m = ttng.tmem_alloc %f : (tensor<128x64xf32, ${rows}>) -> ${buffer}
%all, %row = ttng.tmem_load %m {redOp = #ttng.redOp<min>${attrs}} : ${buffer} -> tensor<128x64xf32, ${rows}>, ${red}
%n = arith.fptosi %row : ${red} to tensor<128xi32, #ttg.slice<{dim = 1, parent = ${rows}}>>
%v = ttg.convert_layout %n : tensor<128xi32, #ttg.slice<{dim = 1, parent = ${rows}}>> -> tensor<128xi32, #blocked>
${store("%v", 128)}`);
  expect(stored(least(""), 128)).toEqual(Array.from({ length: 128 }, (_, row) => 0 - row));
  expect(stored(least(", abs = true"), 128)).toEqual(Array.from({ length: 128 }, (_, row) => Math.max(0, row - 63)));
});
