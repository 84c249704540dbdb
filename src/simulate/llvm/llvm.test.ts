import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { cases, checkOutputs, made } from "../../testing/kernel-cases.js";
import { elementKind } from "../numbers/element.js";
import type { LaunchArgument } from "../ptx/run.js";
import { runLlvm } from "./run.js";

const folder = "fixtures/simulate/llvm";
const names = readdirSync(folder).map((f) => f.replace(".mlir.gz", ""));
const parse = (text: string) => {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "x.mlir", text);
  if (!parsed) throw new Error(ctx.diagnostics[0]?.message);
  return parsed.module;
};

test.each(names)("%s: the last LLVM dialect of real Triton computes what numpy does", (name) => {
  const c = cases.find((k) => k.case === name)!;
  const args = c.args.map(
    (a): LaunchArgument =>
      typeof a === "number"
        ? { kind: "scalar", value: a }
        : { kind: "buffer", spec: { name: a.name, element: elementKind(a.dtype)!, data: made(a) } },
  );
  const text = gunzipSync(readFileSync(`${folder}/${name}.mlir.gz`)).toString("latin1");
  const run = runLlvm(parse(text), { grid: c.grid, args, sharedBytes: c.shared }, "x.mlir");
  if ("error" in run) throw new Error(run.error);
  expect(run.findings).toEqual([]);
  checkOutputs(c, run.memory);
});

const kernel = (body: string, rest = "") => `module attributes {"ttg.shared" = 0 : i32} {
${rest}
  llvm.func @k(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 32>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
${body}
    llvm.return
  }
}
`;
function out(text: string, n = 0): number[] {
  const run = runLlvm(
    parse(text),
    {
      grid: [1, 1, 1],
      args: [
        { kind: "buffer", spec: { name: "out", element: "i32", data: new Uint8Array(128) } },
        { kind: "scalar", value: n },
      ],
    },
    "x.mlir",
  );
  if ("error" in run) throw new Error(run.error);
  expect(run.findings).toEqual([]);
  return [...new Int32Array(run.memory.contents("out", 128).buffer)];
}
const lanes = (f: (l: number) => number) => Array.from({ length: 32 }, (_, l) => f(l));

test("block arguments take their values at once; a switch; a call with an aggregate", () => {
  const text = kernel(
    `    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%zero, %one, %tid : i32, i32, i32)
  ^loop(%a: i32, %b: i32, %left: i32):
    %more = llvm.icmp "sgt" %left, %zero : i32
    %next = llvm.sub %left, %one : i32
    %sum = llvm.add %a, %b : i32
    llvm.cond_br %more, ^loop(%b, %sum, %next : i32, i32, i32), ^done
  ^done:
    %three = llvm.mlir.constant(3 : i32) : i32
    %kind = llvm.and %tid, %three : i32
    llvm.switch %kind : i32, ^other(%zero : i32) [
      1: ^other(%one : i32),
      2: ^other(%a : i32)
    ]
  ^other(%v: i32):
    %pair = llvm.call @pair(%v, %a) : (i32, i32) -> !llvm.struct<(i32, i8)>
    %x = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i8)>
    %y = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i8)>
    %w = llvm.sext %y : i8 to i32
    %r = llvm.add %x, %w : i32
    llvm.store %r, %at : i32, !llvm.ptr<1>`,
    `  llvm.func internal @pair(%a: i32, %b: i32) -> !llvm.struct<(i32, i8)> {
    %u = llvm.mlir.undef : !llvm.struct<(i32, i8)>
    %t = llvm.trunc %b : i32 to i8
    %n = llvm.sub %t, %t : i8
    %m = llvm.sub %n, %t : i8
    %0 = llvm.insertvalue %a, %u[0] : !llvm.struct<(i32, i8)>
    %1 = llvm.insertvalue %m, %0[1] : !llvm.struct<(i32, i8)>
    llvm.return %1 : !llvm.struct<(i32, i8)>
  }`,
  );
  const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));
  expect(out(text)).toEqual(lanes((l) => (l % 4 === 1 ? 1 : l % 4 === 2 ? fib(l) : 0) + ((-fib(l) << 24) >> 24)));
});

