import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { gpuCalled } from "../gpu/gpu.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { compileKernel, readPython } from "./compile-python.js";
import { chooseKernel, specialize } from "./specialize.js";

/** A kernel with what Triton 3.6 makes of it, by target: which module of modules.ttir.br; targets with the same module once. */
interface Entry {
  readonly file: string;
  readonly kernel: string;
  readonly signature: string;
  readonly options?: { readonly debug?: boolean };
  readonly targets: Readonly<Record<string, string>>;
}
const FOLDER = "fixtures/frontend";
const KERNELS: Readonly<Record<string, Entry>> = JSON.parse(readFileSync(`${FOLDER}/kernels.json`, "utf8"));
const MODULES = new Map(
  brotliDecompressSync(readFileSync(`${FOLDER}/modules.ttir.br`))
    .toString("latin1")
    .split(/^=== /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf("\n")), text.slice(text.indexOf("\n") + 1)] as const),
);

/** The module of a kernel, printed with its locations. */
function made({ file: path, kernel, signature, options }: Entry, capability: number): string {
  const ctx = new Context(ALL_DIALECTS);
  const told = () => new Error(ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join(""));
  const text = readFileSync(`fixtures/${path}`, "latin1");
  const file = readPython(ctx, path.slice(path.lastIndexOf("/") + 1), text, { readFile: () => undefined });
  if (!file) throw told();
  const chosen = chooseKernel(file.kernels, kernel, path);
  if ("error" in chosen) throw new Error(chosen.error);
  const specialized = specialize(chosen, { kernel, signature, types: [], constants: [], config: undefined }, []);
  if ("error" in specialized) throw new Error(specialized.error);
  const module = compileKernel(file, specialized.specialization, {
    gpu: gpuCalled(`cuda:${capability}`)!,
    ...defaultOptions(capability),
    ...options,
  });
  if (!module) throw told();
  // Triton's own files are in other folders elsewhere.
  return printOperation(module, { debugInfo: true }).replaceAll('"/triton/language/', '"');
}

function expected(name: string): string {
  const ctx = new Context(ALL_DIALECTS);
  return printOperation(parseModule(ctx, name, MODULES.get(name)!)!.module, { debugInfo: true });
}

describe("Triton 3.6's own modules, with locations", () => {
  const cases = Object.entries(KERNELS).flatMap(([name, entry]) =>
    Object.entries(entry.targets).map(([target, module]) => ({ name, entry, target, module })),
  );
  test.each(cases)("$name for sm_$target", ({ entry, target, module }) => {
    expect(made(entry, Number(target))).toBe(expected(module));
  });
});
