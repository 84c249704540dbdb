import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import type { Attribute } from "../../ir/attribute.js";
import { Context } from "../../ir/context.js";
import { fileLoc, nameLoc } from "../../ir/location.js";
import { parsePtx } from "../../ptx/parse.js";
import { parseModule } from "../../syntax/parse.js";
import { Graph, type Node, operationOf, valueOf } from "./graph.js";
import { LocTable } from "./lines.js";
import { Simplifier } from "./simplify.js";
import { type PtxOptions, ptxText } from "./translate.js";

const OPTIONS: PtxOptions = { capability: 80, version: 87, fusion: true, reflectFtz: true };
function translate(text: string, options: Partial<PtxOptions> = {}): string {
  const made = ptxText(parseModule(new Context(ALL_DIALECTS), "x.mlir", text)!.module, { ...OPTIONS, ...options });
  if (!("text" in made)) throw new Error(made.problems.map((p) => p.message).join("\n"));
  return made.text;
}
/** The instructions of the only function, without declarations. */
function instructions(body: string, options: Partial<PtxOptions> = {}): string[] {
  const text = translate(`llvm.func @f${body}`, options);
  const lines = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}")).split("\n");
  return lines.map((l) => l.trim().replace(" \t", " ")).filter((l) => l !== "" && !l.startsWith(".reg"));
}
const kernel = (args: string, body: string): string =>
  `(${args}) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {${body}\nllvm.return\n}`;

describe("every kernel", () => {
  test.each(readdirSync("fixtures/target").filter((f) => f.endsWith(".mlir")))("%s parses, and is the same twice", (file) => {
    const text = readFileSync(`fixtures/target/${file}`, "latin1");
    const capability = Number(/sm(\d+)/.exec(file)![1]);
    const made = translate(text, { capability });
    expect(parsePtx(made).diagnostics).toEqual([]);
    expect(translate(text, { capability })).toBe(made);
  });
  test("vecadd, as a whole", async () => {
    const made = translate(readFileSync("fixtures/target/vecadd_f32-sm80.mlir", "latin1"));
    await expect(made).toMatchFileSnapshot("../../../snapshots/target/vecadd_f32-sm80.ptx");
  });
});

test("a tensor map of the host's is a parameter itself", () => {
  const text = translate(
    `llvm.func @f${kernel(
      "%arg0: !llvm.ptr {llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg1: !llvm.ptr<1>",
      "%0 = llvm.ptrtoint %arg0 : !llvm.ptr to i64\n llvm.store %0, %arg1 : i64, !llvm.ptr<1>",
    )}`,
  );
  expect(text).toContain(".param .align 64 .b8 f_param_0[128],\n\t.param .u64 .ptr .global .align 1 f_param_1\n");
  expect(text).toMatch(/mov\.b64 \t(%rd\d), f_param_0;\n\tcvta\.param\.u64 \t%rd\d, \1;/);
});
test("index arithmetic of threads becomes shifts and masks", () => {
  expect(
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>",
        `%c5 = llvm.mlir.constant(5 : i32) : i32
         %c32 = llvm.mlir.constant(32 : i32) : i32
         %c127 = llvm.mlir.constant(127 : i32) : i32
         %0 = nvvm.read.ptx.sreg.tid.x : i32
         %1 = llvm.and %0, %c127 : i32
         %2 = llvm.urem %1, %c32 : i32
         %3 = llvm.udiv %1, %c32 : i32
         %4 = llvm.shl %3, %c5 : i32
         %5 = llvm.or disjoint %2, %4 : i32
         %6 = llvm.getelementptr %arg0[%5] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
         llvm.store %5, %6 : i32, !llvm.ptr<1>`,
      ),
    ),
  ).toEqual([
    "mov.u32 %r1, %tid.x;",
    "ld.param.b64 %rd1, [f_param_0];",
    "mad.wide.u32 %rd2, %r1, 4, %rd1;",
    "st.global.b32 [%rd2], %r1;",
    "ret;",
  ]);
});

test("products and sums are fused, unless that is switched off", () => {
  const body = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: f32, %arg2: f32, %arg3: f32",
    `%0 = llvm.fmul %arg1, %arg2 : f32
     %1 = llvm.fadd %0, %arg3 : f32
     llvm.store %1, %arg0 : f32, !llvm.ptr<1>`,
  );
  expect(instructions(body).filter((l) => /^(fma|mul|add)/.test(l))).toEqual(["fma.rn.f32 %r4, %r1, %r2, %r3;"]);
  expect(instructions(body, { fusion: false }).filter((l) => /^(fma|mul|add)/.test(l))).toEqual([
    "mul.rn.f32 %r3, %r1, %r2;",
    "add.rn.f32 %r5, %r4, %r3;",
  ]);
});

