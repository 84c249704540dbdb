/** Runs our pipeline for the UI: from a text, under options that the user changes. */
import { type CompileOptions, type CompileProgress, type CompileResult, compileSteps, pipelineOf } from "../compile/compile.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { argumentAttr, setArgumentAttr } from "../dialects/builtin/function-op.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { type PassRewrites, RewriteDetails } from "../explain/rewrite-details.js";
import { IntegerAttr, i32Attr } from "../ir/builtin-attrs.js";
import { isFloat } from "../ir/builtin-types.js";
import { Context } from "../ir/context.js";
import { FunctionOp } from "../ir/interfaces.js";
import { NameLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import type { PipelineStep } from "../trace/stage.js";
import type { CompilerInput, WhatIf } from "./state/state.js";

/** A compilation that goes on with every `next()`. */
export type Run = Generator<CompileProgress, CompileResult>;

/** The module of a text, or what is wrong with it: diagnostics as text, and the first one's place. */
export function parse(name: string, text: string): { readonly module: Operation } | { readonly error: string; readonly line: number } {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, name, text);
  if (parsed && verifyOperation(parsed.module)) return { module: parsed.module };
  const first = ctx.diagnostics[0];
  return {
    error: ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("") || "the text holds no IR",
    line: first?.position?.line ?? 1,
  };
}

/** Writing the PTX of more ops than this would be felt; it is made when somebody looks at it (`ptx-thread.ts`). */
const MAX_OPS_AT_ONCE = 2000;

/** Starts compiling. */
export function start(
  input: CompilerInput,
  module: Operation,
  whatIf: WhatIf,
  clock: () => number,
  more: Partial<CompileOptions> = {},
): Run {
  setDivisibility(module, whatIf.divisibility);
  return compileSteps(input.name, module, {
    capability: whatIf.capability,
    options: whatIf.options,
    from: input.from,
    ...(input.startAfter === undefined ? {} : { startAfter: input.startAfter }),
    ...(input.stopAfter === undefined ? {} : { stopAfter: input.stopAfter }),
    ...whatIf.always,
    disabled: new Set(whatIf.disabled),
    remarks: true,
    artifacts: ["ptx"],
    maxArtifactOps: MAX_OPS_AT_ONCE,
    clock,
    ...more,
  });
}

/** Runs the passes up to the `n`th again and reports what that one did, rewrite by rewrite, by the labels of steps. */
export function* rewritesOf(input: CompilerInput, whatIf: WhatIf, n: number, clock: () => number): Generator<void, PassRewriteTable> {
  const position = positionOf(input, whatIf, n);
  const parsed = parse(input.name, input.text);
  const details = new RewriteDetails(String(n));
  if (position === undefined || "error" in parsed) return new Map();
  const options = { texts: false, remarks: false, verifyEach: false, stopAfter: position };
  const run = start(input, parsed.module, whatIf, clock, { ...options, watch: (at) => (at === position ? details : undefined) });
  for (;;) {
    const next = run.next();
    if (next.done) return details.take(next.value.idOf);
    yield;
  }
}
export type PassRewriteTable = ReadonlyMap<string, PassRewrites>;

/** The passes that a compilation will run. */
export function passesOf(
  input: Pick<CompilerInput, "from" | "startAfter" | "stopAfter">,
  whatIf: Pick<WhatIf, "capability" | "options" | "disabled">,
): readonly PipelineStep[] {
  const steps = pipelineOf({ capability: whatIf.capability, options: whatIf.options, from: input.from });
  return positionsOf(steps, input, whatIf).map((position) => steps[position - 1]!);
}
/** The position in the whole pipeline of the `n`th pass (from 1) that a compilation runs. */
export function positionOf(
  input: Pick<CompilerInput, "from" | "startAfter" | "stopAfter">,
  whatIf: Pick<WhatIf, "capability" | "options" | "disabled">,
  n: number,
): number | undefined {
  const steps = pipelineOf({ capability: whatIf.capability, options: whatIf.options, from: input.from });
  return positionsOf(steps, input, whatIf)[n - 1];
}
function positionsOf(
  steps: readonly PipelineStep[],
  { startAfter = 0, stopAfter = steps.length }: Pick<CompilerInput, "startAfter" | "stopAfter">,
  { disabled }: Pick<WhatIf, "disabled">,
): readonly number[] {
  return steps.map((_, i) => i + 1).filter((position) => position > startAfter && position <= stopAfter && !disabled.includes(position));
}

/** The arguments of the first kernel; those that cannot be said to be divisible, as floats, without a name. */
export function divisibilityOf(module: Operation): WhatIf["divisibility"] {
  const func = kernelOf(module);
  if (!func) return [];
  return [...(func.regions[0]?.firstBlock?.args ?? [])].map((arg, i) => {
    const attr = argumentAttr(func, i, "tt.divisibility");
    const name = NameLoc.is(arg.loc) ? arg.loc.params.name : `arg${i}`;
    return [isFloat(arg.type) ? "" : name, IntegerAttr.is(attr) ? Number(attr.params.value) : undefined] as const;
  });
}

function setDivisibility(module: Operation, divisibility: WhatIf["divisibility"]): void {
  const func = kernelOf(module);
  if (!func) return;
  divisibility.forEach(([, by], i) => {
    const now = argumentAttr(func, i, "tt.divisibility");
    const known = IntegerAttr.is(now) ? Number(now.params.value) : undefined;
    if (known !== by) setArgumentAttr(func, i, "tt.divisibility", by === undefined ? undefined : i32Attr(module.ctx, by));
  });
}

/** The first public function with a body. */
function kernelOf(module: Operation): Operation | undefined {
  for (const op of module.regions[0]?.firstBlock?.ops() ?? []) {
    if (!op.def.interface(FunctionOp)) continue;
    const visibility = op.attr("sym_visibility");
    if ((visibility?.params as { readonly value?: string } | undefined)?.value !== "private" && op.regions[0]?.firstBlock) return op;
  }
  return undefined;
}
