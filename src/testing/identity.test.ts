import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { identityAgreement } from "./identity-truth.js";

/** Identity inferred from texts against the rewriter's ids. */
describe.each(["matmul", "softmax", "seed003_matmul"])("%s", (name) => {
  const text = readFileSync(`fixtures/kernels/${name}.ttir`, "latin1");
  test.each([true, false])("99 of 100 ops are identified as the rewriter has them (locations: %s)", (debugInfo) => {
    const { ops, agree, wrong } = identityAgreement(text, 80, debugInfo, ["ttir", "ttgir"]);
    expect(ops).toBeGreaterThan(100);
    expect(agree / ops, wrong.join("\n")).toBeGreaterThanOrEqual(0.99);
  });
  // Every access computes its thread's id anew, in the same ops: there is less to tell them apart by.
  test("in the LLVM dialect, 8 of 10", () => {
    const { ops, agree } = identityAgreement(text, 80, true, ["llir"]);
    expect(agree / ops).toBeGreaterThanOrEqual(0.8);
  });
});
