import { describe, expect, test } from "vitest";
import { kernelOf } from "../../dialects/builtin/function-op.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { TRITON_VERSIONS } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { planArguments } from "./arguments.js";
import { compareRuns, differenceText } from "./compare.js";
import { type RunOptions, type RunResult, runModule } from "./run.js";

function moduleOf(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "test.ttir", text);
  expect(ctx.diagnostics).toEqual([]);
  return parsed!.module;
}
const kernel = (args: string, body: string): string => `tt.func public @k(${args}) {\n${body}\ntt.return\n}`;
const run = (text: string, options: RunOptions = {}): RunResult => runModule(moduleOf(text), { programs: [[0, 0, 0]], ...options });
/** The integers that a kernel stored through its only pointer. */
function stored(text: string, options: RunOptions = {}): number[] {
  const result = run(text, options);
  expect(result.findings).toEqual([]);
  const [first] = result.memory.stores(result.args[0]!.name);
  return [...new Int32Array(Uint8Array.from(first!.bytes).buffer)];
}
const STORE = (value: string, count: number): string => `
  %r = tt.make_range {start = 0 : i32, end = ${count} : i32} : tensor<${count}xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<${count}x!tt.ptr<i32>>
  %at = tt.addptr %ps, %r : tensor<${count}x!tt.ptr<i32>>, tensor<${count}xi32>
  tt.store %at, ${value} : tensor<${count}x!tt.ptr<i32>>`;

test("an accumulator of halves is rounded as often as the GPU's instructions do it", () => {
  const dot = (target: string): number => {
    const result = run(
      kernel(
        "%p: !tt.ptr<f16>",
        `%ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %acc = arith.constant dense<2048.0> : tensor<16x16xf16>
  %d = tt.dot %ones, %ones, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  %most = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%x: f16, %y: f16):
    %m = arith.maxnumf %x, %y : f16
    tt.reduce.return %m : f16
  }) : (tensor<16x16xf16>) -> tensor<16xf16>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %at = tt.addptr %ps, %r : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  tt.store %at, %most : tensor<16x!tt.ptr<f16>>`,
      ),
      { target },
    );
    expect(result.findings).toEqual([]);
    return result.memory.load16(result.memory.buffers[0]!.address);
  };
  // 2048 + 16 in one step; 2048 + 1 is 2048 again sixteen times, where Triton adds product by product.
  expect(dot("cuda:80")).toBe(0x6808);
  expect(dot("cuda:75")).toBe(0x6800);
});
test("a histogram counts values beyond its bins as the code does that it is lowered to", () => {
  const counts = (target: string, version: string) => {
    const ctx = new Context(ALL_DIALECTS);
    ctx.triton = TRITON_VERSIONS.find(({ name }) => name === version)!;
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `%i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %four = arith.constant dense<4> : tensor<128xi32>
  %x = arith.subi %i, %four : tensor<128xi32>
  %h = tt.histogram %x : tensor<128xi32> -> tensor<16xi32>${STORE("%h", 16)}`,
    );
    const result = runModule(parseModule(ctx, "test.ttir", text)!.module, { programs: [[0, 0, 0]], target });
    const [first] = result.memory.stores(result.args[0]!.name);
    return [...new Int32Array(Uint8Array.from(first!.bytes).buffer)];
  };
  // -4 to 123: by the lowest five bits, the lowest six in waves of 64 lanes, or those from 0 to 15 alone.
  expect(counts("cuda:80", "3.6")).toEqual(new Array(16).fill(4));
  expect(counts("hip:gfx942", "3.6")).toEqual(new Array(16).fill(2));
  expect(counts("cuda:80", "3.8")).toEqual(new Array(16).fill(1));
});
describe("integers", () => {
  const ofConstants = (op: string, a: string, b: string, type = "i32") =>
    stored(
      kernel(
        "%p: !tt.ptr<i32>",
        `%a = arith.constant ${a} : ${type}\n%b = arith.constant ${b} : ${type}\n%c = ${op} %a, %b : ${type}\n${
          type === "i32" ? "" : `%d = arith.${type === "i64" ? "trunci" : "extsi"} %c : ${type} to i32\n`
        }tt.store %p, ${type === "i32" ? "%c" : "%d"} : !tt.ptr<i32>`,
      ),
    )[0];
  test("wrap to their width", () => {
    expect(ofConstants("arith.addi", "2147483647", "1")).toBe(-2147483648);
    expect(ofConstants("arith.muli", "65537", "65537")).toBe(131073);
    expect(ofConstants("arith.addi", "127", "1", "i8")).toBe(-128);
    expect(ofConstants("arith.muli", "4294967297", "3", "i64")).toBe(3);
  });
  test("divide towards zero, up and down; shifts beyond the width give zero or the sign", () => {
    expect(ofConstants("arith.divsi", "-7", "2")).toBe(-3);
    expect(ofConstants("arith.ceildivsi", "-7", "2")).toBe(-3);
    expect(ofConstants("arith.floordivsi", "-7", "2")).toBe(-4);
    expect(ofConstants("arith.remsi", "-7", "2")).toBe(-1);
    expect(ofConstants("arith.divui", "-2", "2")).toBe(2147483647);
    expect(ofConstants("arith.shli", "1", "32")).toBe(0);
    expect(ofConstants("arith.shrsi", "-8", "40")).toBe(-1);
    expect(ofConstants("arith.shrui", "-1", "28")).toBe(15);
    expect(ofConstants("arith.ceildivsi", "-7", "2", "i64")).toBe(-3);
    expect(ofConstants("arith.floordivsi", "-7", "2", "i64")).toBe(-4);
  });
  test("compare with sign and without", () => {
    const less = (predicate: string) =>
      stored(
        kernel(
          "%p: !tt.ptr<i32>",
          `%a = arith.constant -1 : i32\n%b = arith.constant 1 : i32\n%c = arith.cmpi ${predicate}, %a, %b : i32
        %d = arith.extui %c : i1 to i32\ntt.store %p, %d : !tt.ptr<i32>`,
        ),
      )[0];
    expect([less("slt"), less("ult")]).toEqual([1, 0]);
  });
});

