/**
 * Reads what older Tritons wrote otherwise, once today's syntax has failed. See `ir/spelling.ts`.
 */
import type { Attribute } from "../ir/attribute.js";
import type { Context } from "../ir/context.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import { ERAS, type Era, type OlderForm, olderForms, takeSpelling } from "../ir/spelling.js";
import { ParseFailure } from "./cursor.js";
import { parseWithFormat } from "./format-parse.js";
import type { Parser } from "./parser.js";

interface Attempt {
  readonly def: OpDef;
  readonly read: () => void;
  readonly accept: () => void;
}

/**
 * Reads an op again from `start` (after its name) in another spelling, after `failure`. Returns the definition that fits;
 * when none does, it restores the diagnostic of today's form and throws `failure`.
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
    def: form.kind === "op" ? form.def : def,
    read: () => void readForm(p, form, def, at),
    accept: () => void takeSpelling(ctx, era),
  }));
  if (!ctx.spelling?.forms.has(def.name)) return older;
  // The era's form did not fit: a text in between may have today's already.
  return [{ def, read: () => parseToday(p, def, at), accept: () => void ctx.spelling?.forms.delete(def.name) }, ...older];
}

/** The parts of an op in the generic form. */
interface Parts {
  readonly types: readonly unknown[];
  readonly regions: readonly unknown[];
  readonly attrs: readonly (readonly [name: string, value: unknown])[];
}

/** The definition of an op in the generic form: an older one of that name where only that has so many results and regions, and its attributes are there. */
export function definitionThatFits(ctx: Context, def: OpDef, parts: Parts): OpDef {
  const hasAttributes = ({ attrs }: OpDef) =>
    attrs.every((spec) => spec.optional || spec.default || parts.attrs.some(([name]) => name === spec.name));
  const fits = ({ results, regions }: OpDef) =>
    countFits(
      parts.types.length,
      results.map(({ arity }) => arity !== "single"),
    ) &&
    countFits(
      parts.regions.length,
      regions.map(({ variadic }) => variadic),
    );
  if (!def.registered || fits(def)) return def;
  for (const era of ERAS) {
    const form = ctx.dialects.get(def.dialect)?.olderForms?.[era]?.[def.name];
    if (form?.kind !== "op" || !fits(form.def) || !hasAttributes(form.def)) continue;
    takeSpelling(ctx, era);
    return form.def;
  }
  return def;
}
function countFits(count: number, variable: readonly boolean[]): boolean {
  const fixed = variable.filter((one) => !one).length;
  return fixed === variable.length ? count === fixed : count >= fixed;
}

/** Turns the attributes of an op in the generic form into today's, where an era had others. */
export function modernizeAttributes(ctx: Context, { dialect, name }: OpDef, attrs: [string, Attribute][]): void {
  const forms = ctx.dialects.get(dialect)?.olderForms;
  for (const era of ERAS) {
    const form = forms?.[era]?.[name];
    if (form?.kind === "syntax" && form.modernize?.(ctx, attrs)) takeSpelling(ctx, era);
  }
}

/** Reads what follows an op's name in today's syntax. */
export function parseToday(p: Parser, def: OpDef, at: number): void {
  if (def.parse) def.parse(p);
  else if (def.format !== undefined) parseWithFormat(p, def, at);
  else p.fail(`custom op '${def.name}' has no custom form: write it in the generic form`, at, "parse.no-custom-form");
}

/** Reads what follows an op's name in an older form; returns the definition of the op. */
export function readForm(p: Parser, form: OlderForm, def: OpDef, at: number): OpDef {
  if (form.kind === "syntax") form.parse(p);
  else if (form.kind === "op") parseToday(p, form.def, at);
  else parseToday(p, def, at);
  return form.kind === "op" ? form.def : def;
}

/** `func`, `return`, `call`: MLIR before 2023 left out the dialect. */
export function bareFuncOp(ctx: Context, name: string): OpDef | undefined {
  const def = ctx.ops.get(`func.${name}`);
  if (def && name === "func") takeSpelling(ctx, "2.0");
  return ctx.spelling?.before2023 ? def : undefined;
}

/**
 * Takes the spelling of a module that today's syntax could read but would not write. In the generic form 2.0 had no `<{}>`. Otherwise
 * only spaces tell: 3.1 left one for the flags that LLVM ops have not, and 3.9 leaves none before a keyword.
 */
export function takeSpellingOfText(ctx: Context, text: string, module: Operation | undefined): void {
  if (text.includes('"func.func"(') && !text.includes(" <{")) takeSpelling(ctx, "2.0");
  if (ctx.spelling || !module) return;
  const { names } = module.attrs.params;
  if (names.includes("ttng.two-ctas")) {
    if (hasKeywordAfter(text, "nvvm.shfl.sync ") || hasKeywordAfter(text, "nvvm.redux.sync ")) takeSpelling(ctx, "3.9");
  } else if (names.some((name) => name.startsWith("triton_gpu.")) && /^ *%\S+ = llvm\.[^"\n]* {2}: /m.test(text)) takeSpelling(ctx, "3.1");
}
/** Whether a keyword follows the words directly somewhere; looking for the words first is quicker than a pattern. */
function hasKeywordAfter(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (/[a-z]/.test(text.charAt(at + words.length))) return true;
  return false;
}
