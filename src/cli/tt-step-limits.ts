/** `tt-step limits INPUT`: what limits a kernel on a GPU, without one. */

import { type GpuProduct, productCalled } from "../gpu/products.js";
import { compile, type Source } from "../index.js";
import { type Limits, limitsOf } from "../limits/limits.js";
import { limitsText } from "../limits/text.js";
import type { Io } from "./io.js";
import { assembledPtx, machineFactsOf } from "./ptxas.js";
import { type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { everywhere } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import { deliver, refuse, usage } from "./tt-step-output.js";
import { namesOfInput } from "./tt-step-validate.js";

type LimitsLine = LineOf<"limits">;

export async function limitsMain({ words, values, written }: LimitsLine, io: Io): Promise<number> {
  const [path, more] = words;
  if (path === undefined || more !== undefined) return usage(io, "limits expects one input. Try: tt-step limits --help");
  const product = values.gpu === undefined ? undefined : productCalled(values.gpu);
  const args = argsFor({ values, written }, path, product);
  if ("error" in args) return usage(io, args.error);
  const input = readInput(path, io, args);
  if (input.kind === "error") return refuse(input, io);
  const unused = withoutEffect(input, path, args);
  if (unused !== undefined) return usage(io, unused);
  const grid = values.grid ?? (input.kind === "module" ? input.python?.grid(new Map(values.arg)) : undefined);
  if (grid === undefined) return usage(io, "the costs depend on how many programs there are: --grid X,Y,Z");
  const found = limitsOfSource(input, args, { values, grid }, io);
  if ("error" in found) return usage(io, found.error);
  return deliver(values.json ? `${JSON.stringify(found, undefined, 1)}\n` : limitsText(found), args, io);
}

/** The target is the GPU's own where none is given. */
function argsFor(
  { values, written }: Pick<LimitsLine, "values" | "written">,
  path: string,
  product: GpuProduct | undefined,
): TtStepArgs | { readonly error: string } {
  const { gpu: _gpu, arg: _arg, shape: _shape, grid: _grid, ptxas: _ptxas, json: _json, ...rest } = values;
  return stepArgs({ ...rest, target: rest.target ?? product?.capability }, written, path, (input) => ["limits", input]);
}

interface Asked {
  readonly values: LimitsLine["values"];
  readonly grid: readonly number[];
}

/** Compiles a source to its final code, and asks for its limits. */
export function limitsOfSource(source: Source, args: TtStepArgs, { values, grid }: Asked, io: Io): Limits | { readonly error: string } {
  const names = namesOfInput(source);
  const compiled = compile(source, { ...everywhere(args, io), artifacts: ["ptx"] });
  if (compiled.kind === "error") return { error: compiled.message ?? compiled.rendered! };
  io.stderr.write(compiled.rendered);
  const { ptx } = compiled.artifacts;
  const assembled = values.ptxas && ptx !== undefined ? assembledPtx(ptx, args.cuda, io) : undefined;
  if (assembled && "error" in assembled) return { error: `ptxas refuses the final code: ${assembled.error}` };
  const limits = limitsOf(compiled.trace, {
    args: Object.fromEntries(values.arg),
    shapes: Object.fromEntries(values.shape),
    grid,
    names,
    gpu: values.gpu,
    registers: assembled && machineFactsOf(assembled).registers,
  });
  return limits.kind === "error" ? { error: limits.message! } : limits;
}
