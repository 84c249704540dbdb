import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "./parse.js";
import "./print.js";

test("the last op needs no space behind it", () => {
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
