import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { stringOf } from "../ir/builtin-attrs.js";
import { Context } from "../ir/context.js";
import type { Value } from "../ir/value.js";
import { parseModule } from "../syntax/parse.js";
import { type AxisInfo, axisInfoText, gcd, highestPowOf2Divisor, MAX_DIVISOR, multiplyDivisor } from "./axis-info.js";
import { axisInfoOf } from "./axis-info-of-values.js";
import { ModuleAxisInfo } from "./module-axis-info.js";

const text = (info: AxisInfo): string => axisInfoText(info).replace(/, constant_value = <none>$/, "");

describe("of numbers, by the definition", () => {
  // The examples of the article that the project comes from (seed 002).
  const rows = [10, 11, 12, 13, 18, 19, 20, 21, 20, 21, 22, 23, 28, 29, 30, 31];
  const columns = [12, 16, 20, 24, 13, 17, 21, 25, 14, 18, 22, 26, 15, 19, 23, 27];
  test("contiguity and divisibility", () => {
    expect(axisInfoOf(rows, [2, 8])).toMatchObject({ contiguity: [1, 4], divisibility: [1, 2], constancy: [1, 1] });
    expect(axisInfoOf(columns, [4, 4])).toMatchObject({ contiguity: [4, 1], divisibility: [4, 1] });
    expect(axisInfoOf([...columns, 18, 22, 26, 30, 19, 23, 27, 31], [6, 4]).contiguity).toEqual([2, 1]);
  });
  test("constancy", () => {
    expect(axisInfoOf([8, 8, 8, 8, 12, 12, 12, 12, 16, 16, 16, 16, 20, 20, 20, 20], [2, 8]).constancy).toEqual([1, 4]);
  });
  test("the rule of addi is careful: it gives divisibility 1 where the sum has 2", () => {
    const lhs = axisInfoOf([1, 2, 3, 7, 8, 9], [6]);
    const rhs = axisInfoOf([1, 1, 1, 1, 1, 1], [6]);
    const sum = axisInfoOf([2, 3, 4, 8, 9, 10], [6]);
    expect(text(lhs)).toBe("contiguity = [3], divisibility = [1], constancy = [1]");
    expect(text(rhs)).toBe("contiguity = [1], divisibility = [1], constancy = [6], constant_value = 1");
    expect(text(sum)).toBe("contiguity = [3], divisibility = [2], constancy = [1]");
    expect(gcd(lhs.divisibility[0]!, rhs.divisibility[0]!)).toBe(1);
    expect(Math.max(gcd(lhs.contiguity[0]!, rhs.constancy[0]!), gcd(lhs.constancy[0]!, rhs.contiguity[0]!))).toBe(3);
  });
  test("zeros are divisible by anything", () => {
    expect(axisInfoOf([0, 0], [2])).toEqual({ contiguity: [1], divisibility: [MAX_DIVISOR], constancy: [2], constantValue: 0n });
  });
  test("divisors", () => {
    expect([highestPowOf2Divisor(24n), highestPowOf2Divisor(0n), highestPowOf2Divisor(-1n << 63n)]).toEqual([8, 2 ** 62, 2 ** 62]);
    expect([gcd(0, 6), gcd(6, 0, 5), gcd(12, 18, 4)]).toEqual([6, 6, 2]);
    expect([multiplyDivisor(4, 8), multiplyDivisor(2 ** 61, 4)]).toEqual([32, MAX_DIVISOR]);
  });
});

/** The AxisInfo of the named results, as `name: text`. */
function infos(source: string): Record<string, string> {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "test.mlir", source) ?? {};
  if (!module) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  const axes = new ModuleAxisInfo(module);
  const found: Record<string, string> = {};
  const note = (value: Value, name: string) => {
    const info = axes.get(value);
    if (info) found[name] = text(info);
  };
  module.walk((op) => {
    const name = op.attr("name");
    if (name) note(op.result(0), stringOf(name)!);
  });
  return found;
}

