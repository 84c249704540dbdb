/** `tt-step`: shows what the Triton compiler does to a kernel, pass by pass. */
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { EXIT, type Io } from "./io.js";
import { fileError, runMain } from "./node-io.js";
import { VERSION } from "./version.js";

export const run = (): Promise<void> => runMain(main);

export function main(argv: readonly string[], io: Io): number {
  if (argv.includes("--version")) {
    io.stdout.write(`tt-step ${VERSION}\n`);
    return EXIT.ok;
  }
  const [path, ...rest] = argv.filter((a) => !a.startsWith("--"));
  if (path === undefined || rest.length > 0) {
    io.stderr.write("tt-step: expects one input file\nUsage: tt-step INPUT [--debug-info]\n");
    return EXIT.badInput;
  }
  let text: string;
  try {
    text = io.readFile(path);
  } catch (error) {
    io.stderr.write(`tt-step: cannot read '${path}': ${fileError(error)}\n`);
    return EXIT.badInput;
  }
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, path, text);
  const ok = parsed !== undefined && verifyOperation(parsed.module);
  for (const diagnostic of ctx.diagnostics) io.stderr.write(renderDiagnostic(diagnostic, ctx.sources));
  if (!ok) return EXIT.badInput;
  io.stdout.write(
    printOperation(parsed.module, { debugInfo: argv.includes("--debug-info"), nameLocAsPrefix: argv.includes("--debug-info") }),
  );
  return EXIT.ok;
}