describe("control flow", () => {
  test("loops carry values, also backwards through cf", () => {
    const loop = `
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c5 = arith.constant 5 : i32
      %s = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
        %b = arith.addi %a, %i : i32
        scf.yield %b : i32
      }
      tt.store %p, %s : !tt.ptr<i32>`;
    expect(stored(kernel("%p: !tt.ptr<i32>", loop))).toEqual([10]);
    const blocks = `
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c5 = arith.constant 5 : i32
      cf.br ^head(%c0, %c1 : i32, i32)
    ^head(%i: i32, %a: i32):
      %go = arith.cmpi slt, %i, %c5 : i32
      cf.cond_br %go, ^body, ^done
    ^body:
      %n = arith.addi %i, %c1 : i32
      %b = arith.addi %a, %a : i32
      cf.br ^head(%n, %b : i32, i32)
    ^done:
      tt.store %p, %a : !tt.ptr<i32>`;
    expect(stored(kernel("%p: !tt.ptr<i32>", blocks))).toEqual([32]);
  });
  test("a function that calls itself keeps its values apart, until it is too deep", () => {
    const text = (start: number) => `
      tt.func public @k(%p: !tt.ptr<i32>) {
        %n = arith.constant ${start} : i32
        %r = tt.call @f(%n) : (i32) -> i32
        tt.store %p, %r : !tt.ptr<i32>
        tt.return
      }
      tt.func private @f(%n: i32) -> i32 {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %z = arith.cmpi eq, %n, %c0 : i32
        %r = scf.if %z -> (i32) {
          scf.yield %c1 : i32
        } else {
          %m = arith.subi %n, %c1 : i32
          %f = tt.call @f(%m) : (i32) -> i32
          %q = arith.muli %f, %n : i32
          scf.yield %q : i32
        }
        tt.return %r : i32
      }`;
    expect(stored(text(6))).toEqual([720]);
    expect(run(text(100000)).findings).toMatchObject([{ kind: "limit", message: "calls are nested deeper than 256: @f recurses" }]);
  });
  test("an endless loop and a huge trip count are stopped", () => {
    const endless = kernel("%p: !tt.ptr<i32>", "%t = arith.constant true\nscf.while : () -> () { scf.condition(%t) } do { scf.yield }");
    expect(run(endless, { limits: { maxSteps: 1000 } }).findings).toMatchObject([{ kind: "limit" }]);
    const long = kernel(
      "%p: !tt.ptr<i32>",
      `%a = arith.constant 0 : i64\n%b = arith.constant 1 : i64\n%n = arith.constant 1099511627776 : i64
      scf.for %i = %a to %n step %b : i64 { scf.yield }`,
    );
    const [finding] = run(long, { limits: { maxSteps: 1000 } }).findings;
    expect(finding?.message).toMatch(/^stopped after 1000 steps: an endless loop, or more work than --max-steps allows$/);
  });
  test("a huge allocation is refused", () => {
    const text = kernel(
      "%p: !tt.ptr<f32>",
      "%v = arith.constant dense<0.0> : tensor<1048576x64xf32>\n%w = math.exp %v : tensor<1048576x64xf32>",
    );
    expect(run(text).findings).toMatchObject([{ kind: "limit" }]);
  });
});

