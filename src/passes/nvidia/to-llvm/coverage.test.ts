import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { LOWERING_RULES } from "./convert-triton-gpu-to-llvm.js";
import { WITHOUT_LOWERING } from "./without-rule.js";

/** nvws's ops are lowered by passes of their own before. */
const TENSOR_LEVEL = ["builtin", "arith", "math", "ub", "scf", "cf", "gpu", "tt", "ttg", "ttng", "tti"];
const ops = ALL_DIALECTS.filter((d) => TENSOR_LEVEL.includes(d.name)).flatMap((d) => d.ops);

test("every op of TTGIR has a lowering or a stated reason", () => {
  expect(ops.filter((op) => !LOWERING_RULES.has(op) && !(op.name in WITHOUT_LOWERING)).map((op) => op.name)).toEqual([]);
});

test("reasons are for ops that exist and have no lowering", () => {
  const withRule = new Set([...LOWERING_RULES.keys()].map((op) => op.name));
  const names = new Set(ops.map((op) => op.name));
  expect(Object.keys(WITHOUT_LOWERING).filter((name) => withRule.has(name) || !names.has(name))).toEqual([]);
});
