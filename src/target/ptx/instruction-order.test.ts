import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("values of which many would be needed at once", () => {
  const sums = (count: number, between = ""): string[] => {
    const load = (i: number) => `
      %o${i} = llvm.mlir.constant(${i} : i32) : i32
      %p${i} = llvm.getelementptr %arg1[%o${i}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %v${i} = llvm.load %p${i} : !llvm.ptr<3> -> f32`;
    const all = Array.from({ length: count }, (_, i) => i);
    const body = `${all.map(load).join("")}${between}
      ${all.map((i) => `%s${i} = llvm.fadd ${i === 0 ? "%arg2" : `%s${i - 1}`}, %v${i} : f32`).join("\n")}
      llvm.store %s${count - 1}, %arg0 : f32, !llvm.ptr<1>`;
    const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<3>, %arg2: f32", body));
    return lines.filter((l) => /^(ld\.shared|add\.f32)/.test(l)).map((l) => l.slice(0, 2));
  };
  test("are loaded when they are needed", () => {
    for (const count of [100, 300]) expect(sums(count).join(" ")).toMatch(new RegExp(`^(ld ad ?){${count}}$`));
  });
  test("stay in the program's order where they are few", () => {
    expect(sums(60)).toEqual([...Array(60).fill("ld"), ...Array(60).fill("ad")]);
  });
  test("are loaded before what may change them", () => {
    const store = "\nllvm.store volatile %arg2, %arg0 : f32, !llvm.ptr<1>";
    expect(sums(300, store)).toEqual([...Array(300).fill("ld"), ...Array(300).fill("ad")]);
  });
});

test("sums of products whose factors do not fit get a product each in turn, every other round backwards", () => {
  const order = (count: number): (readonly [row: number, round: number])[] => {
    const rows = Array.from({ length: count }, (_, i) => i);
    const body = `
      ${rows.map((i) => [0, 1].map((k) => `%x${i}_${k} = llvm.load volatile %arg1 : !llvm.ptr<3> -> f32`).join("\n")).join("\n")}
      ${rows.map((i) => `%m${i} = llvm.fmul %x${i}_0, %arg2 : f32\n%s${i} = llvm.fadd %m${i}, %arg2 : f32`).join("\n")}
      ${rows.map((i) => `%n${i} = llvm.fmul %x${i}_1, %arg2 : f32\n%t${i} = llvm.fadd %n${i}, %s${i} : f32`).join("\n")}
      ${rows.map((i) => `llvm.store volatile %t${i}, %arg0 : f32, !llvm.ptr<1>`).join("\n")}`;
    const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<3>, %arg2: f32", body));
    const loaded = lines.flatMap((l) => /^ld\.volatile\.shared\.b32 (%r\d+),/.exec(l)?.[1] ?? []);
    const factors = lines.filter((l) => l.startsWith("fma")).map((l) => l.match(/%r\d+/g)!.find((name) => loaded.includes(name))!);
    return factors.map((factor) => [loaded.indexOf(factor) >> 1, loaded.indexOf(factor) % 2]);
  };
  const rows = Array.from({ length: 150 }, (_, i) => i);
  expect(order(150)).toEqual([...rows.map((row) => [row, 0]), ...rows.toReversed().map((row) => [row, 1])]);
});

