import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";
import { launchOf, referenceOf } from "./lowered.js";
import { compareRuns } from "./tensor/compare.js";
import { runModule } from "./tensor/run.js";

function moduleOf(args: string, body: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "test.ttir", `tt.func public @k(${args}) {\n${body}\ntt.return\n}`)!;
  expect(ctx.diagnostics).toEqual([]);
  return module;
}
const options = { seed: 0, programs: [[0, 0, 0]] };
const RANGE = "%i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>";
/** A tensor of pointers into argument `p` of elements `type`. */
const at = (p: string, type: string, index = "%i") =>
  `%${p}s = tt.splat %${p} : !tt.ptr<${type}> -> tensor<16x!tt.ptr<${type}>>\n%${p}a = tt.addptr %${p}s, ${index} : tensor<16x!tt.ptr<${type}>>, tensor<16xi32>`;

describe("a stored value agrees as well as the coarsest type that it was rounded to on its way", () => {
  const bounds = (body: string) => {
    const { run } = referenceOf(
      moduleOf(
        "%x: !tt.ptr<f16>, %y: !tt.ptr<f32>",
        `${RANGE}\n${at("x", "f16")}\n${at("y", "f32")}\n${body}\ntt.store %ya, %v : tensor<16x!tt.ptr<f32>>`,
      ),
      options,
    );
    return [...run.roundings.values()];
  };
  const LOAD = "%l = tt.load %xa : tensor<16x!tt.ptr<f16>>\n%w = arith.extf %l : tensor<16xf16> to tensor<16xf32>";
  test("what is loaded and widened was rounded to none", () => {
    expect(bounds(`${LOAD}\n%v = arith.addf %w, %w : tensor<16xf32>`)).toEqual([1e-5]);
  });
  test("a value cut to half and widened again", () => {
    const cut = "%e = math.exp2 %w : tensor<16xf32>\n%h = arith.truncf %e : tensor<16xf32> to tensor<16xf16>";
    expect(bounds(`${LOAD}\n${cut}\n%v = arith.extf %h : tensor<16xf16> to tensor<16xf32>`)).toEqual([2e-3]);
  });
  test("through a loop", () => {
    const loop = `%z = arith.constant dense<0.0> : tensor<16xf32>\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c3 = arith.constant 3 : i32
%v = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %z) -> (tensor<16xf32>) : i32 {
  %h = arith.truncf %acc : tensor<16xf32> to tensor<16xbf16>
  %b = arith.extf %h : tensor<16xbf16> to tensor<16xf32>
  %s = arith.addf %b, %w : tensor<16xf32>
  scf.yield %s : tensor<16xf32>
}`;
    expect(bounds(`${LOAD}\n${loop}`)).toEqual([1.6e-2]);
  });
});

test("a product that a sum takes may stay unrounded", () => {
  const sum = `${RANGE}\n${at("x", "f16")}\n%l = tt.load %xa : tensor<16x!tt.ptr<f16>>
%m = arith.mulf %l, %l : tensor<16xf16>\n%c = arith.constant dense<-1.0> : tensor<16xf16>\n%v = arith.addf %m, %c : tensor<16xf16>\ntt.store %xa, %v : tensor<16x!tt.ptr<f16>>`;
  const module = moduleOf("%x: !tt.ptr<f16>", sum);
  // (1 + 3 * 2^-10)^2 - 1 = 6 * 2^-10 + 9 * 2^-20; as a half the square is 1 + 6 * 2^-10.
  const data = new Uint8Array(Uint16Array.from({ length: 16 }, () => 0x3c03).buffer);
  const { run, contracted } = referenceOf(module, {
    ...options,
    args: [{ kind: "pointer", name: "x", element: "f16", init: undefined, data }],
  });
  const first = ({ memory }: typeof run) => new Uint16Array(memory.contents("x", 32).buffer)[0];
  expect(first(run)).toBe(0x1e00);
  expect(first(contracted!)).toBe(0x1e02);
});