test("bits of vectors, selects of predicates, inline assembly with packed operands", () => {
  const text = kernel(`    %v = llvm.bitcast %tid : i32 to vector<4xi8>
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %b = llvm.extractelement %v[%i0 : i32] : vector<4xi8>
    %w = llvm.insertelement %b, %v[%i1 : i32] : vector<4xi8>
    %p = llvm.inline_asm asm_dialect = att operand_attrs = [] "{ .reg .b32 t; prmt.b32 t, $1, 0, 0x1100; mov.b32 $0, t; }", "=r,r" %w : (vector<4xi8>) -> vector<2xi16>
    %h = llvm.extractelement %p[%i1 : i32] : vector<2xi16>
    %x = llvm.zext %h : i16 to i32
    %odd = llvm.trunc %tid : i32 to i1
    %small = llvm.icmp "ult" %tid, %n : i32
    %c = llvm.select %odd, %small, %odd : i1, i1
    %k = llvm.zext %c : i1 to i32
    %thousand = llvm.mlir.constant(65536 : i32) : i32
    %kk = llvm.mul %k, %thousand : i32
    %r = llvm.add %x, %kk : i32
    llvm.store %r, %at : i32, !llvm.ptr<1>`);
  expect(out(text, 9)).toEqual(lanes((l) => l * 257 + (l % 2 === 1 && l < 9 ? 65536 : 0)));
});

test("remainders of floats have the sign of the dividend; of an infinite divisor they are the dividend", () => {
  const text = kernel(`    %x = llvm.sitofp %tid : i32 to f32
    %h = llvm.mlir.constant(-12.5 : f32) : f32
    %a = llvm.fadd %x, %h : f32
    %three = llvm.mlir.constant(3.0 : f32) : f32
    %inf = llvm.mlir.constant(0x7F800000 : f32) : f32
    %r = llvm.frem %a, %three : f32
    %s = llvm.frem %a, %inf : f32
    %t = llvm.fadd %r, %s : f32
    %two = llvm.mlir.constant(2.0 : f32) : f32
    %u = llvm.fmul %t, %two : f32
    %i = llvm.fptosi %u : f32 to i32
    llvm.store %i, %at : i32, !llvm.ptr<1>`);
  expect(out(text, 0)).toEqual(lanes((l) => 2 * (((l - 12.5) % 3) + l - 12.5)));
});

test("what cannot be executed says so when it is reached", () => {
  const text = kernel("    nvvm.breakpoint");
  const run = runLlvm(
    parse(text),
    {
      grid: [1, 1, 1],
      args: [
        { kind: "buffer", spec: { name: "out", element: "i32" } },
        { kind: "scalar", value: 0 },
      ],
    },
    "x.mlir",
  );
  expect("error" in run ? [] : run.findings).toMatchObject([{ kind: "not-modelled", site: expect.stringContaining("x.mlir:6:5") }]);
});

test("a kernel that waits for what nobody stores ends with who polls what", () => {
  const spins = (load: string) => {
    const text = kernel(`    %zero = llvm.mlir.constant(0 : i32) : i32
    llvm.br ^wait
  ^wait:
    %found = ${load}
    %go = llvm.icmp "eq" %found, %n : i32
    llvm.cond_br %go, ^done, ^wait
  ^done:`);
    const buffer = { kind: "buffer", spec: { name: "out", element: "i32", init: { kind: "zeros" } } } as const;
    const run = runLlvm(parse(text), { grid: [1, 1, 1], args: [buffer, { kind: "scalar", value: 7 }] }, "x.mlir");
    return "error" in run ? [run.error] : run.findings.map(({ kind, message }) => `${kind}: ${message}`);
  };
  const polls = expect.stringMatching(/^deadlock: .*polls .*0.*of 'out'/);
  expect(spins("llvm.load volatile %out : !llvm.ptr<1> -> i32")).toEqual([polls]);
  expect(spins("llvm.atomicrmw _or %out, %zero acq_rel : !llvm.ptr<1>, i32")).toEqual([polls]);
});
