/** Fixtures of passes: each part is real Triton's IR before a pass, which its second line names, and after it. Remarks are made too. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPipeline } from "../pass/pass-manager.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { type Remark, refText, remarkMessage } from "../pass/remark.js";
import { PASSES } from "../passes/index.js";
import { goldenParts, rewritten } from "./golden-parts.js";

/** One test for each part of each file in a folder. */
export function testGoldenPasses(folder: string): void {
  describe.each(readdirSync(folder).sort())("%s", (file) => {
    test.each(goldenParts(`${folder}/${file}`).map((part) => [/^\/\/ from (.*)$/m.exec(part.input)?.[1] ?? part.name, part] as const))(
      "%s",
      (_, { input, output }) => {
        const pipeline = parsePipeline(/^\/\/ PASS: (.*)$/m.exec(input)![1]!, (flag) => PASSES.get(flag));
        if ("error" in pipeline) throw new Error(pipeline.error);
        const after = rewritten(input, (module) => {
          const remark = (_: unknown, made: Remark): void => expect(remarkMessage(made, refText)).not.toContain("undefined");
          expect(runPipeline(module, pipeline.elements, { instrumentation: [{ remark }] }).ok).toBe(true);
        });
        expect(after.trim()).toBe(output.trim());
      },
    );
  });
}
