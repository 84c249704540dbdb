import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";
import { launchOf, referenceOf } from "./lowered.js";
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
  test("what such a load finds, wherever it is stored", () => {
    const body = (between: string) =>
      `${RANGE}\n${at("x", "i32")}\n${at("y", "i32")}\ntt.store %xa, %i : tensor<16x!tt.ptr<i32>>\n${between}
%l = tt.load %xa : tensor<16x!tt.ptr<i32>>\ntt.store %ya, %l : tensor<16x!tt.ptr<i32>>`;
    const open = (between: string) => [...referenceOf(moduleOf("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>", body(between)), options).open];
    expect(open("")).toEqual(["arg0", "arg1"]);
    expect(open("gpu.barrier")).toEqual([]);
  });
  test("what lanes found that met in an atomic", () => {
    const zero = "%z = arith.constant dense<0> : tensor<16xi32>";
    const body = (index: string) =>
      `${RANGE}\n${zero}\n${at("x", "i32", index)}\n${at("y", "i32")}\n%a = tt.atomic_rmw add, acq_rel, gpu, %xa, %i : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16xi32>\ntt.store %ya, %a : tensor<16x!tt.ptr<i32>>`;
    const open = (index: string) => [...referenceOf(moduleOf("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>", body(index)), options).open];
    expect(open("%z")).toEqual(["arg1"]);
    expect(open("%i")).toEqual([]);
  });
  test("what assembly makes of elements that a layout packs together", () => {
    const body = (asm: string) =>
      `${RANGE}\n${at("x", "i8")}\n${at("y", "i8")}\n%l = tt.load %xa : tensor<16x!tt.ptr<i8>>
%v = tt.elementwise_inline_asm "${asm}" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %l : tensor<16xi8> -> tensor<16xi8>\ntt.store %ya, %v : tensor<16x!tt.ptr<i8>>`;
    const reference = (asm: string) => referenceOf(moduleOf("%x: !tt.ptr<i8>, %y: !tt.ptr<i8>", body(asm)), options);
    const mixed = reference("prmt.b32 $0, $1, $1, 0x0123;");
    expect([...mixed.open]).toEqual(["arg1"]);
    expect(mixed.run.findings.map((f) => `${f.severity} ${f.kind}`)).toEqual(["note layout-dependent"]);
    expect([...reference("not.b32 $0, $1;").open]).toEqual([]);
    expect([...reference("mov.u32 $0, %globaltimer_lo; add.u32 $0, $0, $1;").open]).toEqual(["arg1"]);
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
