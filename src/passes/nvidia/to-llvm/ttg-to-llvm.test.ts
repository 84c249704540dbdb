import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPipeline } from "../../../pass/pass-manager.js";
import { parsePipeline } from "../../../pass/pipeline-text.js";
import { goldenParts, rewritten } from "../../../testing/golden-parts.js";
import { testGoldenPasses } from "../../../testing/golden-passes.js";
import { PASSES } from "../../index.js";

const FOLDER = "fixtures/passes/ttg-to-llvm";
testGoldenPasses(FOLDER);

/** The operations except constants and undefs: the lowering does not determine the places and the number of those. */
const operations = (text: string) =>
  text
    .split("\n")
    .filter((line) => !/= llvm.mlir.(constant\(|undef )/.test(line))
    .map((line) => line.replace(/%\w+(#\d+)?/g, "%"));

describe("the form that folds as it builds leaves what canonicalization leaves of the other", () => {
  for (const file of readdirSync(FOLDER))
    for (const { input, output } of goldenParts(`${FOLDER}/${file}`)) {
      const [, name, passes] = /^\/\/ from (.*)\n\/\/ PASS: (.*)$/m.exec(input)!;
      test(name!, () => {
        const pipeline = parsePipeline(passes!.replace(/(convert-triton-gpu-to-llvm\{[^}]*)/, "$1 fold=true"), (flag) => PASSES.get(flag));
        if ("error" in pipeline) throw new Error(pipeline.error);
        const folded = rewritten(input, (module) => expect(runPipeline(module, pipeline.elements).ok).toBe(true));
        expect(operations(folded.trim())).toEqual(operations(output.trim()));
      });
    }
});