describe("of IR", () => {
  test("pointers count in bytes, offsets in elements", () => {
    const result = infos(`
      tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
        %0 = tt.make_range {end = 132 : i32, start = 4 : i32, name = "range"} : tensor<128xi32>
        %1 = tt.splat %p {name = "splat"} : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
        %2 = tt.addptr %1, %0 {name = "ptr"} : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
        tt.return
      }`);
    expect(result).toEqual({
      range: "contiguity = [128], divisibility = [4], constancy = [1]",
      splat: "contiguity = [1], divisibility = [16], constancy = [128]",
      ptr: "contiguity = [128], divisibility = [16], constancy = [1]",
    });
  });

  test("loops: what comes in and what is yielded, and the induction variable", () => {
    const result = infos(`
      tt.func public @f(%n: i32, %o: i32 {tt.divisibility = 32 : i32}) {
        %c0 = arith.constant 0 : i32
        %c8 = arith.constant 8 : i32
        %c16 = arith.constant 16 : i32
        %0 = scf.for %i = %c0 to %n step %c8 iter_args(%a = %o) -> (i32) : i32 {
          %1 = arith.addi %i, %c0 {name = "iv"} : i32
          %2 = arith.addi %a, %c16 {name = "next"} : i32
          scf.yield %2 : i32
        } {name = "loop"}
        tt.return
      }`);
    expect(result).toMatchObject({
      iv: "contiguity = [1], divisibility = [8], constancy = [1]",
      next: "contiguity = [1], divisibility = [16], constancy = [1]",
      loop: "contiguity = [1], divisibility = [16], constancy = [1]",
    });
  });

  test("callees know what all their callers hand over, and say so", () => {
    const source = `
      tt.func private @callee(%x: i32) {
        %c = arith.constant 4 : i32
        %0 = arith.muli %x, %c {name = "product"} : i32
        tt.return
      }
      tt.func public @f(%a: i32 {tt.divisibility = 16 : i32}, %b: i32 {tt.divisibility = 8 : i32}) {
        tt.call @callee(%a) : (i32) -> ()
        tt.call @callee(%b) : (i32) -> ()
        tt.return
      }`;
    expect(infos(source)["product"]).toBe("contiguity = [1], divisibility = [32], constancy = [1]");
  });

  test("hints override what follows from operands", () => {
    const result = infos(`
      tt.func public @f(%a: i32) {
        %0 = tt.splat %a {name = "s", tt.divisibility = dense<64> : tensor<1xi32>, tt.contiguity = 8 : i32} : i32 -> tensor<32xi32>
        tt.return
      }`);
    expect(result["s"]).toBe("contiguity = [8], divisibility = [64], constancy = [32]");
  });

  test("hints with too few numbers or too many say nothing more", () => {
    const result = infos(`
      tt.func public @f(%a: tensor<4x8xi32> {tt.divisibility = 16 : i32}) {
        %0 = arith.addi %a, %a {name = "few"} : tensor<4x8xi32>
        %1 = arith.addi %a, %a {name = "many", tt.divisibility = dense<8> : tensor<1000000000xi32>} : tensor<4x8xi32>
        tt.return
      }`);
    const ones = "contiguity = [1, 1], divisibility";
    expect(result["few"]).toBe(`${ones} = [16, 1], constancy = [1, 1]`);
    expect(result["many"]).toBe(`${ones} = [8, 8], constancy = [1, 1]`);
  });

  test("nothing is known where nothing is to be known", () => {
    const ctx = new Context(ALL_DIALECTS);
    ctx.pessimisticAxisInfo = true;
    const func =
      "tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {\n  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n  tt.return\n}";
    const module = parseModule(ctx, "f.mlir", func)!.module!;
    const axes = new ModuleAxisInfo(module);
    const values: Value[] = [];
    module.walk((op) => void values.push(...op.results, ...op.regions.flatMap((region) => region.firstBlock!.args)));
    const ones = "contiguity = [1], divisibility = [1], constancy = [1]";
    expect(values.map((value) => text(axes.getOrWorst(value)))).toEqual([ones, ones]);
  });
});
