/** The limits of a source: it is compiled to its final code first. */
import { artifactsOf } from "../backend/translate.js";
import { type CompileRequest, compileSource } from "../compile/compile-source.js";
import { type ModuleSource, type Rejected, rejected } from "../compile/source.js";
import { kernelOf } from "../dialects/builtin/function-op.js";
import { productCalled } from "../gpu/products.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import type { Trace } from "../trace/trace.js";
import { figuresOf } from "./figures.js";
import { type Limits, type LimitsRequest, limitsOf } from "./limits.js";

/** A launch, and how the source is compiled for it. Without a target the GPU's own is taken. */
export interface LimitsQuestion extends Omit<LimitsRequest, "names"> {
  readonly compile?: CompileRequest | undefined;
  /** Adds what an assembler says of the final code, where there is one: registers are estimated otherwise. */
  readonly assembled?: ((trace: Trace) => Trace) | undefined;
}

/** Finds what limits a kernel in a launch on a GPU. Sources that do not compile, and launches that they cannot have, are `Rejected`. */
export function limits(source: ModuleSource, question: LimitsQuestion): Limits | Rejected {
  const found = limitsAndTrace(source, { ...question, compile: { ...question.compile, record: "ttgir" } });
  return found.kind === "error" ? found : found.limits;
}

/** The same with the compilation that they are of, whose artifacts have the costs. */
export function limitsAndTrace(
  source: ModuleSource,
  { compile = {}, assembled, ...request }: LimitsQuestion,
): { readonly kind: "found"; readonly limits: Limits; readonly trace: Trace } | Rejected {
  const { defaults, request: own } = source;
  const kernel = kernelOf(source.module);
  const names = kernel && argumentNames(kernel, defaults ? "" : own.text);
  const product = request.gpu === undefined ? undefined : productCalled(request.gpu);
  const target = compile.target ?? (product && own.target === undefined ? product.target : undefined);
  const made = compileSource(
    source,
    { ...compile, ...(target === undefined ? {} : { target }), artifacts: ["ptx", "executable", ...(assembled ? ["llir" as const] : [])] },
    artifactsOf,
  );
  if (made.kind === "error") return made;
  if (!made.ok) return rejected(made.rendered.trimEnd() || "the kernel does not compile");
  const trace = assembled ? assembled(made.trace) : made.trace;
  const found = limitsOf(trace, { ...request, names });
  if (found.kind === "error") return found;
  const costs = { gpu: found.gpu.name, grid: found.grid, figures: figuresOf(found) };
  const { executable: _, ...artifacts } = trace.artifacts;
  return { kind: "found", limits: found, trace: { ...trace, artifacts: { ...artifacts, costs } } };
}
