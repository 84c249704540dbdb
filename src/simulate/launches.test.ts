import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { chooseLaunches } from "./launches.js";
import { affordableOf, Validator, validationText } from "./validate.js";

const moduleOf = (text: string) => parseModule(new Context(ALL_DIALECTS), "k.ttir", text)!.module;
/** Loads 64 integers of %a, and stores what `body` makes of %x through %q; masks compare with %n. */
const kernel = (body: string, other = "%zero") => `tt.func public @k(%a: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %five = arith.constant dense<5> : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %as = tt.splat %a : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ap = tt.addptr %as, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %ap, %m, ${other} : tensor<64x!tt.ptr<i32>>
  ${body}
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %qp = tt.addptr %qs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %qp, %y : tensor<64x!tt.ptr<i32>>
  tt.return
}
`;
const op = (name: string) => `%y = arith.${name} %x, %five : tensor<64xi32>`;

describe("what a kernel does with an array decides what it holds", () => {
  const valuesOf = (body: string) => {
    const [first] = chooseLaunches(moduleOf(kernel(body)), {}, () => undefined);
    const plan = first!.args[0]!;
    return plan.kind === "pointer" ? plan.init : undefined;
  };
  test.each([
    ["numbers can be any", op("addi"), { kind: "wide" }],
    [
      "addresses stay small",
      "%ip = tt.addptr %as, %x : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n  %y = tt.load %ip : tensor<64x!tt.ptr<i32>>",
      undefined,
    ],
    ["so do amounts", "%y = arith.shli %five, %x : tensor<64xi32>", undefined],
    [
      "counters start at 0",
      "%on = arith.cmpi eq, %zero, %zero : tensor<64xi32>\n  %y = tt.atomic_rmw add, relaxed, gpu, %ap, %five, %on : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>",
      undefined,
    ],
    ["divisors are not 0", "%y = arith.divsi %five, %x : tensor<64xi32>", { kind: "wide", use: "divisor" }],
    [
      "floats are numbers",
      "%f = tt.bitcast %x : tensor<64xi32> -> tensor<64xf32>\n  %y = arith.fptosi %f : tensor<64xf32> to tensor<64xi32>",
      { kind: "wide", use: "bits" },
    ],
  ])("%s", (_, body, init) => expect(valuesOf(body)).toEqual(init));
});

test("floats of which a function is taken are no denormals: GPUs may take those for zero", () => {
  const text = (op: string) => `tt.func public @k(%a: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %x = tt.load %a : !tt.ptr<f32>
  %y = math.${op} %x : f32
  tt.store %q, %y : !tt.ptr<f32>
  tt.return
}
`;
  const edges = (op: string) => chooseLaunches(moduleOf(text(op)), {}, () => undefined)[1]!.args[0];
  expect(edges("absf")).toMatchObject({ init: { kind: "edges" } });
  expect(edges("floor")).toMatchObject({ init: { kind: "edges", normal: true } });
});

test("nor are operands of products of f32, which may be products of narrower parts", () => {
  const square = "tensor<16x16xf32>";
  const text = `tt.func public @k(%a: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %x = tt.load %a : !tt.ptr<f32>
  %s = tt.splat %x : f32 -> ${square}
  %zero = arith.constant dense<0.0> : ${square}
  %y = tt.dot %s, %s, %zero, inputPrecision = tf32x3 : ${square} * ${square} -> ${square}
  %p = tt.splat %q : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %p, %y : tensor<16x16x!tt.ptr<f32>>
  tt.return
}`;
  const inits = chooseLaunches(moduleOf(text), {}, () => undefined).flatMap(({ args: [a] }) =>
    a?.kind === "pointer" && a.init ? [a.init] : [],
  );
  expect(inits.length).toBeGreaterThan(0);
  expect(inits.filter((init) => !("normal" in init))).toEqual([]);
});

test.each([false, true])("scales are NaN here and there, but not where a kernel promises that none is: fastMath = %s", (fastMath) => {
  const loads = (
    of: string,
    shape: string,
    kind: string,
  ) => `%${of}p = tt.splat %${of} : !tt.ptr<${kind}> -> tensor<${shape}x!tt.ptr<${kind}>>
  %${of}v = tt.load %${of}p : tensor<${shape}x!tt.ptr<${kind}>>`;
  const text = `tt.func public @k(%a: !tt.ptr<f8E4M3FN>, %s: !tt.ptr<i8>, %q: !tt.ptr<f32>) {
  ${loads("a", "32x32", "f8E4M3FN")}
  ${loads("s", "32x1", "i8")}
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %y = tt.dot_scaled %av scale %sv, %av scale %sv, %zero lhs = e4m3 rhs = e4m3 {fastMath = ${fastMath}} : tensor<32x32xf8E4M3FN>, tensor<32x1xi8> * tensor<32x32xf8E4M3FN>, tensor<32x1xi8> -> tensor<32x32xf32>
  %p = tt.splat %q : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f32>>
  tt.return
}`;
  const inits = chooseLaunches(moduleOf(text), {}, () => undefined).map(({ args }) =>
    args[1]?.kind === "pointer" ? args[1].init : undefined,
  );
  expect(inits.every((init) => init?.kind === "range")).toBe(true);
  expect(inits.some((init) => init && "rate" in init)).toBe(!fastMath);
});

