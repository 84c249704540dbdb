import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderDiagnostic } from "../diagnostics/render.js";
import { address, float32, float64, instruction, integer, name, not, pair, vector } from "./build.js";
import { declaredAs, isEntry, type PtxFunction, type Statement, typesOf } from "./instruction.js";
import { parsePtx, parseStatements } from "./parse.js";
import { printModule, printStatement } from "./print.js";

const files = readdirSync("fixtures/ptx").filter((f) => f.endsWith(".ptx"));

test.each(files)("%s prints back byte for byte", (file) => {
  const text = readFileSync(`fixtures/ptx/${file}`, "latin1");
  const { module, diagnostics } = parsePtx(text, file);
  expect(diagnostics).toEqual([]);
  expect(printModule(module)).toBe(text);
});

test("without its gaps a module is set as LLVM does, and reads as the same records", () => {
  for (const file of files) {
    const bare = strip(parsePtx(readFileSync(`fixtures/ptx/${file}`, "latin1")).module);
    const printed = printModule(bare);
    expect(strip(parsePtx(printed).module)).toEqual(bare);
  }
  const { body } = parseStatements("@ %p1   ld.global.v2.b32{%r1,%r2},[ %rd1 +8 ]  ; bra.uni L;");
  expect(body.map((s) => printStatement(strip(s)))).toEqual(["@%p1 ld.global.v2.b32 \t{%r1, %r2}, [%rd1+8];", "bra.uni \tL;"]);
});

/** Without what the text's setting left in the records. */
function strip<T>(record: T): T {
  if (Array.isArray(record)) return record.map(strip) as T;
  if (record === null || typeof record !== "object") return record;
  const kept = Object.entries(record).filter(([key]) => !["at", "gaps", "before", "closeGap", "tail"].includes(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, strip(value)])) as T;
}

test("records carry guards, modifiers, types and operands", () => {
  const { body } = parseStatements(
    "@!%p2 cvt.rn.f16x2.f32 %r1, %r2, 0f3F800000; elect.sync %r1|%p1, -1; mov.b64 {%r1, _}, %rd1; add.s32 a, $0, -0x10;",
  );
  const [cvt, elect, mov, add] = body as readonly [Statement, ...Statement[]];
  expect(cvt).toMatchObject({ guard: { register: "%p2", negated: true }, opcode: "cvt", modifiers: ["rn", "f16x2", "f32"] });
  expect(cvt.kind === "instruction" && typesOf(cvt)).toEqual(["f16x2", "f32"]);
  expect(cvt.kind === "instruction" && cvt.operands[2]).toEqual({ kind: "float", value: 1, text: "0f3F800000" });
  expect(strip(elect)).toMatchObject({ operands: [pair(name("%r1"), name("%p1")), integer(-1)] });
  expect(strip(mov)).toMatchObject({ operands: [vector([name("%r1"), name("_")]), name("%rd1")] });
  expect(strip(add)).toMatchObject({ operands: [name("a"), name("$0"), { kind: "integer", value: -16n, text: "-0x10" }] });
});

test("kernels, functions and variables", () => {
  const { module, diagnostics } = parsePtx(readFileSync("fixtures/ptx/print_assert-sm80.ptx", "latin1"));
  expect(diagnostics).toEqual([]);
  const functions = module.items.filter((i): i is PtxFunction => i.kind === "function");
  expect(functions.map((f) => [f.name, isEntry(f), f.params?.length, f.body === undefined])).toEqual([
    ["vprintf", false, 2, true],
    ["__assertfail", false, 5, true],
    ["pa", true, 5, false],
  ]);
  expect(functions[2]!.directives).toMatchObject([{ name: "reqntid", values: [{ value: 128n }] }]);
  expect(declaredAs(functions[2]!.params![0]!.specifiers)).toEqual({ space: "param", type: "u64", align: 1 });
});

test("a program writes PTX with the short forms", () => {
  const text = [
    instruction("ld.global.v2.b32", [vector([name("%r1"), name("%r2")]), address(name("%rd1"), 8)], { register: "%p1", negated: true }),
    instruction("fma.rn.f32", [name("%f1"), name("%f2"), float32(0.5), name("%f3")]),
    instruction("mov.b64", [name("%fd1"), float64(1)]),
    instruction("setp.lt.and.s32", [name("%p1"), name("%r1"), integer(4), not(name("%p2"))]),
    instruction("ret"),
  ].map(printStatement);
  expect(text).toEqual([
    "@!%p1 ld.global.v2.b32 \t{%r1, %r2}, [%rd1+8];",
    "fma.rn.f32 \t%f1, %f2, 0f3F000000, %f3;",
    "mov.b64 \t%fd1, 0d3FF0000000000000;",
    "setp.lt.and.s32 \t%p1, %r1, 4, !%p2;",
    "ret;",
  ]);
});

test("bad PTX is told with line, column and caret, and reading goes on", () => {
  const { diagnostics, source } = parsePtx(
    ".version 8.7\n.visible .entry k(\n) {\n\tadd.s32 %r1, %r2;\n\tadd.s32 %r1 %r2;\n\tmov.b32 %r1, [;\n\tret;\n}\nwhat\n",
    "bad.ptx",
  );
  expect(
    diagnostics.map((d) => renderDiagnostic(d, [source])).join(""),
  ).toBe(`bad.ptx:5:14: error: expected ';' after the operands of 'add.s32' [ptx.syntax]
	add.s32 %r1 %r2;
	            ^
bad.ptx:6:16: error: expected an operand [ptx.syntax]
	mov.b32 %r1, [;
	              ^
bad.ptx:9:1: error: expected a directive, a variable or a function [ptx.syntax]
what
^
`);
});

test("no text makes the reader throw or hang", () => {
  const seed = readFileSync("fixtures/ptx/inline_asm-sm80.ptx", "latin1").slice(300, 3000);
  fc.assert(
    fc.property(fc.nat(seed.length), fc.nat(40), fc.string({ maxLength: 6 }), (at, cut, put) => {
      parsePtx(seed.slice(0, at) + put + seed.slice(at + cut));
    }),
    { numRuns: 150 },
  );
});
