import { expect, test } from "vitest";
import { llvm } from "../../dialects/llvm/index.js";
import { PTX_RULES } from "./lower-ops.js";
import { WITHOUT_PTX } from "./without-rule.js";

/** Intrinsics have rules by name and type, and say at their op when there is none. */
const ops = llvm.ops.filter((op) => !op.name.startsWith("llvm.intr.") && !op.isConstantLike);

test("every op of the LLVM dialect has a rule or a stated reason", () => {
  expect(ops.filter((op) => !PTX_RULES.has(op) && !(op.name in WITHOUT_PTX)).map((op) => op.name)).toEqual([]);
});

test("reasons are for ops that exist and have no rule", () => {
  const withRule = new Set([...PTX_RULES.keys()].map((op) => op.name));
  const names = new Set(ops.map((op) => op.name));
  expect(Object.keys(WITHOUT_PTX).filter((name) => withRule.has(name) || !names.has(name))).toEqual([]);
});