test("a loop's values share the phis' registers; cycles go through one more", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32, %arg3: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %c1 = llvm.mlir.constant(1 : i32) : i32
       llvm.br ^bb1(%c0, %arg1, %arg2 : i32, i32, i32)
     ^bb1(%i: i32, %a: i32, %b: i32):
       %n = llvm.add %i, %c1 : i32
       llvm.store %a, %arg0 : i32, !llvm.ptr<1>
       %d = llvm.icmp "slt" %n, %arg3 : i32
       llvm.cond_br %d, ^bb1(%n, %b, %a : i32, i32, i32), ^bb2
     ^bb2:`,
    ),
  );
  const moves = lines.filter((l) => l.startsWith("mov.b32")).map((l) => /(%r\d+), (\S+);/.exec(l)!.slice(1));
  const [zero, saved, first, second] = moves;
  expect(moves).toHaveLength(4);
  expect(lines).toContain(`add.s32 ${zero![0]}, ${zero![0]}, 1;`);
  expect([first![0], second]).toEqual([saved![1], [first![1], saved![0]]]);
});

test("values share no register while both are needed", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32",
      `%0 = llvm.inline_asm asm_dialect = att operand_attrs = [] "add.u32 $0, $0, 1; add.u32 $1, $1, $4;", "=r,=r,0,1,r" %arg1, %arg2, %arg2 : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
       %1 = llvm.extractvalue %0[0] : !llvm.struct<(i32, i32)>
       %2 = llvm.extractvalue %0[1] : !llvm.struct<(i32, i32)>
       llvm.store %1, %arg0 : i32, !llvm.ptr<1>
       llvm.store %2, %arg0 : i32, !llvm.ptr<1>
       llvm.store %arg1, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  // %arg1 is stored as well, and %arg2 is read by the second addition.
  expect(lines.slice(2, 7)).toEqual([
    "mov.b32 %r3, %r1;",
    "mov.b32 %r4, %r2;",
    "// begin inline asm",
    "add.u32 %r3, %r3, 1; add.u32 %r4, %r4, %r2;",
    "// end inline asm",
  ]);
});

test("sums take products of their own block; of two the earlier one", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: f32, %arg2: f32, %arg3: i1",
      `%0 = llvm.load %arg0 : !llvm.ptr<1> -> f32
       %1 = llvm.load %arg0 {volatile_} : !llvm.ptr<1> -> f32
       %2 = llvm.fmul %1, %arg1 : f32
       %3 = llvm.fmul %0, %arg2 : f32
       %4 = llvm.fadd %2, %3 : f32
       llvm.store %4, %arg0 : f32, !llvm.ptr<1>
       llvm.cond_br %arg3, ^bb1, ^bb2
     ^bb1:
       %5 = llvm.fadd %2, %arg1 : f32
       llvm.store %5, %arg0 : f32, !llvm.ptr<1>
       llvm.br ^bb2
     ^bb2:`,
    ),
  );
  const float = lines.filter((l) => l.includes(".f32"));
  expect(float.map((l) => l.split(" ")[0])).toEqual(["mul.f32", "fma.rn.f32", "add.f32"]);
  const loaded = lines.filter((l) => l.startsWith("ld.global") || l.startsWith("ld.volatile")).map((l) => /%r\d+/.exec(l)![0]);
  expect(float[1]).toContain(`, ${loaded[0]}, `);
});

describe("words that are put together from bytes", () => {
  const moves = (body: string): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %a: i32, %b: i32, %c: i32, %d: i32",
        `%c8 = llvm.mlir.constant(8 : i32) : i32
         %c16 = llvm.mlir.constant(16 : i32) : i32
         %c24 = llvm.mlir.constant(24 : i32) : i32
         %c255 = llvm.mlir.constant(255 : i32) : i32
         ${body}
         llvm.store %x, %arg0 : i32, !llvm.ptr<1>`,
      ),
    ).filter((l) => !/^(ld|st|ret)/.test(l));
  test("are three permutations for four words", () => {
    const body = `
      %0 = llvm.trunc %a : i32 to i8
      %1 = llvm.trunc %b : i32 to i8
      %2 = llvm.trunc %c : i32 to i8
      %3 = llvm.trunc %d : i32 to i8
      %i0 = llvm.mlir.constant(0 : i32) : i32
      %i1 = llvm.mlir.constant(1 : i32) : i32
      %i2 = llvm.mlir.constant(2 : i32) : i32
      %i3 = llvm.mlir.constant(3 : i32) : i32
      %u = llvm.mlir.undef : vector<4xi8>
      %v0 = llvm.insertelement %0, %u[%i0 : i32] : vector<4xi8>
      %v1 = llvm.insertelement %1, %v0[%i1 : i32] : vector<4xi8>
      %v2 = llvm.insertelement %2, %v1[%i2 : i32] : vector<4xi8>
      %v3 = llvm.insertelement %3, %v2[%i3 : i32] : vector<4xi8>
      %x = llvm.bitcast %v3 : vector<4xi8> to i32`;
    expect(moves(body).map((l) => l.replace(/%r\d+/g, "R"))).toEqual([
      "prmt.b32 R, R, R, 64;",
      "prmt.b32 R, R, R, 64;",
      `prmt.b32 R, R, R, ${0x5410};`,
    ]);
  });
  test("are one for a byte with its sign, one for a byte without", () => {
    const signed = "%0 = llvm.shl %a, %c16 : i32\n%x = llvm.ashr %0, %c24 : i32";
    expect(moves(signed)).toEqual([`prmt.b32 %r2, %r1, 0, ${0x9991};`]);
    const unsigned = "%0 = llvm.lshr %a, %c8 : i32\n%x = llvm.and %0, %c255 : i32";
    expect(moves(unsigned)).toEqual([`prmt.b32 %r2, %r1, 0, ${0x4441};`]);
  });
  test("stay shifts and masks where those are needed anyway", () => {
    const body = `
      %0 = llvm.lshr %a, %c8 : i32
      llvm.store %0, %arg0 : i32, !llvm.ptr<1>
      %x = llvm.and %0, %c255 : i32`;
    expect(moves(body).map((l) => l.split(" ")[0])).toEqual(["shr.u32", "and.b32"]);
  });
});

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

