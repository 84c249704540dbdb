import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { ALL_DIALECTS } from "../index.js";
import { ArefStageInterface, DescriptorLoadOpInterface } from "./interfaces.js";

const text = readFileSync("fixtures/nvws/round-trip.mlir", "latin1");

function parse(source: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const module = parseModule(ctx, "test.mlir", source)?.module;
  if (!module || !verifyOperation(module)) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return module;
}

test("nvws and nvg print as real Triton does", () => {
  const module = parse(text);
  expect(printOperation(module)).toBe(text);
  expect(printOperation(parse(printOperation(module, { generic: true })))).toBe(text);
});

test("a stage can be given to every op on an aref", () => {
  const module = parse(text);
  let given = 0;
  module.walk((op) => {
    const stages = op.def.interface(ArefStageInterface);
    const index = op.region?.entry?.args.at(-1);
    if (!stages || !index) return;
    stages.setStage(op, index);
    expect(stages.stage(op)).toBe(index);
    given++;
  });
  expect(given).toBe(5);
  expect(verifyOperation(module)).toBe(true);
});

test("descriptor loads say how many bytes come", () => {
  const counts: number[] = [];
  parse(text).walk((op) => {
    const load = op.def.interface(DescriptorLoadOpInterface);
    if (load) counts.push(load.txCount(op));
  });
  expect(counts).toEqual([8192, 8192, 8192]);
});
