import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { pipelineOf } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { runPipeline } from "../pass/pass-manager.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { parseModule } from "../syntax/parse.js";

/** Constants are everybody's: they alone need not come from an op. */
test.each(["matmul", "flash_attention", "layernorm", "softmax"])("every op that a pass makes comes from another: %s", (name) => {
  const file = `fixtures/kernels/${name}.ttir`;
  const module = parseModule(new Context(ALL_DIALECTS), file, readFileSync(file, "latin1"))!.module!;
  const orphans: string[] = [];
  let known = idsOf(module);
  for (const { flag, options, stage } of pipelineOf({ target: "cuda:80", options: defaultOptions(80) })) {
    if (stage !== "ttir" && stage !== "ttgir") break;
    const pipeline = parsePipeline(options ? `${flag}{${options}}` : flag, (pass) => PASSES.get(pass));
    if ("error" in pipeline) throw new Error(pipeline.error);
    runPipeline(module, pipeline.elements);
    module.walk((op) => {
      if (!known.has(op.id) && op.origin === undefined && op.name !== "arith.constant") orphans.push(`${op.name} of ${flag}`);
    });
    known = idsOf(module);
  }
  expect(orphans).toEqual([]);
});

function idsOf(module: Operation): Set<number> {
  const ids = new Set<number>();
  module.walk((op) => void ids.add(op.id));
  return ids;
}
