import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { canonicalizationPatterns } from "../../passes/common/canonicalize.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { builtin } from "../builtin/index.js";
import { nvvm } from "../nvvm/index.js";
import { llvm } from "./index.js";
import { LLVMStructType, setStructBody, structElements } from "./types/types.js";

function parsed(text: string): Operation {
  const ctx = new Context([builtin, llvm, nvvm]);
  ctx.allowUnregisteredDialects = true;
  const module = parseModule(ctx, "input", text)!.module;
  expect(verifyOperation(module), JSON.stringify(ctx.diagnostics[0])).toBe(true);
  return module;
}

describe.each(["llvm", "nvvm"])("every op and attribute of %s, as Triton 3.6.0 prints it", (dialect) => {
  const text = readFileSync(`fixtures/${dialect}/ops.mlir`, "latin1");
  test("prints back", () => expect(printOperation(parsed(text))).toBe(text));
  test("goes through the generic form", () => {
    const generic = printOperation(parsed(text), { generic: true });
    expect(printOperation(parsed(generic))).toBe(text);
  });
});

describe("identified structs", () => {
  const ctx = new Context([builtin, llvm]);
  const list = LLVMStructType.get(ctx, { kind: "identified", name: "list" });

  test("are the same by name, and take one body", () => {
    expect(structElements(list)).toEqual([]);
    expect(setStructBody(list, { elements: [list], packed: false, opaque: false })).toBe(true);
    expect(setStructBody(list, { elements: [], packed: false, opaque: false })).toBe(false);
    expect(LLVMStructType.get(ctx, { kind: "identified", name: "list" })).toBe(list);
    expect(structElements(list)).toEqual([list]);
  });
});

test("distinct attributes are numbered as they are printed", () => {
  const text = `module attributes {a.x = distinct[7]<>, a.y = distinct[3]<>, a.z = distinct[7]<>} {\n}\n`;
  expect(printOperation(parsed(text))).toBe(text.replaceAll("[7]", "[0]").replaceAll("[3]", "[1]"));
});

test.each(goldenParts("fixtures/llvm/canonicalize.mlir"))("canonicalizes as real Triton: $name", ({ input, output }) => {
  const canonicalize = (module: Operation) =>
    void applyPatternsGreedily(module, canonicalizationPatterns(module.ctx).set, { topDown: true, regionSimplification: "normal" });
  expect(rewritten(input, canonicalize)).toBe(output);
});