test("what a target lacks is done by other means", () => {
  const body = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: bf16, %arg2: bf16",
    `%0 = llvm.fadd %arg1, %arg2 : bf16
     llvm.store %0, %arg0 : bf16, !llvm.ptr<1>`,
  );
  const used = (capability: number) =>
    instructions(body, { capability })
      .filter((l) => /(^|\.)(add|fma)\S*(bf16|f32) /.test(l))
      .map((l) => l.split(" ")[0]);
  expect(used(90)).toEqual(["add.bf16"]);
  expect(used(80)).toEqual(["fma.rn.bf16"]);
  expect(used(75)).toEqual(["add.f32"]);
});

test("a float becomes an integer of 16 bits or more in one instruction, which clamps to that width", () => {
  const used = (from: string, to: string, signed = true) =>
    instructions(
      kernel(
        `%arg0: !llvm.ptr<1>, %arg1: ${from}`,
        `%0 = llvm.fpto${signed ? "s" : "u"}i %arg1 : ${from} to ${to}\nllvm.store %0, %arg0 : ${to}, !llvm.ptr<1>`,
      ),
    ).flatMap((l) => /^cvt\.rzi\S*/.exec(l) ?? []);
  expect(used("f32", "i8")).toEqual(["cvt.rzi.s16.f32"]);
  expect(used("f32", "i16", false)).toEqual(["cvt.rzi.u16.f32"]);
  expect(used("f64", "i32")).toEqual(["cvt.rzi.s32.f64"]);
  const widened = "%0 = llvm.fpext %arg1 : f16 to f32\n%1 = llvm.fptosi %0 : f32 to i64\nllvm.store %1, %arg0 : i64, !llvm.ptr<1>";
  expect(instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: f16", widened)).filter((l) => /^cvt/.test(l))[0]).toMatch(/^cvt\.rzi\.s64\.f16 /);
});

test("inline assembly gets its operands; a tied input that the text does not name is in the result's register", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32",
      `%0 = llvm.inline_asm asm_dialect = att operand_attrs = [] "add.u32 $0, $0, 1; // $$", "=r,0" %arg1 : (i32) -> i32
       llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  expect(lines).toEqual([
    "ld.param.b32 %r1, [f_param_1];",
    "// begin inline asm",
    "add.u32 %r1, %r1, 1; // $",
    "// end inline asm",
    "ld.param.b64 %rd1, [f_param_0];",
    "st.global.b32 [%rd1], %r1;",
    "ret;",
  ]);
});

test("an op without PTX is told with its place", () => {
  const parsed = parseModule(new Context(ALL_DIALECTS), "x.mlir", "llvm.func @f(%arg0: vector<2xi48>) {\n  llvm.return\n}\n")!;
  expect(ptxText(parsed.module, OPTIONS)).toMatchObject({ text: expect.not.stringContaining(".func") });
  const kernelOp = parseModule(
    new Context(ALL_DIALECTS),
    "x.mlir",
    "llvm.func @f(%arg0: f64) attributes {nvvm.kernel = 1 : ui1} {\n  %0 = llvm.intr.exp2(%arg0) : (f64) -> f64\n  llvm.return\n}\n",
  )!;
  expect(ptxText(kernelOp.module, OPTIONS)).toMatchObject({ problems: [{ message: "'llvm.exp2.f64' has no PTX" }] });
});

test("what is chosen of a value and one that may be anything is the value", () => {
  const chosen = (then: string, other: string): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i1",
        `%any = llvm.mlir.poison : i32
         %zero = llvm.mlir.constant(0 : i32) : i32
         %0 = llvm.select %arg2, ${then}, ${other} : i1, i32
         llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
      ),
    ).filter((line) => /^(selp|st)/.test(line));
  expect(chosen("%arg1", "%any")).toEqual(["st.global.b32 [%rd1], %r1;"]);
  expect(chosen("%any", "%arg1")).toEqual(["st.global.b32 [%rd1], %r1;"]);
  expect(chosen("%arg1", "%zero")[0]).toMatch(/^selp/);
});

describe("values that occur in one another", () => {
  const s = new Simplifier(new Graph(), true);
  const [x, y, z] = ["%clock", "%clock_hi", "%ntid.x"].map((register) =>
    s.graph.pure("special", 32, [], { register, most: undefined }),
  ) as [Node, Node, Node];
  test("leave of two operations on bits one, or none", () => {
    expect(s.xor(x, s.xor(y, x))).toBe(y);
    expect(s.and(s.or(x, y), x)).toBe(x);
    expect(s.or(y, s.and(x, y))).toBe(y);
    expect(s.and(x, s.and(x, y))).toBe(s.and(x, y));
    expect(s.or(s.or(x, y), y)).toBe(s.or(x, y));
  });
  test("decide comparisons with minima and maxima, and those of one another", () => {
    const [most, least] = [s.binary("smax", z, s.binary("smax", x, y)), s.binary("smin", y, z)];
    for (const [predicate, a, b, holds] of [
      ["slt", most, x, 0n],
      ["sge", most, y, 1n],
      ["sgt", x, most, 0n],
      ["sle", least, y, 1n],
      ["sle", least, most, 1n],
    ] as const)
      expect(valueOf(s.icmp(predicate, a, b))).toBe(BigInt.asIntN(1, holds));
    for (const predicate of ["sle", "eq", "ult", "ugt"] as const) expect(s.icmp(predicate, most, x).kind).toBe("icmp");
    expect(s.binary("smin", most, x)).toBe(x);
    expect(s.binary("smax", x, most)).toBe(most);
    expect(s.binary("umin", most, x).kind).toBe("umin");
  });
  test("a condition as a number is compared with a bit as a condition", () => {
    const condition = s.icmp("slt", x, y);
    const number = s.select(condition, s.constant(32, 1), s.constant(32, 0));
    const bit = s.and(z, s.constant(32, 1));
    const differ = s.xor(condition, s.icmp("ne", bit, s.constant(32, 0)));
    expect(s.icmp("ne", bit, number)).toBe(differ);
    expect(s.icmp("eq", number, bit)).toBe(s.not(differ));
    expect(s.icmp("eq", number, z).kind).toBe("icmp");
  });
});

