/** Kernels beside what real Triton 3.7.1 makes of them (fixtures/compile/triton-3.7): the source, and the LLVM dialect after the last pass. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../compile/compile.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { compileKernel, readPython } from "../../frontend/compile-python.js";
import { chooseKernel, specialize } from "../../frontend/specialize.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { attrText, typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { TRITON_3_6, TRITON_3_7, type TritonVersion } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { defaultOptions } from "./options.js";

const FOLDER = "fixtures/compile/triton-3.7";
const CASES = [
  ["rows", 80, "*fp32:16, *fp32:16, i32, 1024"],
  ["rows", 100, "*fp32:16, *fp32:16, i32, 1024"],
  ["tiles", 90, "*fp16:16, *fp16:16, i32, i32:16, 64"],
] as const;

const stored = (name: string): Operation =>
  parseModule(new Context(ALL_DIALECTS), name, readFileSync(`${FOLDER}/${name}`, "latin1"))!.module;

/** Attributes without defaults that the parser adds. */
const attrsText = (op: Operation): string => attrText(op.attrs).replaceAll(/(, )?\b(unnamed_addr|visibility_) = 0 : i64/g, "");

/** A module op by op; neither names of values nor where constants stand make a difference. */
function lines(module: Operation): readonly string[] {
  const names = new Map<Value, string>();
  const nameOf = (value: Value): string => {
    const op = value.definingOp;
    if (op && (op.def.isConstantLike || op.name === "llvm.mlir.undef" || op.name === "llvm.mlir.addressof"))
      return `<${attrText(op.attrs)}>`;
    if (!names.has(value)) names.set(value, `%${names.size}`);
    return names.get(value)!;
  };
  const list: string[] = [];
  module.walk((op) => {
    if (op.numResults > 0 && nameOf(op.result(0)).startsWith("<")) return;
    list.push(`${op.name} ${op.operands.map(nameOf).join()} ${attrsText(op)} ${op.resultTypes.map(typeText).join()}`);
  });
  return list;
}

function source(name: string, capability: number, signature: string, triton: TritonVersion): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const file = readPython(ctx, `${name}.py`, readFileSync(`${FOLDER}/${name}.py`, "latin1"), {
    readFile: () => undefined,
    capability,
    triton,
  });
  const chosen = chooseKernel(file!.kernels, name, `${name}.py`);
  if ("error" in chosen) throw new Error(chosen.error);
  const specialized = specialize(chosen, { kernel: name, signature, types: [], constants: [], config: undefined }, []);
  if ("error" in specialized) throw new Error(specialized.error);
  return compileKernel(file!, specialized.specialization, { capability, ...defaultOptions(capability) })!;
}

test.each(CASES)("%s for sm_%d: the source, and the code after the last pass", (name, capability, signature) => {
  const module = source(name, capability, signature, TRITON_3_7);
  expect(lines(module)).toEqual(lines(stored(`${name}.source.ttir`)));
  const { ok } = compile(name, module, { capability, options: defaultOptions(capability), version: TRITON_3_7, clock: () => 0 });
  expect(ok).toBe(true);
  expect(lines(module)).toEqual(lines(stored(`${name}-sm${capability}.llvm.mlir`)));
});

test("3.6 makes other code of them", () => {
  const module = source("rows", 80, CASES[0][2], TRITON_3_6);
  expect(lines(module)).not.toEqual(lines(stored("rows.source.ttir")));
});
