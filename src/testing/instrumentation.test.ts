import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPipeline } from "../pass/pass-manager.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { goldenParts, rewritten } from "./golden-parts.js";

/** Upstream names functions by the addresses of types, which differ from run to run: here by the order in which they occur. */
function typesInOrder(text: string): string {
  const seen = new Map<string, number>();
  return text.replace(/_T[0-9A-F]+(?=[_(])/g, (name) => {
    if (!seen.has(name)) seen.set(name, seen.size);
    return `_T${seen.get(name)}`;
  });
}

const FOLDER = "fixtures/passes/instrumentation";
describe.each(readdirSync(FOLDER).sort())("%s", (file) => {
  test.each(goldenParts(`${FOLDER}/${file}`).map((part) => [/^\/\/ from (.*)$/m.exec(part.input)![1]!, part] as const))(
    "%s",
    (_, { input, output }) => {
      const pipeline = parsePipeline(/^\/\/ PASS: (.*)$/m.exec(input)![1]!, (flag) => PASSES.get(flag));
      if ("error" in pipeline) throw new Error(pipeline.error);
      const after = rewritten(input, (module) => expect(runPipeline(module, pipeline.elements).ok).toBe(true));
      expect(typesInOrder(after).trim()).toBe(typesInOrder(output).trim());
    },
  );
});