describe("tensors", () => {
  const reduceBy = (op: string) => `
    %x = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = ${op === "reverse"}}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) : (tensor<8xi32>) -> tensor<8xi32>`;
  test("scans run both ways", () => {
    expect(stored(kernel("%p: !tt.ptr<i32>", reduceBy("") + STORE("%s", 8)))).toEqual([0, 1, 3, 6, 10, 15, 21, 28]);
    expect(stored(kernel("%p: !tt.ptr<i32>", reduceBy("reverse") + STORE("%s", 8)))).toEqual([28, 28, 27, 25, 22, 18, 13, 7]);
  });
  test("reductions with control flow in their region run element by element", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `
      %x = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
      %m = tt.reshape %x : tensor<8xi32> -> tensor<2x4xi32>
      %s = "tt.reduce"(%m) <{axis = 1 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %g = arith.cmpi sgt, %a, %b : i32
        %c = scf.if %g -> (i32) {
          scf.yield %a : i32
        } else {
          scf.yield %b : i32
        }
        tt.reduce.return %c : i32
      }) : (tensor<2x4xi32>) -> tensor<2xi32>${STORE("%s", 2)}`,
    );
    expect(stored(text)).toEqual([3, 7]);
  });
  test("transposes, joins and splits", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `
      %x = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
      %m = tt.reshape %x : tensor<8xi32> -> tensor<2x4xi32>
      %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<4x2xi32>
      %a, %b = tt.split %t : tensor<4x2xi32> -> tensor<4xi32>
      %j = tt.join %b, %a : tensor<4xi32> -> tensor<4x2xi32>
      %f = tt.reshape %j : tensor<4x2xi32> -> tensor<8xi32>${STORE("%f", 8)}`,
    );
    expect(stored(text)).toEqual([4, 0, 5, 1, 6, 2, 7, 3]);
  });
  test("lanes that store different values at one place are told", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `
      %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
      %ps = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
      tt.store %ps, %r : tensor<4x!tt.ptr<i32>>`,
    );
    expect(run(text).findings).toMatchObject([{ kind: "store-conflict", message: "elements 0 and 1 are stored at one place, and differ" }]);
  });
  test("atomics find what is there, lane by lane", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `
      %o = arith.constant dense<1> : tensor<4xi32>
      %all = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
      %q = tt.atomic_rmw add, relaxed, gpu, %all, %o : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>) -> tensor<4xi32>${STORE("%q", 4)}`,
    );
    expect(stored(text)).toEqual([0, 1, 2, 3]);
  });
});

