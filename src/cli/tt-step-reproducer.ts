import type { Trace } from "../trace/trace.js";

/** The IR before the last step of a Trace, with the pass to run on it as MLIR's reproducers name it. */
export function reproducer(trace: Trace, argv: readonly string[]): string {
  const top = trace.steps.filter((s) => s.parent === undefined);
  const step = top.at(-1)!;
  const before = top.at(-2) ?? step;
  const pipeline = `builtin.module(${step.flag}${step.options ? `{${step.options}}` : ""})`;
  const command = `tt-step ${argv.map((arg) => (/^[\w./:=,#-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(" ")}`;
  return `// ${command.replaceAll("\n", " ")}
// fails in ${step.label} ${step.flag}; the IR before it:
${trace.lines.textOf(before.text)}
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
