import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { PASSES } from "../index.js";

const FOLDER = "fixtures/passes/ttg";

// Each part is real Triton's IR before a pass (named in its first line) and after it.
describe.each(readdirSync(FOLDER).sort())("%s", (file) => {
  test.each(goldenParts(`${FOLDER}/${file}`).map((part) => [/^\/\/ from (.*)$/m.exec(part.input)?.[1] ?? part.name, part] as const))(
    "%s",
    (_, { input, output }) => {
      const pipeline = parsePipeline(/^\/\/ PASS: (.*)$/m.exec(input)![1]!, (flag) => PASSES.get(flag));
      if ("error" in pipeline) throw new Error(pipeline.error);
      const run = (text: string): string =>
        rewritten(text, (module) => {
          expect(runPipeline(module, pipeline.elements).ok).toBe(true);
        });
      const once = run(input);
      expect(once.trim()).toBe(output.trim());
    },
  );
});
