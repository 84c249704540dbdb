import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { RULES } from "./index.js";
import { WITHOUT_RULE } from "./without-rule.js";

const TENSOR_LEVEL = ["builtin", "arith", "math", "ub", "scf", "cf", "gpu", "tt", "ttg", "ttng", "tti", "gluon", "nvws", "amdg"];
const ops = ALL_DIALECTS.filter((d) => TENSOR_LEVEL.includes(d.name)).flatMap((d) => d.ops);

test("every op of TTIR and TTGIR has a rule or a stated reason", () => {
  const missing = ops.filter((op) => !RULES.has(op) && !(op.name in WITHOUT_RULE)).map((op) => op.name);
  expect(missing).toEqual([]);
});

test("reasons are for ops that exist and have no rule", () => {
  const withRule = new Set([...RULES.keys()].map((op) => op.name));
  const names = new Set(ops.map((op) => op.name));
  expect(Object.keys(WITHOUT_RULE).filter((name) => withRule.has(name) || !names.has(name))).toEqual([]);
});