test("where a loop had no round, memory that it would have filled may be read", () => {
  const text = `tt.func public @k(%a: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %q, %i : !tt.ptr<i32>
  }
  tt.return
}`;
  const launches = chooseLaunches(moduleOf(text), {}, () => undefined);
  const rounds = launches.map(({ args }) => args[2]).map((n) => (n?.kind === "scalar" ? n.value : undefined));
  expect(new Set(rounds.map((n) => n === 0))).toEqual(new Set([true, false]));
  expect(launches.map(({ ignore }) => ignore.has("unwritten-shared"))).toEqual(rounds.map((n) => n === 0));
});

describe("faults that small, whole and positive values hide", () => {
  const found = (source: string, faulty: string) => {
    const validator = new Validator();
    validator.begin(moduleOf(source));
    validator.check("same", moduleOf(source));
    expect(validator.outcome.broken).toEqual([]);
    validator.check("faulty", moduleOf(faulty));
    return validator.outcome.broken[0]?.message;
  };
  test.each([
    ["signed as unsigned", kernel(op("divsi")), kernel(op("divui"))],
    ["an arithmetic shift as a logical one", kernel(op("shrsi")), kernel(op("shrui"))],
    ["a maximum without sign", kernel(op("maxsi")), kernel(op("maxui"))],
    ["another value where the mask is off", kernel(op("addi")), kernel(op("addi"), "%five")],
  ])("%s", (_, source, faulty) => expect(found(source, faulty)).toMatch(/^byte \d+ of 'arg1' \(i32/));

  const LOOP = (body: string, kind = "f32") => `tt.func public @k(%a: !tt.ptr<${kind}>, %q: !tt.ptr<${kind}>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.000000e+00 : ${kind}
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (${kind}) : i32 {
    %ap = tt.addptr %a, %i : !tt.ptr<${kind}>, i32
    %x = tt.load %ap : !tt.ptr<${kind}>
    ${body}
    scf.yield %y : ${kind}
  }
  tt.store %q, %s : !tt.ptr<${kind}>
  tt.return
}
`;
  test("NaN and infinities are among floats where some results stay finite", () => {
    const clamp = (name: string) => `tt.func public @k(%a: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0.000000e+00> : tensor<64xf32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %ap : tensor<64x!tt.ptr<f32>>
  %y = arith.${name} %x, %zero : tensor<64xf32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qp = tt.addptr %qs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %qp, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
`;
    expect(found(clamp("maximumf"), clamp("maxnumf"))).toMatch(/NaN before, 0 after/);
  });
  test("loops run 0, 1, 2 and more times", () => {
    const launches = chooseLaunches(moduleOf(LOOP("%y = arith.addf %acc, %x : f32")), {}, () => undefined);
    const trips = launches.map(({ args }) => args[2]!).map((n) => (n.kind === "scalar" ? Number(n.value) : NaN));
    expect(new Set(trips)).toEqual(new Set([0, 1, 2, 5]));
  });
});

test("masks that were never off, and sides that were never taken, are noted", () => {
  const text = kernel(`%c = arith.cmpi sge, %n, %nought : i32
  scf.if %c {
    tt.store %q, %n : !tt.ptr<i32>
  }
  %all = arith.cmpi sge, %r, %zero : tensor<64xi32>
  %y = tt.load %ap, %all : tensor<64x!tt.ptr<i32>>`).replace("%r =", "%nought = arith.constant 0 : i32\n  %r =");
  const validator = new Validator();
  validator.begin(moduleOf(text));
  expect(validationText(validator.outcome)).toMatch(
    /^validate: note: never off: the mask of tt.load at k.ttir:16:8\nvalidate: note: one side never taken: scf.if at k.ttir:12:3 \(always true\)\n/,
  );
});

test("strides of a descriptor are multiples of 16 bytes", () => {
  const text = `tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %stride = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%stride, %one] : <f16>, <tensor<32x32xf16>>
  %x = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<tensor<32x32xf16>> -> tensor<32x32xf16>
  tt.descriptor_store %d[%zero, %zero], %x : !tt.tensordesc<tensor<32x32xf16>>, tensor<32x32xf16>
  tt.return
}
`;
  const sizes = chooseLaunches(moduleOf(text), {}, () => undefined).map(({ args }) =>
    args.slice(1).map((arg) => arg.kind === "scalar" && arg.value),
  );
  expect(sizes.length).toBeGreaterThan(2);
  for (const [, n] of sizes) expect(Number(n) % 8).toBe(0);
  expect(sizes.some(([m]) => Number(m) % 8 !== 0)).toBe(true);
});

test("arrays are aligned as the kernel is compiled for, and no more", () => {
  const text = `tt.func public @k(%p: !tt.ptr<i32> {tt.divisibility = 32 : i32}, %q: !tt.ptr<i32>) {
  %four = arith.constant 4 : i32
  %next = tt.addptr %q, %four : !tt.ptr<i32>, i32
  %x = tt.load %p : !tt.ptr<i32>
  tt.store %next, %x : !tt.ptr<i32>
  tt.return
}
`;
  const addresses = chooseLaunches(moduleOf(text), {}, () => undefined)[0]!.run.memory.buffers.map(({ address }) => address % 2 ** 20);
  expect(addresses).toEqual([32, 16]);
  const found = (op: string) => {
    const validator = new Validator();
    validator.begin(moduleOf(text));
    const ptx = `.version 8.7
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 1 p, .param .u64 .ptr .global .align 1 q)
.reqntid 32
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [p];
  ld.param.b64 %rd2, [q];
  ${op} %rd3, %rd2, 16;
  ld.global.b32 %r1, [%rd1];
  st.global.b32 [%rd3], %r1;
  ret;
}
`;
    validator.checkPtx(ptx, undefined);
    return validator.outcome.broken.map(({ message }) => message);
  };
  expect(found("add.s64")).toEqual([]);
  expect(found("or.b64")).toEqual([expect.stringContaining("byte 0 of 'arg1'")]);
});

describe("--seconds bounds all of a validation", () => {
  test("launches that take too long together are left out", () => {
    const launches = (...steps: number[]) => steps.map((n, i) => ({ run: { steps: n, memory: { numPages: 0 } }, lowered: i !== 1 }));
    const kept = (...steps: number[]) => affordableOf(launches(...steps), 150 * 60_000).map(({ run }) => run.steps);
    expect(kept(43_010, 43_010, 7806, 16_162, 6096)).toEqual([43_010, 7806, 6096]);
    expect(kept(200_000, 10, 90_000)).toEqual([90_000]);
  });
  const SUM = `tt.func public @k(%a: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 1200 : i32
  %pid = tt.get_program_id x : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  %qp = tt.addptr %q, %pid : !tt.ptr<i32>, i32
  tt.store %qp, %s : !tt.ptr<i32>
  tt.return
}
`;
  test("programs, launches and results of passes are left out, and a note says how many", () => {
    const leftOut = (seconds: number) => {
      const validator = new Validator({ seconds, grid: [9] }, { tritonIr: 12, lowered: 0 });
      validator.begin(moduleOf(SUM));
      for (let i = 0; i < 11; i++) validator.check(`same${i}`, moduleOf(SUM));
      validator.check("faulty", moduleOf(SUM.replace("arith.addi", "arith.ori")));
      const { outcome } = validator;
      return { text: validationText(outcome), suspects: outcome.broken[0]?.suspects };
    };
    const enough = leftOut(20);
    expect(enough.text).not.toContain("no time");
    expect(enough.suspects).toEqual(["faulty"]);
    const short = leftOut(0.5);
    expect(short.text).toContain("note: no time for 2 of 3 programs, 1 of 2 launches, 9 of 12 results; --seconds allows more");
    expect(short.suspects).toEqual(["same6", "same7", "same8", "same9", "same10", "faulty"]);
  });
});

test("code that needs more shared memory than a CTA of the target has is not executed", () => {
  const validator = new Validator({ target: "cuda:90" });
  validator.begin(moduleOf(kernel(op("addi"))));
  validator.checkPtx("", 300_000);
  const reason = "it needs 300000 bytes of shared memory, and a CTA of cuda:90 has at most 232448";
  expect(validator.outcome).toMatchObject({ broken: [], notExecuted: [{ pass: "ptx", reason }] });
});

test("nothing is said of passes where the source was stopped before its end", () => {
  const validator = new Validator({ limits: { maxSteps: 5 } });
  const module = moduleOf(kernel(op("addi")));
  validator.begin(module);
  validator.check("cse", module);
  expect(validator.outcome).toMatchObject({
    broken: [],
    passes: [],
    notExecuted: [{ pass: "cse", reason: "the source was stopped before its end" }],
  });
  expect(validationText(validator.outcome)).toMatch(/kernel itself: limit: .*\n.*; no result of a pass was executed/);
});