describe("findings", () => {
  test("assertions, and overflow where the op says there is none", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>",
      `
      %f = arith.constant false
      tt.assert %f, "never" : i1
      %a = arith.constant 2147483647 : i32
      %b = arith.addi %a, %a overflow<nsw> : i32
      tt.store %p, %b : !tt.ptr<i32>`,
    );
    expect(run(text, { checks: { arithmetic: true } }).findings).toMatchObject([
      { kind: "assert", severity: "error", message: "assertion failed: never" },
      { kind: "overflow", severity: "note" },
    ]);
  });
  test("a NaN is told where it is born, not where it goes", () => {
    const text = kernel(
      "%p: !tt.ptr<f32>",
      `
      %a = arith.constant -1.0 : f32
      %b = math.sqrt %a : f32
      %c = arith.addf %b, %a : f32
      tt.store %p, %c : !tt.ptr<f32>`,
    );
    expect(run(text, { checks: { arithmetic: true } }).findings).toMatchObject([
      { kind: "nan-born", message: "element 0 of math.sqrt(-1) is NaN" },
    ]);
  });
  test("a wait that nobody ends is a deadlock", () => {
    const text = `#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
      #smem = #ttg.shared_memory
      module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
      tt.func public @k(%p: !tt.ptr<i32>) {
        %c0 = arith.constant 0 : i32
        %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
        ttng.init_barrier %b, 2 : !ttg.memdesc<1xi64, #s, #smem, mutable>
        ttng.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #s, #smem, mutable>
        ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #s, #smem, mutable>
        tt.return
      }}`;
    expect(run(text).findings).toMatchObject([
      { kind: "deadlock", message: "nobody can go on: program waits for phase 0 of a barrier (1 arrivals and 0 bytes to come)" },
    ]);
  });
});

describe("arguments made up", () => {
  const plan = (text: string, fit: "cut" | "whole" = "cut") => {
    const module = moduleOf(text);
    return planArguments(module, kernelOf(module)!, {}, fit).map((a) => (a.kind === "scalar" ? a.value : a.kind));
  };
  const COPY = `
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %ns = tt.splat %n : i32 -> tensor<1024xi32>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    %at = tt.addptr %ps, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    tt.store %at, %r, %m : tensor<1024x!tt.ptr<i32>>`;
  test("scales of dots are around 1, also where a loop carries their pointers", () => {
    const text = kernel(
      "%p: !tt.ptr<i8>, %n: i32",
      `
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %two = arith.constant dense<2> : tensor<64x2xi32>
    %x = arith.constant dense<1> : tensor<64x32xi8>
    %y = arith.constant dense<1> : tensor<32x64xi8>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x2x!tt.ptr<i8>>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %ps, %acc = %z) -> (tensor<64x2x!tt.ptr<i8>>, tensor<64x64xf32>) : i32 {
      %s = tt.load %q : tensor<64x2x!tt.ptr<i8>>
      %d = tt.dot_scaled %x scale %s, %y scale %s, %acc lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x32xi8>, tensor<64x2xi8> * tensor<32x64xi8>, tensor<64x2xi8> -> tensor<64x64xf32>
      %q2 = tt.addptr %q, %two : tensor<64x2x!tt.ptr<i8>>, tensor<64x2xi32>
      scf.yield %q2, %d : tensor<64x2x!tt.ptr<i8>>, tensor<64x64xf32>
    }`,
    );
    const module = moduleOf(text);
    expect(planArguments(module, kernelOf(module)!)[0]).toMatchObject({ kind: "pointer", init: { kind: "range", low: 123, high: 131 } });
  });
  test("cut the block they are compared with, or fill it", () => {
    expect(plan(kernel("%p: !tt.ptr<i32>, %n: i32 {tt.divisibility = 16 : i32}", COPY))).toEqual(["pointer", 1536]);
    expect(plan(kernel("%p: !tt.ptr<i32>, %n: i32", COPY))).toEqual(["pointer", 1533]);
    expect(plan(kernel("%p: !tt.ptr<i32>, %n: i32", COPY), "whole")).toEqual(["pointer", 2048]);
  });
  test("loops go round a few times, strides are above what is reached within a row", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>, %s: i32, %n: i32",
      `
      %c0 = arith.constant 0 : i32
      %c32 = arith.constant 32 : i32
      scf.for %i = %c0 to %n step %c32 : i32 {
        %o = arith.muli %i, %s : i32
        %q = tt.addptr %p, %o : !tt.ptr<i32>, i32
        tt.store %q, %i : !tt.ptr<i32>
      }`,
    );
    expect(plan(text)).toEqual(["pointer", 3, 173]);
  });
  test("arrays of e5m2 that scaled products read have no infinities: targets differ in what they make of them", () => {
    const initOf = (body: string) => {
      const module = moduleOf(
        kernel(
          "%p: !tt.ptr<f8E5M2>, %q: !tt.ptr<i8>",
          `%ps = tt.splat %p : !tt.ptr<f8E5M2> -> tensor<32x32x!tt.ptr<f8E5M2>>
      %a = tt.load %ps : tensor<32x32x!tt.ptr<f8E5M2>>
      %qs = tt.splat %q : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
      %s = tt.load %qs : tensor<32x1x!tt.ptr<i8>>
      %z = arith.constant dense<0.0> : tensor<32x32xf32>\n${body}`,
        ),
      );
      const [array] = planArguments(module, kernelOf(module)!, {}, "two", undefined, { integers: "random", floats: 8 });
      return array!.kind === "pointer" ? array!.init : undefined;
    };
    const scaled =
      "%d = tt.dot_scaled %a scale %s, %a scale %s, %z lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<32x32xf8E5M2>, tensor<32x1xi8> * tensor<32x32xf8E5M2>, tensor<32x1xi8> -> tensor<32x32xf32>";
    expect(initOf("")).toEqual({ kind: "special", rate: 8 });
    expect(initOf(scaled)).toEqual({ kind: "edges" });
  });
  test("strides of several dimensions leave each element a place of its own", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>, %sz: i32, %sm: i32 {tt.divisibility = 16 : i32}",
      `
      %x = tt.get_program_id x : i32
      %y = tt.get_program_id y : i32
      %z = arith.muli %y, %sz : i32
      %m = arith.muli %x, %sm : i32
      %zm = arith.addi %z, %m : i32
      %row = tt.addptr %p, %zm : !tt.ptr<i32>, i32
      %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
      %rows = tt.splat %row : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
      %at = tt.addptr %rows, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      tt.store %at, %r : tensor<64x!tt.ptr<i32>>`,
    );
    expect(plan(text)).toEqual(["pointer", 129, 64]);
  });
  test("a row that a loop goes along is not longer than the stride", () => {
    const text = kernel(
      "%p: !tt.ptr<i32>, %s: i32 {tt.divisibility = 16 : i32}, %n: i32",
      `
      %x = tt.get_program_id x : i32
      %xs = arith.muli %x, %s : i32
      %row = tt.addptr %p, %xs : !tt.ptr<i32>, i32
      %c0 = arith.constant 0 : i32
      %c = arith.constant 8192 : i32
      scf.for %i = %c0 to %n step %c : i32 {
        %j = arith.bitcast %i : i32 to i32
        %q = tt.addptr %row, %j : !tt.ptr<i32>, i32
        tt.store %q, %i : !tt.ptr<i32>
      }`,
    );
    expect(plan(text)).toEqual(["pointer", 45056, 45053]);
  });
});

