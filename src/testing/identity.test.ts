import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { identityAgreement } from "./identity-truth.js";

/** Identity inferred from texts against the rewriter's ids. */
describe.each(["matmul", "softmax", "seed003_matmul"])("%s", (name) => {
  const text = readFileSync(`fixtures/kernels/${name}.ttir`, "latin1");
  test.each([true, false])("99 of 100 ops are identified as the rewriter has them (locations: %s)", (debugInfo) => {
    const { ops, agree, wrong } = identityAgreement(text, 80, debugInfo);
    expect(ops).toBeGreaterThan(100);
    expect(agree / ops, wrong.join("\n")).toBeGreaterThanOrEqual(0.99);
  });
});