test("a division of 64 bits is one of 32 where its numbers are words, and their quotient", () => {
  const s = new Simplifier(new Graph(), true);
  const word = s.graph.pure("special", 32, [], { register: "%clock", most: undefined });
  const count = s.graph.pure("special", 32, [], { register: "%ctaid.x", most: 2 ** 31 - 2 });
  const [signed, unsigned, small] = [s.sext(word, 64), s.zext(word, 64), s.zext(count, 64)];
  expect(s.sdiv(small, signed)).toBe(s.sext(s.sdiv(count, word), 64));
  expect(s.srem(signed, small)).toBe(s.sext(s.srem(word, count), 64));
  expect(s.sdiv(signed, s.constant(64, 7))).toBe(s.sext(s.sdiv(word, s.constant(32, 7)), 64));
  expect(s.urem(unsigned, small)).toBe(s.zext(s.urem(word, count), 64));
  // -2^31 / -1 is 2^31.
  for (const [a, b] of [
    [signed, signed],
    [signed, s.constant(64, -1)],
    [signed, unsigned],
    [signed, s.constant(64, 2n ** 31n + 1n)],
  ] as const)
    expect(s.sdiv(a, b).kind).toBe("sdiv");
});

describe("division by constants", () => {
  /** The value of an integer node, given the value of its only unknown. */
  function evaluate(node: Node, x: bigint): bigint {
    const [a, b] = node.inputs.map((i) => evaluate(i, x)) as [bigint, bigint];
    const u = (v: bigint) => BigInt.asUintN(32, v);
    const results: Readonly<Record<string, () => bigint>> = {
      const: () => valueOf(node)!,
      special: () => x,
      add: () => a + b,
      sub: () => a - b,
      mul: () => a * b,
      and: () => a & b,
      shl: () => a << u(b),
      shr: () => u(a) >> u(b),
      sar: () => a >> u(b),
      "mul.hi.u32": () => (u(a) * u(b)) >> 32n,
      "mul.hi.s32": () => (a * b) >> 32n,
    };
    return BigInt.asIntN(32, results[operationOf(node)]!());
  }
  const s = new Simplifier(new Graph(), true);
  const unknown = s.graph.pure("special", 32, [], { register: "%clock", most: undefined });
  const words = fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n });
  test("quotients and remainders are those of the instructions", () => {
    fc.assert(
      fc.property(words, words, (x, d) => {
        fc.pre(d !== 0n);
        const divisor = s.constant(32, d);
        const unsigned = [BigInt.asUintN(32, x), BigInt.asUintN(32, d)] as const;
        expect(evaluate(s.udiv(unknown, divisor), x)).toBe(BigInt.asIntN(32, unsigned[0] / unsigned[1]));
        expect(evaluate(s.urem(unknown, divisor), x)).toBe(BigInt.asIntN(32, unsigned[0] % unsigned[1]));
        fc.pre(d > 0n);
        expect(evaluate(s.sdiv(unknown, divisor), x)).toBe(x / d);
        expect(evaluate(s.srem(unknown, divisor), x)).toBe(x % d);
      }),
    );
  });
});