test("a scalar that is repeated stays what it is, NaN and -0 too", () => {
  const text = kernel(
    "%p: !tt.ptr<f32>, %q: !tt.ptr<f32>",
    ["0x7FC00000", "-0.0"]
      .map(
        (value, i) => `%a${i} = arith.constant ${value} : f32
    %b${i} = tt.splat %a${i} : f32 -> tensor<1xf32>
    %c${i} = tt.unsplat %b${i} : tensor<1xf32>
    tt.store ${i === 0 ? "%p" : "%q"}, %c${i} : !tt.ptr<f32>`,
      )
      .join("\n"),
  );
  const { memory } = run(text);
  expect(["arg0", "arg1"].map((name) => new Float32Array(memory.contents(name, 4).buffer)[0])).toEqual([NaN, -0]);
});

test("runs are compared by their stores: the first that differs, who made it, and the values", () => {
  const text = (value: number, second: number) =>
    kernel(
      "%p: !tt.ptr<f32>, %q: !tt.ptr<i32>",
      `
    %x = arith.constant ${value.toFixed(8)} : f32
    %a = math.sqrt %x : f32
    tt.store %p, %a : !tt.ptr<f32>
    %b = arith.constant ${second} : i32
    tt.store %q, %b : !tt.ptr<i32>`,
    );
  const base = run(text(1, 5));
  expect(compareRuns(base, run(text(1.000001, 5)))).toBeUndefined();
  expect(differenceText(compareRuns(base, run(text(1.001, 6)))!)).toBe(
    "byte 0 of 'arg0' (f32, program 0, 0, 0): 1 before, 1.0004998445510864 after, stored by tt.store, and 1 more",
  );
  expect(compareRuns(base, run(text(1, 6)))).toMatchObject({ buffer: "arg1", first: "5", second: "6", total: 1 });
});
