import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPipeline } from "../../../pass/pass-manager.js";
import { parsePipeline } from "../../../pass/pipeline-text.js";
import { goldenParts, rewritten } from "../../../testing/golden-parts.js";
import { PASSES } from "../../index.js";

const FOLDER = "fixtures/passes/amd-to-llvm";
const CONSTANT = /^ *(%\d+) = (llvm\.mlir\.(?:constant|undef|zero|poison).*?)\s*$/;

/** Where constants are made is not determined by the lowering: they are written where they are used, and the other values numbered anew. */
function constantsAtUses(text: string): string {
  let names = new Map<string, string>();
  let values = 0;
  const lines: string[] = [];
  for (const line of text.trim().split("\n")) {
    const [, name, constant] = CONSTANT.exec(line) ?? [];
    if (line.includes("llvm.func")) {
      names = new Map();
      values = 0;
    }
    if (name) names.set(name, `<${constant}>`);
    else
      lines.push(
        line.replace(/%\w+/g, (value) => {
          if (!names.has(value)) names.set(value, `%${values++}`);
          return names.get(value)!;
        }),
      );
  }
  return lines.join("\n");
}

describe.each(readdirSync(FOLDER).sort())("%s", (file) => {
  test.each(goldenParts(`${FOLDER}/${file}`).map((part) => [/^\/\/ from (.*)$/m.exec(part.input)![1]!, part] as const))(
    "%s",
    (_, { input, output }) => {
      const passes = /^\/\/ PASS: (.*)$/m.exec(input)![1]!;
      // With and without the form that makes no structs and each constant once.
      for (const text of [passes, passes.replace(/(convert-triton-amdgpu-to-llvm\{[^}]*)/, "$1 fold=true")]) {
        const pipeline = parsePipeline(text, (flag) => PASSES.get(flag));
        if ("error" in pipeline) throw new Error(pipeline.error);
        const after = rewritten(input, (module) => expect(runPipeline(module, pipeline.elements).ok).toBe(true));
        expect(constantsAtUses(after)).toBe(constantsAtUses(output));
      }
    },
  );
});