/** A kernel that calls a function of libdevice. */
function libdevice(name: string, count: number): string {
  const args = Array(count).fill("f32").join(", ");
  return translate(
    `llvm.func @__nv_${name}(${args}) -> f32
     llvm.func @f${kernel(
       "%arg0: !llvm.ptr<1>, %a: f32, %b: f32",
       `%r = llvm.call @__nv_${name}(${["%a", "%b"].slice(0, count)}) : (${args}) -> f32
        llvm.store %r, %arg0 : f32, !llvm.ptr<1>`,
     )}`,
  );
}
test.each([
  ["cbrtf", 1, ["lg2", "ex2", "rcp"]],
  ["rcbrtf", 1, ["lg2", "ex2", "rcp"]],
  ["hypotf", 2, ["sqrt"]],
  ["rhypotf", 2, ["rsqrt"]],
  ["fmodf", 2, ["rcp"]],
  ["remainderf", 2, ["rcp"]],
  ["cyl_bessel_i0f", 1, ["rcp", "rsqrt", "ex2"]],
  ["tgammaf", 1, ["ex2", "rcp", "rcp", "rcp", "rcp", "div", "div"]],
  ["erfcxf", 1, ["ex2", "rcp", "rcp", "div"]],
])("%s divides by no more than the reciprocals of the hardware", (name, count, expected) => {
  const text = libdevice(name, count);
  const special = text.match(/\b(lg2|ex2|rcp|sqrt|rsqrt|div)\.(approx|full|rn)/g) ?? [];
  expect(special.map((mnemonic) => mnemonic.split(".")[0]).sort()).toEqual(expected.sort());
  expect(special.filter((mnemonic) => mnemonic.endsWith(".rn"))).toEqual([]);
});
test("the ends of erfinv come by its logarithm, without choices", () => {
  expect(libdevice("erfinvf", 1)).not.toMatch(/selp|copysign/);
});
test("what runs anyway is computed where the program has it, what may not be needed where it is", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %x: i32, %n: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %always = llvm.mul %x, %n : i32
       %sometimes = llvm.sub %x, %n : i32
       %p = llvm.icmp "sgt" %n, %c0 : i32
       llvm.cond_br %p, ^then, ^after
     ^then:
       llvm.store %sometimes, %arg0 : i32, !llvm.ptr<1>
       llvm.br ^after
     ^after:
       llvm.store %always, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  const names = lines.map((line) => /^(@|[a-z]+)/.exec(line)?.[0]).filter((name) => /@|mul|sub|st/.test(name ?? ""));
  expect(names).toEqual(["mul", "@", "sub", "st", "st"]);
});
describe("numbers that branches and loops bound", () => {
  const stop = (condition: string, at: number): string => `llvm.cond_br ${condition}, ^no${at}, ^yes${at}
     ^no${at}:
       llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "trap${at};", "" : () -> ()
       llvm.return
     ^yes${at}:`;
  test("a branch that an earlier one decides is none, in wider registers too", () => {
    const lines = instructions(
      kernel(
        "%arg0: i32",
        `%c0 = llvm.mlir.constant(0 : i64) : i64
         %c8 = llvm.mlir.constant(8 : i32) : i32
         %most = llvm.mlir.constant(2147483647 : i64) : i64
         %id = nvvm.read.ptx.sreg.ctaid.x : i32
         %t = nvvm.read.ptx.sreg.tid.x : i32
         %wide = llvm.zext %id : i32 to i64
         %c256 = llvm.mlir.constant(256 : i64) : i64
         %product = llvm.mul %wide, %c256 : i64
         %p0 = llvm.icmp "sgt" %product, %most : i64
         ${stop("%p0", 0)}
         %word = llvm.shl %id, %c8 : i32
         %start = llvm.sext %word : i32 to i64
         %offset = llvm.zext %t : i32 to i64
         %sum = llvm.add %start, %offset : i64
         %above = llvm.icmp "sgt" %sum, %most : i64
         %below = llvm.icmp "slt" %sum, %c0 : i64
         %p1 = llvm.or %above, %below : i1
         ${stop("%p1", 1)}
         %p2 = llvm.icmp "sgt" %word, %arg0 : i32
         ${stop("%p2", 2)}`,
      ),
    );
    expect(lines.filter((line) => /^(setp|trap)/.test(line))).toEqual([
      "setp.gt.u32 %p1, %r1, 8388607;",
      "setp.gt.s32 %p2, %r2, %r3;",
      "trap2;",
      "trap0;",
    ]);
  });
  const loop = (body: string, value: string): string =>
    kernel(
      "%arg0: !llvm.ptr<1>, %n: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %c1 = llvm.mlir.constant(1 : i32) : i32
       %c4 = llvm.mlir.constant(4 : i32) : i32
       %none = llvm.mlir.constant(-1 : i32) : i32
       llvm.br ^head(%c0, %none : i32, i32)
     ^head(%i: i32, %stage: i32):
       %more = llvm.icmp "slt" %i, %n : i32
       llvm.cond_br %more, ^body, ^end
     ^body:
       ${body}
       llvm.store volatile ${value}, %arg0 : i32, !llvm.ptr<1>
       %i1 = llvm.add %i, %c1 : i32
       llvm.br ^head(%i1, %next : i32, i32)
     ^end:`,
    );
  test("a number that can be only one is a constant: the buffer of a ring of one", () => {
    const turn = `%s1 = llvm.add %stage, %c1 : i32
       %wraps = llvm.icmp "sge" %s1, %c1 : i32
       %next = llvm.select %wraps, %c0, %s1 : i1, i32`;
    const lines = instructions(loop(turn, "%next"));
    expect(lines.filter((line) => line.startsWith("selp"))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^st\.volatile\.global\.b32 \[%rd1\], %r3;$/));
    expect(lines[lines.findIndex((line) => line.startsWith("st.")) - 1]).toBe("mov.b32 %r3, 0;");
  });
  test("what is left of a length is counted along", () => {
    const left = `%next = llvm.add %stage, %stage : i32
       %done = llvm.shl %i, %c4 : i32
       %left = llvm.sub %n, %done : i32`;
    const lines = instructions(loop(left, "%left"));
    expect(lines.filter((line) => /^(shl|sub)/.test(line))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^add\.s32 (%r\d+), \1, -16;$/));
  });
  test("a loop that is left before its first iteration is none", () => {
    const from = (start: string): string[] =>
      instructions(
        kernel(
          "%arg0: !llvm.ptr<1>, %x: i32, %n: i32",
          `%c1 = llvm.mlir.constant(1 : i32) : i32
           %most = llvm.intr.smax(%x, %n) : (i32, i32) -> i32
           %least = llvm.intr.smin(%x, %n) : (i32, i32) -> i32
           llvm.br ^head(${start}, %x : i32, i32)
         ^head(%i: i32, %sum: i32):
           %more = llvm.icmp "slt" %i, %n : i32
           llvm.cond_br %more, ^body, ^end
         ^body:
           %next = llvm.add %sum, %i : i32
           %i1 = llvm.add %i, %c1 : i32
           llvm.br ^head(%i1, %next : i32, i32)
         ^end:
           %0 = llvm.sub %sum, %x : i32
           llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
        ),
      ).filter((line) => !/^(ld|ret)/.test(line));
    expect(from("%most")).toEqual(["mov.b32 %r1, 0;", "st.global.b32 [%rd1], %r1;"]);
    expect(from("%least").filter((line) => line.includes("bra"))).toHaveLength(2);
  });
  const words = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 2 ** 30, -(2 ** 30)));
  const predicate = fc.constantFrom("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge");
  const op = fc.constantFrom("add", "sub", "mul", "shl", "ashr", "lshr", "and", "or", "xor");
  test("no branch is decided that may go both ways", () => {
    const holds = (p: string, a: number, b: number): boolean => {
      const [x, y] = p[0] === "u" ? [a >>> 0, b >>> 0] : [a, b];
      const less = p.endsWith("lt") || p.endsWith("le");
      if (x === y) return p === "eq" || p === "sle" || p === "sge" || p === "ule" || p === "uge";
      return p === "ne" || (p !== "eq" && x < y === less);
    };
    const apply = (name: string, x: number, k: number): number => {
      const made: Readonly<Record<string, number>> = {
        add: (x + k) | 0,
        sub: (x - k) | 0,
        mul: Math.imul(x, k),
        shl: x << k,
        ashr: x >> k,
        lshr: (x >>> k) | 0,
        and: x & k,
        or: x | k,
        xor: x ^ k,
      };
      return made[name]!;
    };
    fc.assert(
      fc.property(predicate, words, op, words, predicate, words, (first, c, name, k, second, d) => {
        const by = /sh/.test(name) ? k & 31 : k;
        const lines = instructions(
          kernel(
            "%x: i32",
            `%c = llvm.mlir.constant(${c} : i32) : i32
             %k = llvm.mlir.constant(${by} : i32) : i32
             %d = llvm.mlir.constant(${d} : i32) : i32
             %p0 = llvm.icmp "${first}" %x, %c : i32
             ${stop("%p0", 0)}
             %y = llvm.${name} %x, %k : i32
             %p1 = llvm.icmp "${second}" %y, %d : i32
             ${stop("%p1", 1)}
             llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "end;", "" : () -> ()`,
          ),
        );
        const near = [c, d, k, 0, -(2 ** 31), 2 ** 31 - 1].flatMap((v) => [-2, -1, 0, 1, 2].map((by1) => (v + by1) | 0));
        const going = new Set(near.filter((x) => !holds(first, x, c)).map((x) => holds(second, apply(name, x, by), d)));
        if (going.has(true)) expect(lines).toContain("trap1;");
        if (going.has(false)) expect(lines).toContain("end;");
      }),
    );
  });
});