test("sums of products keep the program's order where rounds would need all values that are loaded in between at once", () => {
  const rows = Array.from({ length: 260 }, (_, i) => i);
  const body = `
    ${rows.map((i) => `%x${i} = llvm.load volatile %arg1 : !llvm.ptr<3> -> f32`).join("\n")}
    ${rows
      .map(
        (i) => `%c${i} = llvm.mlir.constant(${i} : i32) : i32
          %p${i} = llvm.getelementptr %arg3[%c${i}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
          %y${i} = llvm.load %p${i} : !llvm.ptr<3> -> f32
          %m${i} = llvm.fmul %x${i}, %y${i} : f32
          %s${i} = llvm.fadd %m${i}, %arg2 : f32`,
      )
      .join("\n")}
    ${rows.map((i) => `llvm.store volatile %s${i}, %arg0 : f32, !llvm.ptr<1>`).join("\n")}`;
  const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<3>, %arg2: f32, %arg3: !llvm.ptr<3>", body));
  const kinds = lines.flatMap((line) => /^(ld\.shared|fma)/.exec(line)?.[1] ?? []);
  expect(kinds).toHaveLength(2 * rows.length);
  expect(kinds.indexOf("fma")).toBeLessThan(10);
});

test("of lanes that are computed side by side, each is computed on its own where they need fewer registers so", () => {
  const [LANES, ROUNDS] = [16, 3];
  const lanes = Array.from({ length: LANES }, (_, i) => i);
  /** A round of a random number generator: a product's two halves, each mixed with a word and the key. */
  const round = (r: number) => {
    const each = (line: (i: number) => string) => lanes.map(line).join("\n");
    return [
      each((i) => `%w${r}_${i} = llvm.zext %a${r}_${i} : i32 to i64`),
      each((i) => `%m${r}_${i} = llvm.mul %w${r}_${i}, %factor : i64`),
      each((i) => `%s${r}_${i} = llvm.lshr %m${r}_${i}, %c32 : i64`),
      each((i) => `%h${r}_${i} = llvm.trunc %s${r}_${i} : i64 to i32`),
      each((i) => `%l${r}_${i} = llvm.trunc %m${r}_${i} : i64 to i32`),
      each((i) => `%a${r + 1}_${i} = llvm.xor %h${r}_${i}, %b${r}_${i} : i32`),
      each((i) => `%b${r + 1}_${i} = llvm.xor %l${r}_${i}, %d${r}_${i} : i32`),
      each((i) => `%d${r + 1}_${i} = llvm.xor %l${r}_${i}, %key : i32`),
    ].join("\n");
  };
  const body = `
      %c32 = llvm.mlir.constant(32 : i64) : i64
      %factor = llvm.mlir.constant(3528531795 : i64) : i64
      ${lanes.map((i) => `%n${i} = llvm.mlir.constant(${7 * i} : i32) : i32\n%a0_${i} = llvm.add %x, %n${i} : i32`).join("\n")}
      ${lanes.map((i) => `%b0_${i} = llvm.xor %a0_${i}, %key : i32\n%d0_${i} = llvm.mul %a0_${i}, %key : i32`).join("\n")}
      ${Array.from({ length: ROUNDS }, (_, r) => round(r)).join("\n")}
      ${lanes.map((i) => `%o${i} = llvm.xor %a${ROUNDS}_${i}, %b${ROUNDS}_${i} : i32\n%q${i} = llvm.xor %o${i}, %d${ROUNDS}_${i} : i32`).join("\n")}
      ${lanes.map((i) => `llvm.store volatile %q${i}, %arg0 : i32, !llvm.ptr<1>`).join("\n")}`;
  const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %x: i32, %key: i32", body));
  const stored = lines.flatMap((l) => /^st\..*, (%r\d+);/.exec(l)?.[1] ?? []);
  const before = (name: string) => lines.findIndex((l) => l.includes(` ${name},`));
  const products = stored.map((name) => lines.slice(0, before(name)).filter((l) => l.startsWith("mul.lo.s64")).length);
  expect(products).toEqual(lanes.map((i) => ROUNDS * (i + 1)));
});

test("in a loop, offsets of one value are made where they are needed, and a count that it goes on with where the program has it", () => {
  const body = `
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c8 = llvm.mlir.constant(8 : i32) : i32
      llvm.br ^bb1(%a : i32)
    ^bb1(%i: i32):
      %next = llvm.add %i, %c1 : i32
      %n = llvm.mul %i, %a : i32
      %o1 = llvm.add %n, %c1 : i32
      %o8 = llvm.add %n, %c8 : i32
      llvm.store volatile %n, %arg0 : i32, !llvm.ptr<1>
      llvm.store volatile %o1, %arg0 : i32, !llvm.ptr<1>
      llvm.store volatile %o8, %arg0 : i32, !llvm.ptr<1>
      llvm.br ^bb1(%next : i32)`;
  const lines = instructions(`(%arg0: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel = 1 : ui1} {${body}\n}`);
  const loop = lines.slice(lines.findIndex((l) => l.startsWith("mul"))).map((l) => l.split(/[. ]/)[0]);
  expect(loop).toEqual(["mul", "st", "add", "st", "add", "st", "mov", "bra"]);
});

test("conversions to the halves of a register come where the program converts", () => {
  const body = `
      %i = llvm.mlir.constant(0 : i32) : i32
      %j = llvm.mlir.constant(1 : i32) : i32
      %none = llvm.mlir.undef : vector<2xf16>
      %a = llvm.fptrunc %x : f32 to f16
      %b = llvm.fptrunc %y : f32 to f16
      llvm.store volatile %x, %arg0 : f32, !llvm.ptr<1>
      %low = llvm.insertelement %a, %none[%i : i32] : vector<2xf16>
      %both = llvm.insertelement %b, %low[%j : i32] : vector<2xf16>
      llvm.store volatile %both, %arg0 : vector<2xf16>, !llvm.ptr<1>`;
  const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %x: f32, %y: f32", body));
  expect(lines.map((l) => l.split(" ")[0]).filter((name) => /^(cvt|st)/.test(name!))).toEqual([
    "cvt.rn.f16x2.f32",
    "st.volatile.global.b32",
    "st.volatile.global.b32",
  ]);
});
