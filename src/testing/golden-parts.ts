/**
 * Fixtures of many small inputs, each with what real Triton makes of it: parts are divided by `// -----`, and
 * `// ===>` is between the input and the output.
 */
import { readFileSync } from "node:fs";
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { DEFAULT_TRITON } from "../support/triton-version.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

export interface GoldenPart {
  readonly name: string;
  readonly input: string;
  readonly output: string;
}

export function goldenParts(path: string): GoldenPart[] {
  return readFileSync(path, "latin1")
    .split(/^\/\/ -----\n/m)
    .map((part, i) => {
      const [input, output] = part.split(/^\/\/ ===>\n/m) as [string, string];
      return { name: `${i} ${/@\w+/.exec(input)?.[0] ?? ""}`, input, output: `${output.trimEnd()}\n` };
    });
}

/** The input after `change`, verified and printed; what is wrong with it instead, if anything is. */
export function rewritten(input: string, change: (module: Operation) => void, triton = DEFAULT_TRITON): string {
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = triton;
  ctx.allowUnregisteredDialects = true;
  const module = parseModule(ctx, "input", input)?.module;
  if (module && verifyOperation(module)) {
    change(module);
    if (verifyOperation(module)) return printOperation(module);
  }
  return ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("\n");
}
