import type { Diagnostic, Severity } from "../diagnostics/diagnostic.js";
import { positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { LayoutError } from "../layout/layout-error.js";
import type { RewriteListener } from "../rewrite/rewriter.js";
import { LimitError } from "../support/limits.js";
import { AnalysisCache } from "./analysis.js";
import type { PassContext, PassNote, PassStep } from "./define-pass.js";
import type { Instrumentation, StepRecord } from "./instrumentation.js";
import { PassError } from "./pass-error.js";
import { makeRemark } from "./remark.js";

/** Steps, possibly nested: `builtin.module(tt.func(canonicalize), cse)`. `any` and a matching name stand for the op itself. */
export type PipelineElement = PassStep | { readonly kind: "nested"; readonly op: string; readonly elements: readonly PipelineElement[] };

/** Checks and hooks around each pass. */
export interface RunOptions {
  /** Verify the IR after every pass; a pass that leaves wrong IR fails the run. On by default. */
  readonly verifyEach?: boolean;
  readonly instrumentation?: readonly Instrumentation[];
}
/** Whether all passes ran, and which one failed. */
export interface RunResult {
  readonly ok: boolean;
  /** The pass that failed, and how: it said so, or its result does not verify. */
  readonly failed?: { readonly step: PassStep; readonly reason: "pass" | "verify" };
}

const CRASH = "triton.crash";

/** Runs a pipeline on `root`. Diagnostics go to the Context. */
export function runPipeline(root: Operation, elements: readonly PipelineElement[], options: RunOptions = {}): RunResult {
  const run = new PipelineRun(options);
  run.elements(elements, root, 0);
  return run.failed ? { ok: false, failed: run.failed } : { ok: true };
}

class PipelineRun {
  failed: RunResult["failed"];
  readonly #analyses = new AnalysisCache();
  constructor(readonly options: RunOptions) {}

  elements(elements: readonly PipelineElement[], root: Operation, depth: number): boolean {
    for (const element of elements) {
      if (element.kind === "pass") {
        if (!this.step(element, root, depth)) return false;
      } else if (element.op === "any" || element.op === root.name) {
        if (!this.elements(element.elements, root, depth)) return false;
      } else {
        // The ops of that kind directly inside, as upstream's op pass adaptor finds them.
        const targets: Operation[] = [];
        for (const region of root.regions)
          for (const block of region.blocks()) for (const op of block.ops()) if (op.name === element.op) targets.push(op);
        for (const target of targets) if (!this.elements(element.elements, target, depth)) return false;
      }
    }
    return true;
  }

  private step(step: PassStep, root: Operation, depth: number): boolean {
    const hooks = this.options.instrumentation ?? [];
    const statistics = new Map<string, number>();
    const record: StepRecord = { step, root, depth, statistics };
    for (const hook of hooks) hook.before?.(record);
    let failed = false;
    const listeners = hooks.map((h) => h.listener?.(record)).filter((l): l is RewriteListener => l !== undefined);
    const emit =
      (severity: Severity) =>
      (op: Operation, message: string, code = `pass.${step.pass.flag}`, notes: readonly PassNote[] = []) => {
        op.ctx.emit({
          ...diagnosticAt(op, severity, code, message),
          notes: notes.map((note) => diagnosticAt(note.op, "note", code, note.message)),
        });
        if (severity === "error") failed = true;
      };
    const crash = (op: Operation, why: string): void => {
      // After the first, real Triton is not there any more.
      if (op.ctx.diagnostics.some(({ code }) => code === CRASH)) return;
      const message = `real Triton ends here, in ${step.pass.flag}: ${why}`;
      emit("note")(op, `'${op.name}': ${message}`, CRASH);
      context.explain?.(op, CRASH, { kind: "analysis", message: `{0}: ${message}`, fields: { pass: step.pass.flag } });
    };
    const heard = hooks.filter((hook) => hook.remark !== undefined);
    const context: PassContext = {
      options: step.options,
      count: (name, by = 1) => void statistics.set(name, (statistics.get(name) ?? 0) + by),
      analysis: (analysis, at = root) => {
        const value = this.#analyses.get(analysis, at);
        const found = analysis.crash?.(value);
        if (found) crash(found.op, found.why);
        return value;
      },
      report: { error: emit("error"), warning: emit("warning"), remark: emit("remark"), crash },
      fail: () => {
        failed = true;
      },
      runNested: (steps, op) => this.elements(steps, op, depth + 1),
      dump: (label, op) => {
        for (const hook of hooks) hook.dump?.(record, label, op);
      },
      explain:
        heard.length === 0
          ? undefined
          : (op, code, text) => {
              const remark = makeRemark(op, code, text);
              for (const hook of heard) hook.remark!(record, remark);
            },
      listener: listeners.length === 1 ? listeners[0]! : joinListeners(listeners),
    };
    const { origin } = root.ctx;
    try {
      step.pass.run(root, context as PassContext<never>);
    } catch (error) {
      const problem = asPassError(error, step, root);
      root.ctx.origin = origin;
      context.report.error(problem.op, problem.message, problem.code);
    }
    if (failed || this.failed) {
      this.failed ??= { step, reason: "pass" };
      for (const hook of hooks) hook.after?.(record, false);
      return false;
    }
    const { diagnostics } = root.ctx;
    const before = diagnostics.length;
    if (this.options.verifyEach !== false && !isStillValid(root))
      this.failed = { step, reason: isStaleAttribute(step, diagnostics.slice(before)) ? "pass" : "verify" };
    for (const hook of hooks) hook.after?.(record, this.failed === undefined);
    return this.failed === undefined;
  }
}

/** Whether all that is wrong is what attributes of a dialect say, which MLIR's own passes do not know: upstream's leave them stale too. */
function isStaleAttribute({ pass }: PassStep, found: readonly Diagnostic[]): boolean {
  return pass.source?.startsWith("mlir/") === true && found.every(({ severity, code }) => severity !== "error" || code === "ttg.attribute");
}

/** Turns an exception of a pass into an error at an op; rethrows it if it is not such an error. */
function asPassError(error: unknown, step: PassStep, root: Operation): PassError {
  if (error instanceof PassError) return error;
  if (error instanceof LimitError)
    return new PassError(operationWithId(root, root.ctx.origin) ?? root, `${step.pass.flag}: ${error.message}`, error.code);
  // A layout that the verifier lets pass and that the pass cannot take; upstream asserts there.
  if (!(error instanceof LayoutError)) throw error;
  const op = operationWithId(root, root.ctx.origin) ?? root;
  return new PassError(op, `'${op.name}' cannot go through ${step.pass.flag} with its layouts: ${error.message}`, "pass.layout");
}
/** The op inside `root` that was being rewritten. */
function operationWithId(root: Operation, id: Operation["origin"]): Operation | undefined {
  let found: Operation | undefined;
  root.walk((op) => {
    if (op.id === id) found = op;
  });
  return found;
}

/** The state of the IR at which an op was found valid: a pass that changes nothing need not be verified. */
const validAt = new WeakMap<Operation, number>();

function isStillValid(root: Operation): boolean {
  const { version } = root.ctx;
  if (validAt.get(root) === version) return true;
  if (!verifyOperation(root)) return false;
  validAt.set(root, version);
  return true;
}

function diagnosticAt(op: Operation, severity: Severity, code: string, message: string): Diagnostic {
  const position = positionOfLocation(op.ctx, op.locRef);
  return { severity, code, message, ...(position ? { position } : {}), notes: [] };
}

function joinListeners(listeners: readonly RewriteListener[]): RewriteListener {
  if (listeners.length === 0) return {};
  return {
    inserted: (op) => listeners.forEach((l) => l.inserted?.(op)),
    modified: (op) => listeners.forEach((l) => l.modified?.(op)),
    replaced: (op, values) => listeners.forEach((l) => l.replaced?.(op, values)),
    erased: (op) => listeners.forEach((l) => l.erased?.(op)),
    blockErased: (block) => listeners.forEach((l) => l.blockErased?.(block)),
    noMatch: (op, reason) => listeners.forEach((l) => l.noMatch?.(op, reason)),
    rewriteBegin: (name, op) => listeners.forEach((l) => l.rewriteBegin?.(name, op)),
    rewriteEnd: (name, applied) => listeners.forEach((l) => l.rewriteEnd?.(name, applied)),
  };
}