describe("what a sum owes to its order", () => {
  const sums = `${RANGE}\n${at("x", "bf16")}\n${at("y", "f32")}\n%l = tt.load %xa : tensor<16x!tt.ptr<bf16>>
%r = "tt.reduce"(%l) <{axis = 0 : i32}> ({
^bb0(%a: bf16, %b: bf16):
  %s = arith.addf %a, %b : bf16
  tt.reduce.return %s : bf16
}) : (tensor<16xbf16>) -> bf16
%w = arith.extf %r : bf16 to f32\n%v = tt.splat %w : f32 -> tensor<16xf32>\ntt.store %ya, %v : tensor<16x!tt.ptr<f32>>`;
  // 256 + 1 - 256 + 1: 2 if the ones meet first; else 1, as 257 is no bf16.
  const data = new Uint8Array(Uint16Array.from({ length: 16 }, (_, i) => [0x4380, 0x3f80, 0xc380, 0x3f80][i] ?? 0).buffer);
  const reference = referenceOf(moduleOf("%x: !tt.ptr<bf16>, %y: !tt.ptr<f32>", sums), {
    ...options,
    args: [
      { kind: "pointer", name: "x", element: "bf16", init: undefined, data },
      { kind: "pointer", name: "y", element: "f32", init: undefined, data: undefined },
    ],
  });
  const { run, reassociated } = reference;
  const first = ({ memory }: typeof run) => new Float32Array(memory.contents("y", 64).buffer)[0];
  test("is seen by taking another one", () => {
    expect([first(run), first(reassociated!)]).toEqual([1, 2]);
  });
  test("is not asked of a reduction whose result is another one in another order", () => {
    const { reassociated: last } = referenceOf(
      moduleOf("%x: !tt.ptr<bf16>, %y: !tt.ptr<f32>", sums.replace("arith.addf %a, %b", "arith.subf %a, %b")),
      options,
    );
    expect(last).toBeUndefined();
  });
  test("is no difference then", () => {
    expect(compareRuns(run, reassociated!)).toMatchObject({ buffer: "y", first: "1", second: "2" });
    expect(compareRuns(run, reassociated!, { reassociated })).toBeUndefined();
  });
});

describe("what threads do in an order of their own says nothing where it differs", () => {
  const shifted = (between: string) =>
    `${RANGE}\n${at("x", "i32")}\ntt.store %xa, %i : tensor<16x!tt.ptr<i32>>\n${between}
%o = arith.constant dense<1> : tensor<16xi32>\n%n = tt.addptr %xa, %o : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n%l = tt.load %n : tensor<16x!tt.ptr<i32>>\ntt.store %xa, %l : tensor<16x!tt.ptr<i32>>`;
  test("a load of what was stored with no barrier between is noted", () => {
    const found = runModule(moduleOf("%x: !tt.ptr<i32>", shifted("")), options);
    expect(found.findings.map((f) => `${f.severity} ${f.kind}: ${f.message}`)).toEqual([
      "note global-order: tt.load loads byte 4 of 'arg0', which tt.store stored without a barrier between",
    ]);
    expect([...found.open]).toEqual(["arg0"]);
    expect(runModule(moduleOf("%x: !tt.ptr<i32>", shifted("gpu.barrier")), options).findings).toEqual([]);
  });
  test("what lanes found that met in an atomic", () => {
    const zero = "%z = arith.constant dense<0> : tensor<16xi32>";
    const body = (index: string) =>
      `${RANGE}\n${zero}\n${at("x", "i32", index)}\n${at("y", "i32")}\n%a = tt.atomic_rmw add, acq_rel, gpu, %xa, %i : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16xi32>\ntt.store %ya, %a : tensor<16x!tt.ptr<i32>>`;
    const open = (index: string) => [...referenceOf(moduleOf("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>", body(index)), options).open];
    expect(open("%z")).toEqual(["arg1"]);
    expect(open("%i")).toEqual([]);
  });
});

test("the same launch at thread level: buffers with their elements, numbers, programs", () => {
  const module = moduleOf("%x: !tt.ptr<f16>, %n: i32", "%c = arith.constant 1 : i32");
  expect(launchOf(referenceOf(module, options))).toMatchObject({
    grid: [1, 1, 1],
    programs: [[0, 0, 0]],
    args: [{ kind: "buffer", spec: { name: "arg0", element: "f16" } }, { kind: "scalar" }],
  });
});