describe("two operations on 16 bits", () => {
  const halves = `%i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %x = llvm.load %arg0 : !llvm.ptr<1> -> vector<2xf16>
    %y = llvm.load %arg1 : !llvm.ptr<1> -> vector<2xf16>
    %x0 = llvm.extractelement %x[%i0 : i32] : vector<2xf16>
    %x1 = llvm.extractelement %x[%i1 : i32] : vector<2xf16>
    %y0 = llvm.extractelement %y[%i0 : i32] : vector<2xf16>
    %y1 = llvm.extractelement %y[%i1 : i32] : vector<2xf16>
    %u = llvm.mlir.undef : vector<2xf16>`;
  const stored = (low: string, high: string) => `
    %v0 = llvm.insertelement ${low}, %u[%i0 : i32] : vector<2xf16>
    %v1 = llvm.insertelement ${high}, %v0[%i1 : i32] : vector<2xf16>
    %bits = llvm.bitcast %v1 : vector<2xf16> to i32
    llvm.store %bits, %arg0 : i32, !llvm.ptr<1>`;
  const floats = (body: string) =>
    instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>", halves + body)).filter((l) => /f16/.test(l));

  test("on the halves of one register become one, whichever way round a sum is written", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fadd %y1, %x1 : f16
      %c = llvm.fneg %a : f16
      %d = llvm.fneg %b : f16`;
    expect(floats(body + stored("%c", "%d")).map((l) => l.split(" ")[0])).toEqual(["add.f16x2", "neg.f16x2"]);
  });
  test("stay two where they are different ones", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fmul %x1, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "mul.f16"]);
  });
  test("stay two where one needs the other", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      %b = llvm.fadd %a, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
  test("stay two where one is stored before the other can be computed", () => {
    const body = `
      %a = llvm.fadd %x0, %y0 : f16
      llvm.store volatile %a, %arg0 : f16, !llvm.ptr<1>
      %z = llvm.load volatile %arg1 : !llvm.ptr<1> -> f16
      %b = llvm.fadd %z, %y1 : f16`;
    expect(floats(body + stored("%a", "%b")).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
  test("stay two where registers would have to be put together for it and taken apart again", () => {
    const body = `
      %a = llvm.fadd %x0, %y1 : f16
      %b = llvm.fadd %y0, %x1 : f16
      llvm.store %a, %arg0 : f16, !llvm.ptr<1>
      llvm.store %b, %arg1 : f16, !llvm.ptr<1>`;
    expect(floats(body).map((l) => l.split(" ")[0])).toEqual(["add.f16", "add.f16"]);
  });
});

test("what a warp group's product reads is written before its fence, copies of accumulators included", () => {
  const d = "%d0, %d1, %d2, %d3";
  const product = (result: string, accumulators: string, a: string) => `
    ${result} = llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, {$8,$9,$10,$11}, $12, $13, 1, 1, 0;", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,b" ${accumulators}, ${a}, %arg1, %on : (f32, f32, f32, f32, i32, i32, i32, i32, i64, i1) -> !llvm.struct<(f32, f32, f32, f32)>`;
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i64",
      `%on = llvm.mlir.constant(true) : i1
       %i0 = llvm.mlir.constant(0 : i32) : i32
       %i1 = llvm.mlir.constant(1 : i32) : i32
       %two = llvm.mlir.constant(2.0 : f32) : f32
       %u = llvm.mlir.undef : vector<2xf16>
       %x = llvm.load %arg0 : !llvm.ptr<1> -> vector<2xf16>
       %x0 = llvm.extractelement %x[%i0 : i32] : vector<2xf16>
       %x1 = llvm.extractelement %x[%i1 : i32] : vector<2xf16>
       %a0 = llvm.fadd %x0, %x0 : f16
       %a1 = llvm.fadd %x1, %x1 : f16
       %v0 = llvm.insertelement %a0, %u[%i0 : i32] : vector<2xf16>
       %v1 = llvm.insertelement %a1, %v0[%i1 : i32] : vector<2xf16>
       %a = llvm.bitcast %v1 : vector<2xf16> to i32
       %other = llvm.load %arg0 : !llvm.ptr<1> -> i32
       %b = llvm.xor %other, %i1 : i32
       nvvm.wgmma.fence.aligned
       ${product("%s", "%two, %two, %two, %two", "%a, %a, %a, %a")}
       ${["%d0", "%d1", "%d2", "%d3"].map((r, i) => `${r} = llvm.extractvalue %s[${i}] : !llvm.struct<(f32, f32, f32, f32)>`).join("\n")}
       ${product("%t", d, "%b, %b, %a, %b")}
       nvvm.wgmma.commit.group.sync.aligned
       %r = llvm.extractvalue %t[0] : !llvm.struct<(f32, f32, f32, f32)>
       llvm.store %r, %arg0 : f32, !llvm.ptr<1>`,
    ),
    { capability: 90 },
  );
  const fence = lines.indexOf("wgmma.fence.sync.aligned;");
  const behind = lines.slice(fence + 1, lines.indexOf("wgmma.commit_group.sync.aligned;")).filter((line) => !line.startsWith("//"));
  expect(behind.map((line) => line.split(".")[1])).toEqual(["mma_async", "mma_async"]);
  expect(lines.slice(0, fence).filter((line) => /^add.f16x2|^mov.b32 %r\d+, 1073741824|^xor/.test(line))).toHaveLength(6);
});

test("equal fences and barriers stay as many as there are", () => {
  const fence = `llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "fence.proxy.async.shared::cta;", "" : () -> ()\nnvvm.barrier0\n`;
  const lines = instructions(kernel("%arg0: !llvm.ptr<1>", fence.repeat(3)));
  expect(lines.filter((line) => /^(fence|bar)/.test(line)).map((line) => line.split(/[. ]/)[0])).toEqual(
    Array.from({ length: 3 }, () => ["fence", "bar"]).flat(),
  );
});

test("a function that is not expanded returns several values, and conditions, as one parameter", () => {
  const text = translate(`llvm.func @two(%arg0: f32, %arg1: i1) -> !llvm.struct<(f32, i1)> attributes {passthrough = ["noinline"]} {
      %0 = llvm.mlir.undef : !llvm.struct<(f32, i1)>
      %1 = llvm.fadd %arg0, %arg0 : f32
      %2 = llvm.insertvalue %1, %0[0] : !llvm.struct<(f32, i1)>
      %3 = llvm.insertvalue %arg1, %2[1] : !llvm.struct<(f32, i1)>
      llvm.return %3 : !llvm.struct<(f32, i1)>
    }
    llvm.func @k(%arg0: !llvm.ptr<1>, %arg1: f32) attributes {nvvm.kernel = 1 : ui1} {
      %0 = llvm.mlir.constant(1.0 : f32) : f32
      %1 = llvm.fcmp "ogt" %arg1, %0 : f32
      %2 = llvm.call @two(%arg1, %1) : (f32, i1) -> !llvm.struct<(f32, i1)>
      %3 = llvm.extractvalue %2[0] : !llvm.struct<(f32, i1)>
      %4 = llvm.extractvalue %2[1] : !llvm.struct<(f32, i1)>
      %5 = llvm.select %4, %3, %0 : i1, f32
      llvm.store %5, %arg0 : f32, !llvm.ptr<1>
      llvm.return
    }`);
  expect(text).toContain(".func (.param .align 8 .b8 func_retval0[16]) two(");
  expect(text).toMatch(/st\.param\.b32 \t\[func_retval0\+8\], %r\d+;/);
  expect(text).toMatch(/ld\.param\.b32 \t(%r\d+), \[retval0\+8\];\n\tsetp\.ne\.b32 \t%p\d+, \1, 0;/);
});

test("before sm_90 bf16 is added atomically by comparing and swapping the word around it", () => {
  const add = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: bf16",
    `%0 = llvm.atomicrmw fadd %arg0, %arg1 syncscope("device") acq_rel : !llvm.ptr<1>, bf16
     llvm.store %0, %arg0 : bf16, !llvm.ptr<1>`,
  );
  const memory = (capability: number) =>
    instructions(add, { capability })
      .filter((line) => /^(ld\.global|atom|st|and\.b64)/.test(line))
      .map((line) => line.replace(/%\w+/g, "%"));
  expect(memory(90)).toEqual(["atom.acq_rel.gpu.global.add.noftz.bf16 %, [%], %;", "st.global.b16 [%], %;"]);
  // Real Triton's, on both targets.
  for (const capability of [75, 80])
    expect(memory(capability)).toEqual([
      "and.b64 %, %, -4;",
      "ld.global.b32 %, [%];",
      "atom.acq_rel.gpu.global.cas.b32 %, [%], %, %;",
      "st.global.b16 [%], %;",
    ]);
});

test("constant bytes side by side in shared memory are stored at once, as far as they are aligned", () => {
  const stores = [2, 3, 4, 5, 6, 7, 8, 9, 10].map(
    (at, i) => `%p${at} = llvm.getelementptr %s[${at}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %c${i % 2}, %p${at} : i8, !llvm.ptr<3>`,
  );
  const text = translate(`llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f() attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {
      %s = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
      %c0 = llvm.mlir.constant(1 : i8) : i8
      %c1 = llvm.mlir.constant(-1 : i8) : i8
      ${stores.join("\n")}
      llvm.return
    }`);
  expect(text.match(/st\.shared\S* \t?\[global_smem\+\d+\]/g)?.map((store) => store.replace(" \t", " "))).toEqual([
    "st.shared.b16 [global_smem+2]",
    "st.shared.b32 [global_smem+4]",
    "st.shared.b16 [global_smem+8]",
    "st.shared.b8 [global_smem+10]",
  ]);
  expect(text).toMatch(/mov\.b32 \t%r\d+, -16646399;/);
});

test("an access takes no more bytes at once than its address is known to be a multiple of", () => {
  const text = translate(`llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {
      %s = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
      %four = llvm.getelementptr %s[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %eight = llvm.getelementptr %s[24] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %p, %four {alignment = 1 : i64} : !llvm.ptr<1>, !llvm.ptr<3>
      llvm.store %p, %eight {alignment = 1 : i64} : !llvm.ptr<1>, !llvm.ptr<3>
      %v = llvm.load %q {alignment = 2 : i64} : !llvm.ptr<3> -> i32
      llvm.store %v, %p : i32, !llvm.ptr<1>
      llvm.return
    }`);
  expect(
    text.match(/(?:ld|st)\.shared\S* \t?[^;]*/g)?.map((access) => access.replace(/%(rd|rs|r)\d+/g, "%$1").replace(" \t", " ")),
  ).toEqual([
    "st.shared.b32 [global_smem+4], %r",
    "st.shared.b32 [global_smem+8], %r",
    "st.shared.b64 [global_smem+24], %rd",
    "ld.shared.b16 %rs, [%r]",
    "ld.shared.b16 %rs, [%r+2]",
  ]);
});

describe("what is as long as a stack is not deep", () => {
  /** `count` operations, each on the result of the one before. */
  const chain = (count: number, op: (i: number, before: string) => string, last: string): string =>
    kernel(
      "%arg0: i32, %arg1: i1, %arg2: !llvm.ptr<1>",
      `%c3 = llvm.mlir.constant(3 : i32) : i32\n%c5 = llvm.mlir.constant(5 : i32) : i32\n%v0 = llvm.add %arg0, %c5 : i32
${Array.from({ length: count }, (_, i) => `%v${i + 1} = ${op(i, `%v${i}`)}`).join("\n")}
%last = ${last.replace("$", `%v${count}`)}\nllvm.store %last, %arg2 : i32, !llvm.ptr<1>`,
    );
  const addAndXor = (i: number, before: string): string => `llvm.${i % 2 === 0 ? "xor" : "add"} ${before}, %c5 : i32`;

  test("a shift moves into sums and masks below it, as far as programs go", () => {
    const few = instructions(chain(4, addAndXor, "llvm.shl $, %c3 : i32")).map((l) => l.split(" ")[0]);
    expect(few.slice(1, 7)).toEqual(["shl.b32", "add.s32", "xor.b32", "add.s32", "xor.b32", "add.s32"]);
    const many = instructions(chain(15000, addAndXor, "llvm.shl $, %c3 : i32")).map((l) => l.split(" ")[0]);
    expect(many.length).toBe(few.length + 15000 - 4);
  });
  test("what bits are known is asked of the last of many values first", () => {
    const choices = instructions(chain(15000, (_, before) => `llvm.select %arg1, %arg0, ${before} : i1, i32`, "llvm.and $, %c3 : i32"));
    expect(choices.filter((l) => l.startsWith("and")).length).toBe(1);
    const quotients = instructions(chain(15000, (_, before) => `llvm.udiv ${before}, %arg0 : i32`, "llvm.and $, %c3 : i32"));
    expect(quotients.filter((l) => l.startsWith("div")).length).toBe(15000);
  });
  test("one block has 200,000 lines", () => {
    const lines = "nop;\\0A".repeat(200_000);
    const made = instructions(
      kernel("", `llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "${lines}ret;", "" : () -> ()`),
    );
    expect(made.filter((l) => l === "nop;").length).toBe(200_000);
  });
});

test("locations may be nested deeply", () => {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "x.mlir", "llvm.func @f() attributes {nvvm.kernel = 1 : ui1} {\nllvm.return\n}")!;
  let at: Attribute = fileLoc(ctx, "k.py", 7, 3);
  for (let i = 0; i < 20_000; i++) at = nameLoc(`n${i}`, at);
  const [func] = module.regions[0]!.firstBlock!.ops();
  func!.setLoc(at);
  const lines = new LocTable();
  expect(lines.loc(lines.indexOf(func!))).toContain("k.py:7:3");
});
