import type { Step, Trace } from "./trace.js";

/** The IR before a pass of the pipeline, with the pass to run on it as MLIR's reproducers name it; `comment` is its first lines. */
export function reproducer(trace: Trace, step: Step, comment: readonly string[]): string {
  const before = trace.steps.findLast((s) => s.index < step.index && s.parent === undefined) ?? step;
  const pipeline = `builtin.module(${step.flag}${step.options ? `{${step.options}}` : ""})`;
  return `${comment.map((line) => `// ${line.replaceAll("\n", " ")}\n`).join("")}${trace.lines.textOf(before.text)}
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "${pipeline.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
`;
}
