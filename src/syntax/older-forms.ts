/**
 * Reads what older Tritons wrote otherwise, once today's syntax has failed. See `ir/spelling.ts`.
 */
import type { Context } from "../ir/context.js";
import type { OpDef } from "../ir/define-op.js";
import { type Era, type OlderForm, olderForms, takeSpelling } from "../ir/spelling.js";
import { ParseFailure } from "./cursor.js";
import { parseWithFormat } from "./format-parse.js";
import type { Parser } from "./parser.js";

interface Attempt {
  readonly def: OpDef;
  readonly read: () => void;
  readonly accept: () => void;
}

/**
 * Reads an op again from `start` (behind its name) in another spelling, after `failure`. Answers the definition that fits;
 * when none does, today's complaint stands.
 */
export function readInOlderForm(p: Parser, def: OpDef, at: number, start: number, failure: unknown): OpDef {
  if (!(failure instanceof ParseFailure)) throw failure;
  const { ctx } = p;
  const complaint = ctx.diagnostics.at(-1);
  for (const attempt of attempts(p, def, at)) {
    ctx.diagnostics.pop();
    p.restart(start);
    try {
      attempt.read();
      attempt.accept();
      return attempt.def;
    } catch (again) {
      if (!(again instanceof ParseFailure)) throw again;
    }
  }
  if (complaint && ctx.diagnostics.at(-1) !== complaint) ctx.diagnostics.splice(-1, 1, complaint);
  throw failure;
}

function attempts(p: Parser, def: OpDef, at: number): Attempt[] {
  const { ctx } = p;
  const older = olderForms(ctx, def.name).map(({ era, form }: { era: Era; form: OlderForm }) => ({
    def: form.def ?? def,
    read: () => form.parse(p),
    accept: () => void takeSpelling(ctx, era),
  }));
  if (!ctx.spelling?.forms.has(def.name)) return older;
  // The era's form did not fit: a text in between may have today's already.
  return [{ def, read: () => parseToday(p, def, at), accept: () => void ctx.spelling?.forms.delete(def.name) }, ...older];
}

/** Reads what follows an op's name in today's syntax. */
export function parseToday(p: Parser, def: OpDef, at: number): void {
  if (def.parse) def.parse(p);
  else if (def.format !== undefined) parseWithFormat(p, def, at);
  else p.fail(`custom op '${def.name}' has no custom form: write it in the generic form`, at, "parse.no-custom-form");
}

/** `func`, `return`, `call`: MLIR before 2023 left out the dialect. */
export function bareFuncOp(ctx: Context, name: string): OpDef | undefined {
  const def = ctx.ops.get(`func.${name}`);
  if (def && name === "func") takeSpelling(ctx, "2.0");
  return ctx.spelling?.before2023 ? def : undefined;
}
