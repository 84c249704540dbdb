import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { compareRuns, uncertain } from "./compare.js";
import { type RunResult, runModule } from "./run.js";

const COUNT = 8;
/** Runs `body`, which makes `%v` of `%x` and `%y`: tensors of f32 that are loaded, of these numbers. */
function ran(body: string, x: readonly number[], y: readonly number[] = x, type = `tensor<${COUNT}xf32>`): RunResult {
  const element = /x(\w+)>$/.exec(type)?.[1] ?? type;
  const stored = type.startsWith("tensor") ? "%rs" : "%r";
  const pointers = type.startsWith("tensor") ? `tensor<${COUNT}x!tt.ptr<${element}>>` : `!tt.ptr<${element}>`;
  const at = (p: string, kind: string) =>
    `%${p}0 = tt.splat %${p} : !tt.ptr<${kind}> -> tensor<${COUNT}x!tt.ptr<${kind}>>\n%${p}s = tt.addptr %${p}0, %i : tensor<${COUNT}x!tt.ptr<${kind}>>, tensor<${COUNT}xi32>`;
  const ctx = new Context(ALL_DIALECTS);
  const text = `tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %r: !tt.ptr<${element}>) {
%i = tt.make_range {start = 0 : i32, end = ${COUNT} : i32} : tensor<${COUNT}xi32>\n${at("p", "f32")}\n${at("q", "f32")}\n${at("r", element)}
%x = tt.load %ps : tensor<${COUNT}x!tt.ptr<f32>>\n%y = tt.load %qs : tensor<${COUNT}x!tt.ptr<f32>>\n${body}
tt.store ${stored}, %v : ${pointers}\ntt.return\n}`;
  const { module } = parseModule(ctx, "test.ttir", text)!;
  expect(ctx.diagnostics.map((d) => d.message)).toEqual([]);
  const data = (values: readonly number[]) => new Uint8Array(Float32Array.from({ length: COUNT }, (_, i) => values[i] ?? 0).buffer);
  const pointer = (name: string, values: readonly number[]) =>
    ({ kind: "pointer", name, element: "f32", init: undefined, data: data(values) }) as const;
  const args = [pointer("p", x), pointer("q", y), { kind: "pointer", name: "r", element: element as "f32", init: undefined }] as const;
  return runModule(module, { args, programs: [[0, 0, 0]] });
}
/** The bounds of what is stored, in order; an exact element has 0. */
function bounds(run: RunResult): number[] {
  const { addresses, mask } = run.stores.at(-1)!;
  return [...(addresses as Float64Array)].flatMap((address, i) => (mask && !mask[i] ? [] : [run.bounds().get(address) ?? 0]));
}
const SUM = "tensor<8xf32>";
const reduced = (combine: string, of = "%x") => `%v = "tt.reduce"(${of}) <{axis = 0 : i32}> ({
^bb0(%a: f32, %b: f32):
  %c = ${combine} : f32
  tt.reduce.return %c : f32
}) : (tensor<8xf32>) -> f32`;

describe("what an op leaves open of its result", () => {
  test.each([
    [
      "nothing of what is only moved, compared, chosen or negated",
      "%n = arith.negf %x : tensor<8xf32>\n%v = arith.maxnumf %n, %y : tensor<8xf32>",
      [3],
      [5],
      0,
    ],
    ["of a sum, its part of the magnitudes", `%v = arith.subf %x, %y : ${SUM}`, [3], [5], 8e-5],
    ["nothing of a sum with zero", `%v = arith.addf %x, %y : ${SUM}`, [3], [0], 0],
    ["of a product, its part where that is rounded", `%v = arith.mulf %x, %y : ${SUM}`, [1 + 2 ** -20], [1 + 2 ** -20], 1e-5],
    ["nothing of a product that has room", `%v = arith.mulf %x, %y : ${SUM}`, [3], [5], 0],
    ["what operands leave open is carried on", `%d = arith.subf %x, %y : ${SUM}\n%v = math.exp %d : ${SUM}`, [1000], [1000], 2e-2],
    [
      "each operand adds its own",
      `%d = arith.subf %x, %y : ${SUM}\n%e = arith.addf %x, %y : ${SUM}\n%v = arith.addf %d, %e : ${SUM}`,
      [3],
      [5],
      16e-5,
    ],
  ] as const)("%s", (_, body, x, y, expected) => {
    expect(bounds(ran(body, x, y))[0]).toBeCloseTo(expected, expected > 1e-3 ? 3 : 6);
  });

  test("a comparison may be the other way round where its operands are so close: then the choice is another one", () => {
    const body = `%d = math.exp2 %x : ${SUM}\n%c = arith.cmpf ogt, %d, %y : ${SUM}\n%z = arith.constant dense<7.0> : ${SUM}\n%v = arith.select %c, %z, %x : tensor<8xi1>, ${SUM}`;
    const [near, far] = bounds(ran(body, [2, 2], [4.00001, 4.1]));
    expect([near, far]).toEqual([5, 0]);
  });

  test("a cast moves to the neighbour where a boundary is in reach", () => {
    const body = `%d = math.sqrt %x : ${SUM}\n%v = arith.truncf %d : ${SUM} to tensor<8xf16>`;
    // sqrt(x) = 1 + 2^-11, the middle between two halves; and 1.
    const [tie, clear] = bounds(ran(body, [(1 + 2 ** -11) ** 2, 1], [0], "tensor<8xf16>"));
    expect([tie, clear]).toEqual([2 ** -10, 0]);
  });
});

