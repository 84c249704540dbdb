/** Reads inputs that are no Python, recognised by content: IR of any stage, a dump log, a Trace in JSON. */

import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { followTriton } from "../ir/spelling.js";
import type { Value } from "../ir/value.js";
import { verifyOperation } from "../ir/verify.js";
import { hasRenamedDialects, modernize } from "../modernize/modernize.js";
import { tritonCalled, tritonOrDefault, unknownTriton } from "../support/triton-version.js";
import { fromBytes } from "../support/utf8.js";
import { parseModule } from "../syntax/parse.js";
import { isDumpLog } from "../trace/import/dump-log.js";
import { importDumpLog, importTexts } from "../trace/import/import-dump.js";
import { fromJson } from "../trace/json.js";
import type { Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import { type Rejected, rejected, rejectedBy, type Source, type SourceRequest, type TraceSource } from "./source.js";

/** Reads a text that is no Python. */
export function readIr(request: SourceRequest): Source | Rejected {
  const { name, text, triton, language = "triton" } = request;
  if (triton !== undefined && !tritonCalled(triton)) return rejected(unknownTriton(triton));
  if (text.trim() === "") return rejected(`'${name}' is empty`);
  if (text.includes("\0")) return rejected(`'${name}' is a binary file`);
  if (/^\s*\{\s*"/.test(text.slice(0, 1 << 10))) {
    const trace = fromJson(fromBytes(text), name);
    return "rendered" in trace ? { kind: "error", rendered: trace.rendered, diagnostics: [trace.diagnostic] } : { kind: "imported", trace };
  }
  if (isDumpLog(text)) return imported(name, importDumpLog(name, text, request));
  const single = singleText(text);
  if (single)
    return imported(
      name,
      importTexts(name, single.kind, [{ pass: single.kind, flag: single.flag, stage: "ptx", text }], [], undefined, request),
    );
  const ctx = new Context(ALL_DIALECTS);
  ctx.language = language;
  followTriton(ctx, tritonOrDefault(triton));
  const parsed = parseModule(ctx, name === "-" ? "<stdin>" : name, withoutMarkup(text), 1, (named, definition) => {
    if (/^\d/.test(named) || ctx.namesOfInput.has(named)) return;
    const [value] = [definition].flat() as readonly Value[];
    if (value) ctx.namesOfInput.set(named, value);
  });
  if (!parsed || !verifyOperation(parsed.module)) return rejectedBy(ctx);
  if (!parsed.module.regions[0]?.firstBlock?.firstOp) return rejected(`'${name}' holds no IR`);
  const era =
    ctx.spelling?.era ?? (/triton_(?:nvidia_)?gpu\./.test(text) && hasRenamedDialects(parsed.module) ? "3.2 or older" : undefined);
  if (era !== undefined && era !== ctx.triton.spelling && request.modernize !== false) {
    modernize(parsed.module);
    const spelling = `the spelling of ${era === "1.9" ? "a Triton before 2.0" : `Triton ${era}`}`;
    if (!verifyOperation(parsed.module)) return asText(request, ctx, spelling);
    const message = `'${name}' has ${spelling}: it is compiled in the spelling of 3.6`;
    if (request.modernize === undefined) ctx.diagnostics.push({ severity: "remark", code: "source.older", message, notes: [] });
  }
  return { kind: "module", module: parsed.module, request, readAgain: readIr };
}

/** A listing of an older Triton with layouts that 3.6 does not have: it is shown as text, with the reason why no pass runs on it. */
function asText({ name, text, ...options }: SourceRequest, { diagnostics }: Context, spelling: string): TraceSource | Rejected {
  const { message, position } = diagnostics[0]!;
  const warning = `it has ${spelling}, and 3.6 refuses line ${position?.line} of it (${message.replaceAll("\n", " ")}): it is shown as it is, and no pass runs on it`;
  const listing = { pass: "listing", flag: "listing", stage: undefined, text: withoutMarkup(text) };
  return imported(name, importTexts(name, "listing", [listing], [warning], undefined, options));
}

/** A Trace as a source. */
export function imported(name: string, trace: Trace | { readonly error: string }): TraceSource | Rejected {
  return "error" in trace ? rejected(`'${name}': ${trace.error}`) : { kind: "imported", trace };
}

/** The text without the LaTeX boxes that a listing was coloured with; columns stay. */
function withoutMarkup(text: string): string {
  return text.replace(/\|\\colorbox\{\w+\}\{\\strut ([^{}]*)\}\|/g, (whole, inner: string) => inner.padEnd(whole.length));
}

/** LLVM IR and PTX are one step each: no pass of ours runs on them. */
function singleText(text: string): { readonly kind: string; readonly flag: string } | undefined {
  const head = text.slice(0, 1 << 16);
  if (/^\s*\.version\s+\d/m.test(head) && /^\s*\.target\s+sm_/m.test(head)) return { kind: "PTX", flag: "ptx" };
  if (/^(?:; ModuleID = |target triple = |source_filename = |define .*@)/m.test(head)) return { kind: "LLVM IR", flag: "llir" };
  return undefined;
}

/** The stage that an input's first pass belongs to: LLVM dialect goes to translation, TTGIR to make_llir (Gluon's to gluon_to_ttgir), TTIR to make_ttir. */
export function stageOf(module: Operation): Stage {
  let lowered = false;
  for (const op of module.regions[0]!.firstBlock?.ops() ?? []) if (op.name === "llvm.func") lowered = true;
  if (lowered) return "ptx";
  if (!module.hasAttr("ttg.num-warps")) return "ttir";
  return module.ctx.language === "gluon" ? "ttgir" : "llir";
}
