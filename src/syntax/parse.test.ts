import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { attrText } from "../ir/text-hook.js";
import { TRITON_3_6, TRITON_3_7 } from "../support/triton-version.js";
import { parseModule } from "./parse.js";
import { printOperation } from "./print.js";

test("the last op needs no space after it", () => {
  expect(parseModule(new Context(ALL_DIALECTS), "x.mlir", "llvm.func @f() {\nllvm.return}")).toBeDefined();
});

test("a text that ends anywhere is parsed or refused, never an exception", () => {
  const text = `module {
  llvm.func @f(%arg0: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1} {
    %0 = llvm.mlir.constant(5 : i32) : i32
    llvm.store %0, %arg0 : i32, !llvm.ptr<1> loc("a.py":1:2)
    llvm.return}}`;
  for (let end = 0; end <= text.length; end++)
    expect(() => parseModule(new Context(ALL_DIALECTS), "x.mlir", text.slice(0, end)), `${end} bytes`).not.toThrow();
});

test("arguments of loops, whose locations are not written, have those that Triton's front end gives them", () => {
  const { module } = parseModule(
    new Context(ALL_DIALECTS),
    "loops.mlir",
    `module {
  tt.func @f(%n: i32) {
    %acc = arith.constant 0 : i32 loc(#acc)
    %acc_1 = scf.for %i = %acc to %n step %n iter_args(%acc_0 = %acc) -> (i32) : i32 {
      %j = scf.for %k = %acc to %n step %n iter_args(%m = %acc_0) -> (i32) : i32 {
        scf.yield %m : i32 loc(#y)
      } loc(#inner)
      scf.yield %j : i32 loc(#y)
    } loc(#outer)
    %w = scf.while (%t = %acc_1) : (i32) -> i32 {
      %c = arith.cmpi slt, %t, %n : i32 loc(#y)
      scf.condition(%c) %t : i32 loc(#y)
    } do {
    ^bb0(%u: i32 loc("u")):
      scf.yield %u : i32 loc(#y)
    } loc(#y)
    tt.return loc(#y)
  } loc(#y)
} loc(#y)
#at = loc("k.py":3:4)
#y = loc("k.py":9:0)
#acc = loc("acc"(#at))
#outer = loc("k.py":4:8)
#inner = loc("k.py":5:8)
`,
  )!;
  const places: string[] = [];
  module.walk((op) => {
    for (const region of op.regions)
      for (const arg of region.firstBlock?.args ?? []) if (op.name.startsWith("scf.")) places.push(attrText(arg.loc));
  });
  expect(places).toEqual([
    'loc("i"("k.py":4:8))',
    'loc("acc"("acc"("k.py":3:4)))',
    'loc("k"("k.py":5:8))',
    'loc("m"("acc"("acc"("k.py":3:4))))',
    'loc("t")',
    'loc("u")',
  ]);
});

test("a listing's gaps are named: ops left out, a region that is not closed, an operand that nothing defines", () => {
  const complaint = (text: string) => {
    const ctx = new Context(ALL_DIALECTS);
    parseModule(ctx, "in", text);
    const { code, message, position, notes } = ctx.diagnostics[0]!;
    return [
      code,
      message,
      position!.line,
      position!.column,
      ...notes.map((note) => `${note.position!.line}:${note.position!.column} ${note.message}`),
    ];
  };
  expect(complaint("tt.func @f() {\n  ...\n  tt.return\n}\n").slice(0, 1)).toEqual(["parse.omitted"]);
  expect(complaint("tt.func @f() {\n  tt.return\n").slice(-1)).toEqual(["1:14 the '{' here is not closed"]);
  // The type of an operand that is not there is a guess.
  expect(complaint("tt.func @f() {\n  %v = tt.load %p : tensor<8xf32>\n  tt.return\n}\n").slice(0, 4)).toEqual([
    "parse.undeclared",
    "use of undeclared SSA value name",
    2,
    16,
  ]);
});

test("a layout without its dialect, as articles write it", () => {
  const ctx = new Context(ALL_DIALECTS);
  const text = '%x = "use"() {a = #shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>} : () -> i32\n';
  ctx.allowUnregisteredDialects = true;
  expect(printOperation(parseModule(ctx, "in", text)!.module, { localScope: true })).toContain(
    "shared<{vec = 1, perPhase = 1, maxPhase = 4",
  );
});

test("white space may come before the x of a dimension; a NUL is white space, but not inside of a dialect's attribute or type", () => {
  const parse = (text: string) => {
    const ctx = new Context(ALL_DIALECTS);
    return parseModule(ctx, "x.mlir", text) ? "parsed" : ctx.diagnostics[0]!.message;
  };
  expect(parse("tt.func private @f(tensor<4 x 5\tx  f32>, vector<3\rxf32>, tensor<2\0x4xi32>)")).toBe("parsed");
  expect(parse("tt.func\0private @f(tensor<4 y f32>)")).toBe("expected 'x' in dimension list");
  const nul = "unbalanced '<' character in pretty dialect name";
  expect(parse("tt.func private @f(!tt.ptr<\0f32>)")).toBe(nul);
  expect(parse("llvm.func @f(!llvm.array<3\0x i8>)")).toBe(nul);
  expect(parse("#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1,\0maxPhase = 1, order = [0]}>")).toBe(nul);
});

test("200,000 attributes are as many", () => {
  const ctx = new Context(ALL_DIALECTS);
  const attributes = Array.from({ length: 200_000 }, (_, i) => `x.a${i}`).join(",");
  expect(parseModule(ctx, "x.mlir", `module attributes {${attributes}} {}`)?.module.attrs.params.names).toHaveLength(200_000);
});

test("before 3.7 the generic form does not say which operands of a commit are its buffers: there are none", () => {
  const type = "!ttg.memdesc<1xi64, #shared, #ttg.shared_memory, mutable>";
  const commit = (triton: Context["triton"], sizes: string, generic: boolean): string => {
    const ctx = new Context(ALL_DIALECTS);
    ctx.triton = triton;
    const text = `#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
      tt.func @f(%b: ${type}, %p: i1) {
        "ttng.tc_gen5_commit"(%b, %p)${sizes} : (${type}, i1) -> ()
        tt.return
      }`;
    const printed = printOperation(parseModule(ctx, "x.mlir", text)!.module, { generic });
    return /\S*ttng\.tc_gen5_commit.*?(?= : )/.exec(printed)![0];
  };
  expect(commit(TRITON_3_6, "", false)).toBe("ttng.tc_gen5_commit %arg0, %arg1");
  expect(commit(TRITON_3_6, "", true)).toBe('"ttng.tc_gen5_commit"(%arg0, %arg1)');
  const sizes = " <{operandSegmentSizes = array<i32: 1, 1, 0>}>";
  expect(commit(TRITON_3_7, sizes, true)).toBe(`"ttng.tc_gen5_commit"(%arg0, %arg1)${sizes}`);
});