describe("sums", () => {
  const MANY = [1, -2, 3, -4, 5, -6, 7, -8];
  test("have their part of all magnitudes, however they cancel", () => {
    expect(bounds(ran(reduced("arith.addf %a, %b"), MANY, [], "f32"))[0]).toBeCloseTo(36e-5, 6);
  });
  test("a largest element is exact, and so is what another reduction makes exactly", () => {
    expect(bounds(ran(reduced("arith.maxnumf %a, %b"), MANY, [], "f32"))).toEqual([0]);
  });
  test("scans carry theirs from place to place", () => {
    const body = `%v = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({\n^bb0(%a: f32, %b: f32):\n  %c = arith.addf %a, %b : f32\n  tt.scan.return %c : f32\n}) : (${SUM}) -> ${SUM}`;
    expect(bounds(ran(body, MANY)).map((b) => Math.round(b * 1e5))).toEqual([0, 3, 4, 6, 7, 9, 10, 12]);
  });
  test("of products of matrices, those of both operands too", () => {
    const body = `%d = arith.addf %x, %x : ${SUM}\n%a = tt.reshape %d : ${SUM} -> tensor<1x8xf32>\n%b = tt.reshape %y : ${SUM} -> tensor<8x1xf32>
%z = arith.constant dense<0.0> : tensor<1x1xf32>\n%m = tt.dot %a, %b, %z : tensor<1x8xf32> * tensor<8x1xf32> -> tensor<1x1xf32>\n%u = tt.reshape %m : tensor<1x1xf32> -> tensor<1xf32>\n%v = tt.unsplat %u : tensor<1xf32>`;
    expect(bounds(ran(body, MANY, MANY, "f32"))[0]).toBeCloseTo(2 * 204e-5, 7);
  });
});

test.each([
  ["tf32x3", 1e-5],
  ["bf16x6", 12 * 2 ** -23],
  ["ieee", 12 * 2 ** -23],
])("a chain of products leaves open what the whole sum does with its precision: %s", (precision, share) => {
  const part = (k: number) =>
    `%a${k} = tt.reshape %x : ${SUM} -> tensor<1x8xf32>\n%b${k} = tt.reshape %y : ${SUM} -> tensor<8x1xf32>
%m${k} = tt.dot %a${k}, %b${k}, ${k === 0 ? "%z" : `%m${k - 1}`}, inputPrecision = ${precision} : tensor<1x8xf32> * tensor<8x1xf32> -> tensor<1x1xf32>`;
  const body = `%z = arith.constant dense<0.0> : tensor<1x1xf32>\n${part(0)}\n${part(1)}\n${part(2)}\n%u = tt.reshape %m2 : tensor<1x1xf32> -> tensor<1xf32>\n%v = tt.unsplat %u : tensor<1xf32>`;
  expect(bounds(ran(body, [1, -1, 1, -1, 1, -1, 1, -1], [1, 1, 1, 1, 1, 1, 1, 1], "f32"))[0]).toBeCloseTo(24 * share, 9);
});

test("memory keeps what is stored, and atomics add to it", () => {
  const body = `%d = arith.addf %x, %y : ${SUM}\ntt.store %ps, %d : tensor<8x!tt.ptr<f32>>\n%v = tt.load %ps : tensor<8x!tt.ptr<f32>>
%o = tt.atomic_rmw fadd, acq_rel, gpu, %qs, %x : (tensor<8x!tt.ptr<f32>>, ${SUM}) -> ${SUM}`;
  const run = ran(body, [3], [5]);
  expect(bounds(run)[0]).toBeCloseTo(8e-5, 9);
  expect(run.bounds().get(run.memory.buffers[1]!.address)).toBeCloseTo(8e-5, 9);
});

test.each(["chained_dot-sm80", "softmax_row-sm80"])("%s leaves open the same by way of shared memory", (name) => {
  const boundsOf = (stage: string) => {
    const text = gunzipSync(readFileSync(`fixtures/simulate/kernels/${name}.${stage}.gz`)).toString("latin1");
    const module = parseModule(new Context(ALL_DIALECTS), stage, text)!.module;
    const { bounds: found, findings } = runModule(module, { target: "cuda:80", fit: "whole", programs: [[0, 0, 0]] });
    expect(findings.filter((f) => f.severity === "error")).toEqual([]);
    return found();
  };
  const [source, lowered] = [boundsOf("ttir"), boundsOf("ttgir")];
  expect([...lowered.keys()].sort()).toEqual([...source.keys()].sort());
  const ratios = [...source].map(([address, bound]) => lowered.get(address)! / bound);
  expect([Math.min(...ratios), Math.max(...ratios)].map((x) => Math.round(x * 20) / 20)).toEqual([1, 1]);
});

