/** Where a Content Security Policy forbids code made from text, functions are interpreted: validation gives the same results. */
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { compile, readSource, validate } from "../index.js";
import { interpreted } from "../support/interpreted.js";

const made = vi.hoisted(() => ({ count: 0 }));
vi.mock("../support/function-of.js", () => ({
  functionOf(parameters: readonly string[], body: string) {
    made.count++;
    return interpreted(parameters, body);
  },
}));

test.each(["vecadd_any_n", "softmax"])("%s", (name) => {
  const source = readSource({ name: `${name}.ttir`, text: readFileSync(`fixtures/kernels/${name}.ttir`, "utf8") });
  if (source.kind !== "module") throw new Error(JSON.stringify(source));
  const compiled = compile(source, { target: "cuda:80" });
  if (compiled.kind !== "compiled") throw new Error(JSON.stringify(compiled));
  const validation = validate(compiled.trace, { seconds: 0.2 });
  expect(validation).toMatchObject({ kind: "validated", broken: [] });
  expect(validation.kind === "validated" && [...validation.coverage.keys()]).toEqual(["the source", "Triton IR", "lowered code", "PTX"]);
  expect(made.count).toBeGreaterThan(20);
});