test("another order of a sum agrees, another sum does not; integers and constants are exact", () => {
  const other = `%t = arith.addf %y, %x : ${SUM}\n%h = arith.constant dense<1.000001> : ${SUM}`;
  const of = (last: string) => ran(`${other}\n%v = arith.addf %t, ${last} : ${SUM}`, [1e3, 1], [-1e3, 2]);
  const [one, close, wrong] = [
    of("%x"),
    ran(`%t = arith.addf %x, %x : ${SUM}\n%v = arith.addf %t, %y : ${SUM}`, [1e3, 1], [-1e3, 2]),
    of("%y"),
  ];
  expect(compareRuns(one, close)).toBeUndefined();
  expect(compareRuns(one, wrong)).toMatchObject({ total: 2 });
  const constant = (text: string) => ran(`%v = arith.constant dense<${text}> : ${SUM}`, []);
  expect(compareRuns(constant("1.0"), constant("1.0000001"))).toMatchObject({ total: 8 });
});

describe("zeros have the sign that the source gives them", () => {
  const agree = (a: string, b: string, x: readonly number[], y?: readonly number[]) =>
    compareRuns(ran(a, x, y), ran(b, x, y)) === undefined;
  const zero = `%z = arith.constant dense<0.0> : ${SUM}`;
  test("where it follows", () => {
    const minus = (from: string) => `${zero}\n%v = arith.subf ${from} : ${SUM}`;
    expect(agree(minus("%z, %x"), minus("%z, %x"), [0, -0, 1])).toBe(true);
    expect(agree(minus("%z, %x"), `%v = arith.negf %x : ${SUM}`, Array(COUNT).fill(-0))).toBe(true);
    expect(agree(minus("%z, %x"), `%v = arith.negf %x : ${SUM}`, [1, 0])).toBe(false);
    expect(agree(`%v = arith.mulf %x, %y : ${SUM}`, `%w = arith.mulf %x, %y : ${SUM}\n%v = math.absf %w : ${SUM}`, [-1], [0])).toBe(false);
  });
  test("but where any will do", () => {
    const greater = `%c = arith.cmpf oge, %x, %y : ${SUM}\n%v = arith.select %c, %x, %y : tensor<${COUNT}xi1>, ${SUM}`;
    expect(agree(`%v = arith.maxnumf %x, %y : ${SUM}`, greater, [-0], [0])).toBe(true);
  });
  test("and where a rounded result comes from either side of zero", () => {
    const half = (from: string) =>
      `%h = arith.truncf ${from} : ${SUM} to tensor<${COUNT}xf16>\n%v = arith.extf %h : tensor<${COUNT}xf16> to ${SUM}`;
    const product = "%c = arith.constant dense<1.1> : SUM\n%m = arith.mulf %x, %c : SUM".replaceAll("SUM", SUM);
    const twoSteps = `${product}\n%d = arith.subf %y, %m : ${SUM}\n${half("%d")}`;
    const fused = `%c = arith.constant dense<-1.1> : ${SUM}\n%d = math.fma %x, %c, %y : ${SUM}\n${half("%d")}`;
    const small = Math.fround(-1e-5);
    const [x, y] = [[small], [Math.fround(small * Math.fround(1.1))]];
    const first = (body: string) => new Float32Array(ran(body, x, y).memory.contents("r", 4).buffer)[0];
    expect([twoSteps, fused].map(first)).toEqual([0, -0]);
    expect(agree(twoSteps, fused, x, y)).toBe(true);
    expect(agree(half("%x"), half("%y"), [0], [-0])).toBe(false);
  });
});

test("what is so uncertain that it says little is counted", () => {
  const body = `%d = arith.subf %x, %y : ${SUM}\n%v = math.exp %d : ${SUM}`;
  const run = ran(body, [1e6, 1], [1e6, 1]);
  expect(uncertain(run, run.bounds()).map(({ op, count, of }) => `${op.name} ${count} of ${of}`)).toEqual(["tt.store 1 of 8"]);
});

test("a product that rounds to zero leaves open what it adds: a fused multiply-add does not round it", () => {
  const least = 2 ** -149;
  const body = `%h = arith.constant dense<0.5> : ${SUM}\n%m = arith.mulf %x, %h : ${SUM}\n%v = arith.subf %x, %m : ${SUM}`;
  const [underflows, exact] = bounds(ran(body, [least, 0]));
  expect(underflows).toBeGreaterThanOrEqual(least);
  expect(exact).toBe(0);
});

test("what turns may be anywhere between -1 and 1 where its angle is off by a turn", () => {
  const of = (body: string) => bounds(ran(`%d = arith.subf %x, %y : ${SUM}\n${body}`, [1e6], [1e6 - 8]))[0]!;
  // 1e-5 of both is three turns and a bit.
  expect(of(`%v = math.sin %d : ${SUM}`)).toBeGreaterThanOrEqual(2);
  expect(of(`%v = math.cos %d : ${SUM}`)).toBeGreaterThanOrEqual(2);
  expect(of(`%v = math.tan %d : ${SUM}`)).toBe(Infinity);
});
